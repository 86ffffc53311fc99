"""decide: what a command makes true. The only place that constructs events; `evolve` judges each of them first."""

from collections.abc import Iterator
from typing import assert_never

from bearagent_domain.budgets import Amounts, ModelUsage
from bearagent_domain.commands import (
    BeginRun,
    CancelActivity,
    Command,
    CompleteModel,
    CompleteTool,
    CreateRun,
    DecidePolicy,
    DoubtActivity,
    FailActivity,
    FailRun,
    FinishRun,
    RaiseLimits,
    ReconcileActivity,
    RefuseResume,
    RequestCancel,
    RequestModel,
    RequestTool,
    ResolveActivity,
    ResumeRun,
    StartActivity,
    SuspendRun,
    WaitRun,
)
from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.events import (
    ActivityCancelled,
    ActivityCompleted,
    ActivityFailed,
    ActivityOutcomeUnknown,
    ActivityReconciled,
    ActivityRequested,
    ActivityResolved,
    ActivityStarted,
    AnyEvent,
    BudgetExhausted,
    ModelOutcome,
    ModelWork,
    PolicyDecided,
    RunCancelled,
    RunCancelRequested,
    RunFailed,
    RunLimitsRaised,
    RunResumed,
    RunResumeRefused,
    RunStarted,
    RunSucceeded,
    RunSuspended,
    RunWaiting,
    ToolOutcome,
    ToolWork,
)
from bearagent_domain.ids import ActivityId
from bearagent_domain.json_values import hash_of
from bearagent_domain.runs import RunState
from bearagent_reducer.budgets import Exhausted, first_exhausted
from bearagent_reducer.runs import evolve
from bearagent_reducer.transitions import IllegalTransition

Made = tuple[AnyEvent, ActivityId | None]


class Decided(Rec, frozen=True, kw_only=True):
    """One event of a decision, with the state before and after it."""

    before: RunState
    event: AnyEvent
    activity_id: ActivityId | None
    after: RunState


def decide(state: RunState, command: Command) -> tuple[Decided, ...]:
    """The events that `command` makes true after `state`. Raises `IllegalTransition` and then nothing is true."""
    steps: list[Decided] = []
    for event, activity_id in _events_of(state, command):
        after = evolve(state, event, activity_id)
        steps.append(Decided(before=state, event=event, activity_id=activity_id, after=after))
        state = after
    return tuple(steps)


def _events_of(state: RunState, command: Command) -> Iterator[Made]:
    match command:
        case RequestModel() | RequestTool():
            yield from _requested(state, command)
        case FinishRun(active_ms=active_ms):
            yield _finished(state, active_ms), None
        case (
            DecidePolicy()
            | StartActivity()
            | CompleteModel()
            | CompleteTool()
            | FailActivity()
            | CancelActivity()
            | DoubtActivity()
            | ReconcileActivity()
            | ResolveActivity()
        ):
            yield _activity_event(state, command), command.activity_id
        case CreateRun(created=created):
            yield created, None
            yield RunStarted(), None
        case _:
            yield _run_event(command), None


def _requested(state: RunState, command: RequestModel | RequestTool) -> Iterator[Made]:
    held = command.held if isinstance(command, RequestModel) else Amounts(tool_calls=1)
    exhausted = first_exhausted(state, held)
    if exhausted is not None:
        yield BudgetExhausted(limit=exhausted.limit, allowed=exhausted.allowed, needed=exhausted.needed), None
        yield _out_of_budget(exhausted), None
        return
    work = _model_work(command) if isinstance(command, RequestModel) else _tool_work(state, command)
    yield (
        ActivityRequested(attempt=command.attempt, cause=command.cause, held=held, work=work),
        command.activity_id,
    )


def _model_work(command: RequestModel) -> ModelWork:
    return ModelWork(manifest=command.manifest, request_hash=hash_of("request", command.manifest))


def _tool_work(state: RunState, command: RequestTool) -> ToolWork:
    call = command.call
    if state.turn_id is None:
        raise IllegalTransition(failure(ErrorCode.ILLEGAL_TRANSITION, "No turn of a model has asked for a tool."))
    digest = None if call.arguments is None else hash_of("arguments", call.arguments)
    return ToolWork(call_id=call.call_id, name=call.name, source_activity_id=state.turn_id, arguments_hash=digest)


def _finished(state: RunState, active_ms: int) -> AnyEvent:
    """How the run ends or why it rests: a wish to cancel, a doubt, a limit, a failure, or its answer."""
    error = state.latest.error if state.latest is not None else None
    if state.in_doubt:
        return RunSuspended(reason="outcome_unknown", error=error, active_ms=active_ms)
    if state.cancel_reason is not None:
        return RunCancelled(reason=state.cancel_reason)
    if state.exhausted is not None:
        allowed: int = getattr(state.limits, state.exhausted) or 0
        return _out_of_budget(Exhausted(limit=state.exhausted, allowed=allowed, needed=allowed))
    if error is not None and error.retryable:
        return RunSuspended(reason="provider_unavailable", error=error, active_ms=active_ms)
    if error is not None:
        return RunFailed(error=error)
    return RunSucceeded()


def _out_of_budget(exhausted: Exhausted) -> RunSuspended:
    message = f"The limit {exhausted.limit} of {exhausted.allowed:,} is used up. Start again with a higher limit."
    error = failure(ErrorCode.BUDGET_EXHAUSTED, message, limit=exhausted.limit, allowed=exhausted.allowed)
    return RunSuspended(reason="budget", error=error)


def _activity_event(
    state: RunState,
    command: DecidePolicy
    | StartActivity
    | CompleteModel
    | CompleteTool
    | FailActivity
    | CancelActivity
    | DoubtActivity
    | ReconcileActivity
    | ResolveActivity,
) -> AnyEvent:
    match command:
        case DecidePolicy(decision=said, prepared_hash=prepared_hash):
            return PolicyDecided(
                verdict=said.verdict,
                rule=said.rule,
                reason=said.reason,
                resources=said.resources,
                prepared_hash=prepared_hash,
            )
        case StartActivity(intent=intent):
            return ActivityStarted(intent=intent)
        case CompleteModel():
            return _model_completed(state, command)
        case CompleteTool(result=result, active_ms=active_ms):
            return ActivityCompleted(active_ms=active_ms, outcome=ToolOutcome(result=result))
        case FailActivity(error=error, active_ms=active_ms):
            return ActivityFailed(error=error, active_ms=active_ms)
        case CancelActivity(cause=cause, active_ms=active_ms):
            return ActivityCancelled(cause=cause, active_ms=active_ms)
        case DoubtActivity(error=error, active_ms=active_ms):
            return ActivityOutcomeUnknown(error=error, active_ms=active_ms)
        case ReconcileActivity():
            return ActivityReconciled(
                finding=command.finding,
                evidence=command.evidence,
                result=command.result,
                error=command.error,
                active_ms=command.active_ms,
            )
        case ResolveActivity(outcome=outcome, reason=reason, by=by, command_id=command_id):
            return ActivityResolved(as_=outcome, reason=reason, by=by, command_id=command_id)
        case _:
            assert_never(command)


def _model_completed(state: RunState, command: CompleteModel) -> ActivityCompleted:
    usage = command.usage if command.usage is not None else _held_as_usage(state)
    outcome = ModelOutcome(
        response=command.response,
        usage=usage,
        rates_hash=command.rates_hash,
        provider_request_id=command.provider_request_id,
    )
    return ActivityCompleted(active_ms=command.active_ms, outcome=outcome)


def _held_as_usage(state: RunState) -> ModelUsage:
    """Usage that nobody reported: what was held counts, marked as estimated. Unknown is never zero."""
    held = state.held
    return ModelUsage(
        input_tokens=held.input_tokens,
        output_tokens=held.output_tokens,
        cost_micro_usd=held.cost_micro_usd if state.priced else None,
        estimated=True,
    )


def _run_event(
    command: BeginRun | FailRun | SuspendRun | WaitRun | ResumeRun | RefuseResume | RequestCancel | RaiseLimits,
) -> AnyEvent:
    match command:
        case BeginRun():
            return RunStarted()
        case FailRun(error=error):
            return RunFailed(error=error)
        case SuspendRun(reason=reason, error=error, active_ms=active_ms, command_id=command_id):
            return RunSuspended(reason=reason, error=error, active_ms=active_ms, command_id=command_id)
        case WaitRun(kind=kind, ref=ref):
            return RunWaiting(kind=kind, ref=ref)
        case ResumeRun(cause=cause, workspace_replaced=replaced, command_id=command_id):
            return RunResumed(cause=cause, workspace_replaced=replaced, command_id=command_id)
        case RefuseResume(code=code, expected=expected, found=found):
            return RunResumeRefused(code=code, expected=expected, found=found)
        case RequestCancel(reason=reason, command_id=command_id):
            return RunCancelRequested(reason=reason, command_id=command_id)
        case RaiseLimits(amounts=amounts, reason=reason, command_id=command_id):
            return RunLimitsRaised(amounts=amounts, reason=reason, command_id=command_id)
        case _:
            assert_never(command)
