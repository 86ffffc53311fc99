"""What each event of an activity makes of a run: requested, decided, started, and every way to end."""

from typing import assert_never

import msgspec

from bearagent_domain.budgets import NOTHING, Amounts
from bearagent_domain.errors import ErrorInfo
from bearagent_domain.events import (
    ActivityCancelled,
    ActivityCompleted,
    ActivityEvent,
    ActivityFailed,
    ActivityOutcomeUnknown,
    ActivityReconciled,
    ActivityRequested,
    ActivityResolved,
    ActivityStarted,
    Event,
    ModelOutcome,
    ModelWork,
    PolicyDecided,
    ToolWork,
)
from bearagent_domain.ids import ActivityId
from bearagent_domain.policies import Verdict
from bearagent_domain.runs import ActivityState, ActivityStatus, RunState
from bearagent_domain.tools import ToolResult
from bearagent_reducer.responses import response_error
from bearagent_reducer.transitions import require

replace = msgspec.structs.replace


def evolve_activity(state: RunState, event: ActivityEvent, activity_id: ActivityId) -> RunState:
    """The state after `event` of the activity `activity_id`, in O(1)."""
    if isinstance(event, ActivityRequested):
        return _requested(state, event, activity_id)
    latest = state.latest
    require(latest is not None and latest.activity_id == activity_id, event, "it belongs to another activity")
    assert latest is not None
    match event:
        case PolicyDecided(verdict=verdict):
            undecided = latest.kind == "tool" and latest.status is ActivityStatus.REQUESTED and latest.verdict is None
            require(undecided, event, "nothing waits for a decision")
            return replace(state, latest=replace(latest, verdict=verdict))
        case ActivityStarted(intent=intent):
            require(latest.status is ActivityStatus.REQUESTED, event, "only a requested activity can start")
            allowed = latest.kind == "model" or latest.verdict is Verdict.ALLOW
            require(allowed, event, "a tool starts only when it was allowed")
            return replace(state, latest=replace(latest, status=ActivityStatus.STARTED, intent=intent))
        case ActivityCompleted():
            require(latest.status is ActivityStatus.STARTED, event, "only a started activity can complete")
            return _completed(state, event, latest)
        case ActivityFailed(error=error, active_ms=active_ms):
            require(latest.is_open, event, "no activity is open")
            return _failed(_spent(state, active_ms), latest, error)
        case ActivityCancelled(active_ms=active_ms):
            require(latest.is_open, event, "no activity is open")
            return _voided(_spent(state, active_ms), latest)
        case ActivityOutcomeUnknown(error=error, active_ms=active_ms):
            doubtful = latest.kind == "tool" and latest.status is ActivityStatus.STARTED
            require(doubtful, event, "only a started tool can be in doubt")
            return _ended(_spent(state, active_ms), latest, ActivityStatus.OUTCOME_UNKNOWN, error)
        case ActivityReconciled():
            require(state.in_doubt, event, "nothing is in doubt")
            return _reconciled(_spent(state, event.active_ms), latest, event)
        case ActivityResolved():
            require(state.in_doubt, event, "nothing is in doubt")
            return _resolved(state, latest, event)
        case _:
            assert_never(event)


def _requested(state: RunState, event: ActivityRequested, activity_id: ActivityId) -> RunState:
    latest = state.latest
    require(state.is_running and state.cancel_reason is None, event, "the run does not ask for more")
    require(not state.in_doubt, event, "an outcome is unknown: only evidence or a person settles it")
    require(state.open_activity is None, event, "one activity at a time")
    require(state.exhausted is None, event, "a limit is exhausted")
    again = latest is not None and latest.activity_id == activity_id
    expected = latest.attempt + 1 if again and latest is not None else 1
    require(event.attempt == expected, event, f"attempt {expected} is next")
    if again and latest is not None:
        require(latest.status in (ActivityStatus.CANCELLED, ActivityStatus.FAILED), event, "it has its outcome")
    return replace(state, latest=_opened(state, event, activity_id), held=event.held)


def _opened(state: RunState, event: ActivityRequested, activity_id: ActivityId) -> ActivityState:
    latest = state.latest
    again = latest is not None and latest.activity_id == activity_id
    work = event.work
    if isinstance(work, ModelWork):
        require(not state.open_calls, event, "calls of the turn are without answer")
    else:
        known = bool(state.open_calls) and state.open_calls[0].call_id == work.call_id
        require(known and state.turn_id == work.source_activity_id, event, "it is not the next call of the turn")
    return ActivityState(
        activity_id=activity_id,
        kind="model" if isinstance(work, ModelWork) else "tool",
        name=work.manifest.model if isinstance(work, ModelWork) else work.name,
        attempt=event.attempt,
        status=ActivityStatus.REQUESTED,
        call_id=work.call_id if isinstance(work, ToolWork) else None,
        requested_sequence=latest.requested_sequence if again and latest is not None else state.sequence,
    )


def _completed(state: RunState, event: ActivityCompleted, latest: ActivityState) -> RunState:
    spent = _spent(state, event.active_ms)
    if isinstance(event.outcome, ModelOutcome):
        require(latest.kind == "model", event, "a tool gave a model's answer")
        return _turned(spent, latest, event.outcome)
    require(latest.kind == "tool", event, "a model gave a tool's result")
    return _answered(spent, latest, ActivityStatus.COMPLETED, None, event.outcome.result)


def _turned(state: RunState, latest: ActivityState, outcome: ModelOutcome) -> RunState:
    usage = outcome.usage
    used = Amounts(
        model_calls=1,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_micro_usd=usage.cost_micro_usd or 0,
    )
    error = response_error(outcome.response)
    ended = _ended(state, latest, ActivityStatus.COMPLETED, error)
    return replace(
        ended,
        used=ended.used.plus(used),
        held=NOTHING,
        estimated=ended.estimated or usage.estimated,
        turn_id=latest.activity_id,
        open_calls=outcome.response.calls if error is None else (),
    )


def _failed(state: RunState, latest: ActivityState, error: ErrorInfo) -> RunState:
    if latest.kind == "tool":
        return _answered(state, latest, ActivityStatus.FAILED, error, None)
    return _hold_counted(_ended(state, latest, ActivityStatus.FAILED, error), latest)


def _voided(state: RunState, latest: ActivityState) -> RunState:
    return _hold_counted(_ended(state, latest, ActivityStatus.CANCELLED, None), latest)


def _hold_counted(state: RunState, latest: ActivityState) -> RunState:
    """Nobody knows what a model call without answer used: what it held counts, and is marked as estimated."""
    estimated = state.estimated or latest.kind == "model"
    return replace(state, used=state.used.plus(state.held), held=NOTHING, estimated=estimated)


def _reconciled(state: RunState, latest: ActivityState, event: ActivityReconciled) -> RunState:
    if event.finding == "done":
        require(event.result is not None, event, "what was done has a result")
        return _answered(state, latest, ActivityStatus.COMPLETED, None, event.result)
    if event.error is not None:
        return _answered(state, latest, ActivityStatus.FAILED, event.error, None)
    return _hold_counted(_ended(state, latest, ActivityStatus.CANCELLED, None), latest)


def _resolved(state: RunState, latest: ActivityState, event: ActivityResolved) -> RunState:
    match event.as_:
        case "succeeded":
            return _answered(state, latest, ActivityStatus.COMPLETED, None, None)
        case "failed":
            return _answered(state, latest, ActivityStatus.FAILED, latest.error, None)
        case "retry":
            return _hold_counted(_ended(state, latest, ActivityStatus.CANCELLED, None), latest)
        case _:
            assert_never(event.as_)


def _answered(
    state: RunState, latest: ActivityState, status: ActivityStatus, error: ErrorInfo | None, result: ToolResult | None
) -> RunState:
    """The call of a tool activity has its answer: the next one is first in line."""
    ended = _ended(state, latest, status, error)
    made = 1 if result is not None and result.artifact is not None else 0
    return replace(
        ended,
        used=ended.used.plus(Amounts(tool_calls=1)),
        held=NOTHING,
        open_calls=ended.open_calls[1:],
        artifact_count=ended.artifact_count + made,
    )


def _ended(state: RunState, latest: ActivityState, status: ActivityStatus, error: ErrorInfo | None) -> RunState:
    return replace(state, latest=replace(latest, status=status, ended_sequence=state.sequence, error=error))


def _spent(state: RunState, active_ms: int) -> RunState:
    return replace(state, used=state.used.plus(Amounts(active_ms=active_ms))) if active_ms else state


def activity_of(event: Event, activity_id: ActivityId | None) -> ActivityId:
    """The id that an event of an activity must carry."""
    require(activity_id is not None, event, "it names no activity")
    assert activity_id is not None
    return activity_id
