"""One tool call: find, prepare, decide, intend, act once, record. A refusal or a failure is an answer, too."""

import asyncio

from bearagent_domain.commands import (
    CancelActivity,
    CompleteTool,
    DecidePolicy,
    DoubtActivity,
    FailActivity,
    ReconcileActivity,
    RequestTool,
    StartActivity,
)
from bearagent_domain.errors import BearAgentError, ErrorCode, ErrorInfo, failure
from bearagent_domain.ids import ActivityId
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolCall, ToolSpec
from bearagent_ports import CallContext, CallRefused, Clock, Done, IdSource, NotDone, Policy, Tool, ToolFailed
from bearagent_runtime.active_time import ActiveTime
from bearagent_runtime.executor import Doubtful, Executor, Failed, Interrupted, Succeeded
from bearagent_runtime.journal import Journal
from bearagent_runtime.registry import Registry


class ToolCalls:
    """Answers the calls of a model, one at a time."""

    def __init__(
        self,
        registry: Registry,
        policy: Policy,
        executor: Executor,
        ids: IdSource,
        clock: Clock,
        active_time: ActiveTime,
    ) -> None:
        self._registry = registry
        self._policy = policy
        self._executor = executor
        self._ids = ids
        self._clock = clock
        self._active_time = active_time

    async def answer(self, journal: Journal, call: ToolCall) -> None:
        """Answer one call. The model reads refusals and failures; a cancellation is recorded and travels on."""
        activity_id = ActivityId(self._ids.new_id())
        if not journal.record(RequestTool(activity_id=activity_id, call=call)).is_running:
            return  # out of budget: the events of the request have suspended the run
        try:
            tool, prepared = self._prepared(call)
            self._decide(journal, activity_id, tool.spec, prepared)
            context = self._context_of(journal, activity_id, tool.spec)
            intent = await self._intent(tool, prepared, context)
        except (CallRefused, ToolFailed) as refusal:
            journal.record(
                FailActivity(activity_id=activity_id, error=refusal.info, active_ms=self._active_time.take())
            )
            return
        except asyncio.CancelledError:
            self._cancel(journal, activity_id)
            raise
        journal.record(StartActivity(activity_id=activity_id, intent=intent))
        journal.commit()  # facts before effects
        await self._act(journal, tool, prepared, context, intent)

    def _prepared(self, call: ToolCall) -> tuple[Tool, PreparedToolRequest]:
        """The tool and its normalised request. A call that came in unusable is answered with why."""
        if call.refusal is not None or call.arguments is None:
            raise CallRefused(call.refusal or failure(ErrorCode.ARGUMENTS_INVALID, "The arguments were not kept."))
        tool = self._registry.find(call.name)
        try:
            return tool, tool.prepare(call.arguments)
        except BearAgentError:
            raise
        except Exception as error:  # foreign code
            message = "The tool can't take these arguments."
            raise CallRefused(failure(ErrorCode.ARGUMENTS_INVALID, message)) from error

    def _decide(self, journal: Journal, activity_id: ActivityId, spec: ToolSpec, prepared: PreparedToolRequest) -> None:
        decision = self._policy.decide(spec, prepared)
        journal.record(DecidePolicy(activity_id=activity_id, decision=decision, prepared_hash=prepared.prepared_hash))
        if decision.verdict is not Verdict.ALLOW:
            raise CallRefused(_refusal(decision))

    async def _intent(self, tool: Tool, prepared: PreparedToolRequest, context: CallContext) -> Intent:
        try:
            async with asyncio.timeout(tool.spec.timeout_ms / 1_000):
                return await tool.intend(prepared, context)
        except (BearAgentError, asyncio.CancelledError):
            raise
        except TimeoutError as error:
            raise ToolFailed(failure(ErrorCode.TOOL_TIMEOUT, "The tool did not begin in time.")) from error
        except Exception as error:  # foreign code
            raise ToolFailed(failure(ErrorCode.TOOL_FAILED, "The tool could not begin.")) from error

    async def _act(
        self, journal: Journal, tool: Tool, prepared: PreparedToolRequest, context: CallContext, intent: Intent
    ) -> None:
        activity_id = context.activity_id
        outcome, cancelled = await self._executor.execute_once(tool, prepared, context, intent)
        active_ms = self._active_time.take()
        match outcome:
            case Succeeded(result=result):
                journal.record(CompleteTool(activity_id=activity_id, result=result, active_ms=active_ms))
            case Failed(error=error):
                journal.record(FailActivity(activity_id=activity_id, error=error, active_ms=active_ms))
            case Interrupted():
                journal.record(CancelActivity(activity_id=activity_id, cause="interrupted", active_ms=active_ms))
            case Doubtful(error=error, worker_ended=worker_ended):
                journal.record(DoubtActivity(activity_id=activity_id, error=error, active_ms=active_ms))
                if worker_ended:
                    await self._reconcile(journal, tool, prepared, context, intent, None if cancelled else error)
        if cancelled:
            raise asyncio.CancelledError

    async def _reconcile(
        self,
        journal: Journal,
        tool: Tool,
        prepared: PreparedToolRequest,
        context: CallContext,
        intent: Intent,
        error: ErrorInfo | None,
    ) -> None:
        """Settle the doubt by evidence, at once, if the tool has a reconciler and the evidence is clear (R2).

        An effect that provably did not happen answers the call with `error`; without one the attempt is void.
        """
        reconciler = self._registry.reconciler_of(tool.spec.name)
        if reconciler is None:
            return
        try:
            finding = await reconciler.reconcile(prepared, context, intent)
        except Exception:  # foreign code: no evidence
            return
        active_ms = self._active_time.take()
        match finding:
            case Done(result=result, evidence=evidence):
                command = ReconcileActivity(
                    activity_id=context.activity_id,
                    finding="done",
                    evidence=evidence,
                    result=result,
                    active_ms=active_ms,
                )
            case NotDone(evidence=evidence):
                command = ReconcileActivity(
                    activity_id=context.activity_id,
                    finding="not_done",
                    evidence=evidence,
                    error=error,
                    active_ms=active_ms,
                )
            case _:
                return
        journal.record(command)

    def _cancel(self, journal: Journal, activity_id: ActivityId) -> None:
        active_ms = self._active_time.take()
        journal.record(CancelActivity(activity_id=activity_id, cause="interrupted", active_ms=active_ms))

    def _context_of(self, journal: Journal, activity_id: ActivityId, spec: ToolSpec) -> CallContext:
        """The call's frame: its deadline is the tool's own, or the end of the run's active time if that comes first."""
        milliseconds = spec.timeout_ms
        allowed = journal.state.limits.active_ms
        if allowed is not None:
            milliseconds = min(milliseconds, max(1, allowed - journal.state.used.active_ms))
        return CallContext(
            run_id=journal.run_id,
            activity_id=activity_id,
            attempt=1,
            deadline_ms=self._clock.monotonic_ms() + milliseconds,
        )


def _refusal(decision: PolicyDecision) -> ErrorInfo:
    return decision.error or failure(ErrorCode.TOOL_NOT_ALLOWED, decision.reason)
