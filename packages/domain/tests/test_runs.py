"""Statuses that end and that are open, what a state says of itself, and that its hash covers all of it."""

import msgspec

from bearagent_domain.budgets import Amounts, RunLimits
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import ActivityId, CallId
from bearagent_domain.runs import ActivityState, ActivityStatus, RunState, RunStatus
from bearagent_domain.tools import ToolCall

ID = ActivityId("11111111-1111-4111-8111-111111111111")


def activity(status: ActivityStatus) -> ActivityState:
    return ActivityState(
        activity_id=ID,
        kind="tool",
        name="notes.read",
        attempt=1,
        status=status,
        call_id=CallId("call_1"),
        requested_sequence=3,
    )


def test_a_run_ends_in_three_ways() -> None:
    ends = {status for status in RunStatus if status.is_terminal}
    assert ends == {RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED}


def test_only_a_running_run_is_running() -> None:
    assert [status for status in RunStatus if RunState(status=status).is_running] == [RunStatus.RUNNING]


def test_an_activity_owes_an_outcome_until_it_has_one() -> None:
    owing = {status for status in ActivityStatus if activity(status).is_open}
    assert owing == {ActivityStatus.REQUESTED, ActivityStatus.STARTED}
    for status in ActivityStatus:
        state = RunState(latest=activity(status))
        assert state.open_activity == (state.latest if status in owing else None)


def test_only_an_unknown_outcome_is_a_doubt() -> None:
    doubtful = [status for status in ActivityStatus if RunState(latest=activity(status)).in_doubt]
    assert doubtful == [ActivityStatus.OUTCOME_UNKNOWN]
    assert not RunState().in_doubt


def test_every_field_of_a_state_counts_for_its_hash() -> None:
    changes: dict[str, object] = {
        "status": RunStatus.RUNNING,
        "reason": "budget",
        "error": failure(ErrorCode.IO_ERROR, "x"),
        "limits": RunLimits(tool_calls=1),
        "used": Amounts(tool_calls=1),
        "held": Amounts(tool_calls=1),
        "priced": True,
        "estimated": True,
        "sequence": 1,
        "latest": activity(ActivityStatus.STARTED),
        "turn_id": ID,
        "open_calls": (ToolCall(call_id=CallId("call_1"), name="x", arguments={}),),
        "exhausted": "tool_calls",
        "cancel_reason": "x",
        "artifact_count": 1,
    }
    assert set(changes) == set(RunState.__struct_fields__)
    hashes = {msgspec.structs.replace(RunState(), **{name: value}).state_hash for name, value in changes.items()}
    assert len(hashes | {RunState().state_hash}) == len(changes) + 1
