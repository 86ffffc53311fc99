"""One tool call: find, prepare, decide, intend, act once, record. A refusal or a failure is an answer, too."""

import asyncio

from bearagent_domain.commands import (
    CancelActivity,
    CompleteTool,
    DecidePolicy,
    DoubtActivity,
    FailActivity,
    FinishRun,
    ReconcileActivity,
    RequestTool,
    StartActivity,
)
from bearagent_domain.documents import as_stored
from bearagent_domain.errors import ErrorCode, ErrorInfo, failure
from bearagent_domain.ids import ActivityId
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.runs import ActivityState
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolCall, ToolSpec
from bearagent_ports import (
    CallContext,
    CallRefused,
    Clock,
    Done,
    Finding,
    IdSource,
    NotDone,
    Policy,
    Reconciler,
    Tool,
    ToolFailed,
    Unknown,
)
from bearagent_runtime.active_time import ActiveTime
from bearagent_runtime.bounded_waits import result_within
from bearagent_runtime.executor import Doubtful, Executor, Failed, Interrupted, Succeeded, checked_result
from bearagent_runtime.foreign_code import foreign_code, storable_error
from bearagent_runtime.journal import Journal
from bearagent_runtime.registry import RegisteredTool, Registry


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

    def _prepared(self, call: ToolCall) -> tuple[RegisteredTool, PreparedToolRequest]:
        """The tool and its normalised request. A call that came in unusable is answered with why."""
        if call.refusal is not None or call.arguments is None:
            raise CallRefused(call.refusal or failure(ErrorCode.ARGUMENTS_INVALID, "The arguments were not kept."))
        return self._registry.prepared(call.name, call.arguments)

    def _decide(self, journal: Journal, activity_id: ActivityId, spec: ToolSpec, prepared: PreparedToolRequest) -> None:
        decision = self._decision(spec, prepared)
        journal.record(DecidePolicy(activity_id=activity_id, decision=decision, prepared_hash=prepared.prepared_hash))
        if decision.verdict is not Verdict.ALLOW:
            raise CallRefused(_refusal(decision))

    def _decision(self, spec: ToolSpec, prepared: PreparedToolRequest) -> PolicyDecision:
        try:
            with foreign_code():
                return as_stored(self._policy.decide(spec, prepared), PolicyDecision)
        except Exception:  # foreign code: a policy that fails allows nothing
            return PolicyDecision(verdict=Verdict.DENY, rule="policy_failed", reason="The policy could not decide.")

    async def _intent(self, tool: RegisteredTool, prepared: PreparedToolRequest, context: CallContext) -> Intent:
        seconds = tool.spec.timeout_ms / 1_000
        try:
            return await result_within(_intended(tool.tool, prepared, context), seconds)
        except asyncio.CancelledError:
            raise
        except ToolFailed as failed:
            raise ToolFailed(storable_error(failed, ErrorCode.TOOL_FAILED)) from failed
        except TimeoutError as error:
            raise ToolFailed(failure(ErrorCode.TOOL_TIMEOUT, "The tool did not begin in time.")) from error
        except Exception as error:  # foreign code
            raise ToolFailed(failure(ErrorCode.TOOL_FAILED, "The tool could not begin.")) from error

    async def settle(self, journal: Journal, activity: ActivityState, call: ToolCall) -> None:
        """Settle a doubt by evidence, at once, or let the run rest for somebody who knows (R2).

        An effect that provably did not happen answers the call with the error that raised the doubt.
        """
        if not await self._settled(journal, activity, call, activity.error):
            journal.record(FinishRun(active_ms=self._active_time.take()))

    async def _act(
        self,
        journal: Journal,
        tool: RegisteredTool,
        prepared: PreparedToolRequest,
        context: CallContext,
        intent: Intent,
    ) -> None:
        """Act and record. A doubt is settled by the next step, which the state asks for."""
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
                state = journal.record(DoubtActivity(activity_id=activity_id, error=error, active_ms=active_ms))
                if not worker_ended:  # what may still happen can't be looked at yet
                    journal.record(FinishRun())
                elif cancelled and state.latest is not None:
                    await self._settled(journal, state.latest, state.open_calls[0], None)
        if cancelled:
            raise asyncio.CancelledError

    async def _settled(
        self, journal: Journal, activity: ActivityState, call: ToolCall, answer: ErrorInfo | None
    ) -> bool:
        """Whether clear evidence settled the doubt. If nothing happened, `answer` answers the call; null voids it."""
        finding = await self._finding(journal, activity, call)
        active_ms = self._active_time.take()
        match finding:
            case Done(result=result, evidence=evidence):
                command = ReconcileActivity(
                    activity_id=activity.activity_id,
                    finding="done",
                    evidence=evidence,
                    result=result,
                    active_ms=active_ms,
                )
            case NotDone(evidence=evidence):
                command = ReconcileActivity(
                    activity_id=activity.activity_id,
                    finding="not_done",
                    evidence=evidence,
                    error=answer,
                    active_ms=active_ms,
                )
            case Unknown():
                return False
        journal.record(command)
        return True

    async def _finding(self, journal: Journal, activity: ActivityState, call: ToolCall) -> Finding:
        try:
            tool, prepared = self._prepared(call)
            if tool.reconciler is None or activity.intent is None:
                return Unknown(evidence="This tool has no reconciler.")
            context = self._context_of(journal, activity.activity_id, tool.spec, activity.attempt)
            found = _found(tool.reconciler, prepared, context, activity.intent)
            finding = await result_within(found, tool.spec.timeout_ms / 1_000)
            return _checked(finding, tool.spec, activity.intent)
        except Exception:  # foreign code: no evidence
            return Unknown(evidence="The reconciler failed.")

    def _cancel(self, journal: Journal, activity_id: ActivityId) -> None:
        active_ms = self._active_time.take()
        journal.record(CancelActivity(activity_id=activity_id, cause="interrupted", active_ms=active_ms))

    def _context_of(self, journal: Journal, activity_id: ActivityId, spec: ToolSpec, attempt: int = 1) -> CallContext:
        """The call's frame: its deadline is the tool's own, or the end of the run's active time if that comes first."""
        left = journal.state.active_ms_left
        milliseconds = spec.timeout_ms if left is None else min(spec.timeout_ms, left)
        return CallContext(
            run_id=journal.run_id,
            activity_id=activity_id,
            attempt=attempt,
            deadline_ms=self._clock.monotonic_ms() + milliseconds,
        )


async def _intended(tool: Tool, prepared: PreparedToolRequest, context: CallContext) -> Intent:
    with foreign_code():
        return as_stored(await tool.intend(prepared, context), Intent)


async def _found(
    reconciler: Reconciler, prepared: PreparedToolRequest, context: CallContext, intent: Intent
) -> Finding:
    with foreign_code():
        return await reconciler.reconcile(prepared, context, intent)


def _checked(finding: Finding, spec: ToolSpec, intent: Intent) -> Finding:
    """`finding` if it can be stored, and what was done too. Raises `BearAgentError`."""
    match finding:
        case Done():
            checked_result(finding.result, spec, intent)
            return as_stored(finding, Done)
        case NotDone():
            return as_stored(finding, NotDone)
        case _:
            return as_stored(finding, Unknown)


def _refusal(decision: PolicyDecision) -> ErrorInfo:
    return decision.error or failure(ErrorCode.TOOL_NOT_ALLOWED, decision.reason)
