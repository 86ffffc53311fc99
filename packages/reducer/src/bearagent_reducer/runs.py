"""evolve: the state after one event. It alone says which event may follow which, for writing and for reading back."""

from collections.abc import Iterable
from typing import assert_never

import msgspec

from bearagent_domain.budgets import LIMIT_NAMES, Amounts, RunLimits
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.events import (
    AnyEvent,
    BudgetExhausted,
    RunCancelled,
    RunCancelRequested,
    RunCreated,
    RunEvent,
    RunFailed,
    RunLimitsRaised,
    RunResumed,
    RunResumeRefused,
    RunStarted,
    RunSucceeded,
    RunSuspended,
    RunWaiting,
)
from bearagent_domain.ids import ActivityId
from bearagent_domain.records import RecordCorrupt, RecordedEvent
from bearagent_domain.runs import ActivityStatus, RunState, RunStatus
from bearagent_reducer.activities import activity_of, evolve_activity
from bearagent_reducer.transitions import IllegalTransition, require

NEW_RUN = RunState()

replace = msgspec.structs.replace


def evolve(state: RunState, event: AnyEvent, activity_id: ActivityId | None = None) -> RunState:
    """The state after `event`, in O(1): no clock, no ids, no I/O, no history. Raises `IllegalTransition`."""
    require((state.sequence == 0) == isinstance(event, RunCreated), event, "a run begins with run.created, once")
    require(not state.status.is_terminal, event, "the run has ended")
    counted = replace(state, sequence=state.sequence + 1)
    if isinstance(event, BudgetExhausted):
        require(activity_id is None, event, "no activity came to be")
        return _exhausted(counted, event)
    if isinstance(event, RunEvent):
        require(activity_id is None, event, "it belongs to no activity")
        return _evolve_run(counted, event)
    return evolve_activity(counted, event, activity_of(event, activity_id))


def folded(records: Iterable[RecordedEvent], state: RunState = NEW_RUN) -> RunState:
    """The state after all `records`. A step that may not follow means that the log is corrupt: `RecordCorrupt`."""
    for record in records:
        state = evolved_record(state, record)
    return state


def evolved_record(state: RunState, record: RecordedEvent) -> RunState:
    """The state after one stored record."""
    try:
        return evolve(state, record.event, record.activity_id)
    except IllegalTransition as error:
        message = f"Event {record.sequence} can't follow the one before it: the record is corrupt."
        raise RecordCorrupt(failure(ErrorCode.RECORD_CORRUPT, message)) from error


def _evolve_run(state: RunState, event: RunEvent) -> RunState:
    match event:
        case RunCreated(snapshot=snapshot):
            return replace(state, limits=snapshot.limits, priced=snapshot.rates_hash is not None)
        case RunStarted():
            require(state.status is RunStatus.QUEUED, event, "the run has started before")
            return replace(state, status=RunStatus.RUNNING)
        case RunWaiting():
            require(state.is_running and state.open_activity is None, event, "only a running run between activities")
            return replace(state, status=RunStatus.WAITING)
        case RunSuspended():
            return _suspended(state, event)
        case RunResumed(cause=cause):
            resting = state.status in (RunStatus.SUSPENDED, RunStatus.WAITING)
            crashed = cause == "crash" and state.is_running
            require(resting or crashed, event, "the run is being driven")
            require(not state.in_doubt, event, "an outcome is unknown: only evidence or a person settles it")
            return replace(state, status=RunStatus.RUNNING, reason=None, error=None, exhausted=None)
        case RunResumeRefused():
            require(not state.is_running, event, "the run is being driven")
            return state
        case RunCancelRequested(reason=reason):
            return replace(state, cancel_reason=reason)
        case RunCancelled():
            require(state.open_activity is None, event, "an activity is open")
            return replace(state, status=RunStatus.CANCELLED, reason=None)
        case RunLimitsRaised(amounts=amounts):
            return replace(state, limits=_raised(state.limits, amounts))
        case RunSucceeded():
            require(_has_answered(state), event, "there is no answer")
            return replace(state, status=RunStatus.SUCCEEDED)
        case RunFailed(error=error):
            require(state.is_running and state.open_activity is None, event, "only a running run between activities")
            return replace(state, status=RunStatus.FAILED, error=error)
        case _:
            assert_never(event)


def _suspended(state: RunState, event: RunSuspended) -> RunState:
    refused = event.reason == "resume_refused" and state.status in (RunStatus.SUSPENDED, RunStatus.WAITING)
    require(state.is_running or refused, event, "the run is at rest")
    require(state.open_activity is None or refused, event, "an activity is open")
    used = state.used.plus(Amounts(active_ms=event.active_ms))
    return replace(state, status=RunStatus.SUSPENDED, reason=event.reason, error=event.error, used=used)


def _exhausted(state: RunState, event: BudgetExhausted) -> RunState:
    require(state.is_running and state.open_activity is None, event, "only a running run between activities")
    return replace(state, exhausted=event.limit)


def _has_answered(state: RunState) -> bool:
    latest = state.latest
    return (
        state.is_running
        and latest is not None
        and latest.kind == "model"
        and latest.status is ActivityStatus.COMPLETED
        and latest.error is None
        and not state.open_calls
    )


def _raised(limits: RunLimits, amounts: Amounts) -> RunLimits:
    sums = {
        name: value + getattr(amounts, name)
        for name in LIMIT_NAMES
        if (value := getattr(limits, name)) is not None and getattr(amounts, name)
    }
    return replace(limits, **sums)
