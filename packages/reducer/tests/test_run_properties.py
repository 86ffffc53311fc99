"""Properties of decide and evolve: any sequence of commands, legal or not, gives a log that holds together."""

from typing import Any

import msgspec
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bearagent_domain.artifacts import Artifact
from bearagent_domain.budgets import LIMIT_NAMES, Amounts, ModelUsage, RunLimits
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
    RequestCancel,
    RequestModel,
    RequestTool,
    ResolveActivity,
    ResumeRun,
    StartActivity,
    SuspendRun,
    WaitRun,
)
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import ActivityId, ArtifactId, CallId, CommandId
from bearagent_domain.models import FinishReason, ModelResponse
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.records import Head, RecordedEvent, opened, seal
from bearagent_domain.runs import ActivityStatus, RunState
from bearagent_domain.tools import ToolCall, ToolResult
from bearagent_reducer import (
    NEW_RUN,
    CallModel,
    IllegalTransition,
    Inspection,
    Recover,
    RowProjection,
    RunCall,
    Transcript,
    decide,
    evolve,
    folded,
    next_step,
)
from bearagent_testkit import CountingIds, FixedClock
from bearagent_testkit.sample_runs import sample_created, sample_manifest

IDS = [ActivityId(CountingIds(start=900 + number).new_id()) for number in range(4)]
COMMAND_ID = CommandId(CountingIds(start=800).new_id())
ERROR = failure(ErrorCode.TOOL_FAILED, "It failed.")
CREATED = sample_created(CountingIds())
FINISHES = [FinishReason.TOOL_CALLS] * 6 + [FinishReason.STOP] * 3 + [FinishReason.LENGTH]
SOME_CALL = ToolCall(call_id=CallId("x"), name="x", arguments={})
ENDS = ("activity.completed", "activity.failed", "activity.cancelled", "activity.outcome_unknown")

amounts = st.builds(
    Amounts,
    model_calls=st.integers(0, 3),
    tool_calls=st.integers(0, 3),
    input_tokens=st.integers(0, 300),
    output_tokens=st.integers(0, 300),
    active_ms=st.integers(0, 300),
)
limits = st.builds(
    RunLimits,
    model_calls=st.none() | st.integers(0, 9),
    tool_calls=st.none() | st.integers(0, 9),
    input_tokens=st.none() | st.integers(0, 5_000),
    active_ms=st.none() | st.integers(0, 2_000),
)
milliseconds = st.integers(0, 100)
activity_ids = st.sampled_from(IDS)
artifacts = st.none() | st.just(
    Artifact(artifact_id=ArtifactId(IDS[0]), path="outputs/a.md", size=1, sha256="a" * 64),
)
results = st.builds(ToolResult, content=st.just("done"), artifact=artifacts)
calls = st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=3).map(
    lambda names: tuple(
        ToolCall(call_id=CallId(f"call_{index}"), name=name, arguments={}) for index, name in enumerate(names)
    )
)
responses = st.builds(
    ModelResponse, text=st.just("answer"), calls=calls | calls | st.just(()), finish=st.sampled_from(FINISHES)
)
decisions = st.sampled_from([Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY, Verdict.NEEDS_APPROVAL]).map(
    lambda verdict: PolicyDecision(verdict=verdict, rule="rule", reason="A reason.")
)
errors = st.sampled_from([ERROR, failure(ErrorCode.PROVIDER_UNAVAILABLE, "It is down.", retryable=True)])
usages = st.none() | st.builds(
    ModelUsage, input_tokens=st.integers(0, 300), output_tokens=st.integers(0, 300), cost_micro_usd=st.none()
)


attempts = st.integers(1, 3)


def commands(ids: st.SearchStrategy[ActivityId], call: ToolCall) -> st.SearchStrategy[Command]:
    """Any command about any of a few activities."""
    return st.one_of(
        st.just(BeginRun()),
        st.builds(RequestModel, activity_id=ids, manifest=st.just(sample_manifest()), held=amounts, attempt=attempts),
        st.builds(RequestTool, activity_id=ids, call=st.just(call), attempt=attempts),
        st.builds(DecidePolicy, activity_id=ids, decision=decisions),
        st.builds(StartActivity, activity_id=ids),
        st.builds(CompleteModel, activity_id=ids, response=responses, usage=usages, active_ms=milliseconds),
        st.builds(CompleteTool, activity_id=ids, result=results, active_ms=milliseconds),
        st.builds(FailActivity, activity_id=ids, error=errors, active_ms=milliseconds),
        st.builds(CancelActivity, activity_id=ids, cause=st.just("interrupted"), active_ms=milliseconds),
        st.builds(DoubtActivity, activity_id=ids, error=errors, active_ms=milliseconds),
        st.builds(
            ReconcileActivity,
            activity_id=ids,
            finding=st.sampled_from(["done", "not_done"]),
            evidence=st.just("seen"),
            result=st.none() | results,
            error=st.none() | errors,
            active_ms=milliseconds,
        ),
        resolutions(ids),
        st.builds(FinishRun, active_ms=milliseconds),
        st.builds(FailRun, error=errors),
        st.builds(SuspendRun, reason=st.sampled_from(["paused", "interrupted"]), active_ms=milliseconds),
        st.just(WaitRun(kind="person", ref="somebody")),
        st.builds(ResumeRun, cause=st.sampled_from(["command", "crash"])),
        st.just(RequestCancel(reason="enough")),
        st.builds(RaiseLimits, amounts=amounts, reason=st.just("more")),
    )


def resolutions(ids: st.SearchStrategy[ActivityId]) -> st.SearchStrategy[Command]:
    """A person's word on a doubt."""
    return st.builds(
        ResolveActivity,
        activity_id=ids,
        outcome=st.sampled_from(["succeeded", "failed", "retry"]),
        reason=st.just("I looked."),
        by=st.just("owner"),
        command_id=st.just(COMMAND_ID),
    )


def fitting(state: RunState, fresh: ActivityId) -> st.SearchStrategy[Command]:
    """Commands that a runtime would give now, so that runs come far."""
    latest = state.latest
    if state.open_activity is not None:
        own = st.just(state.open_activity.activity_id)
        if state.open_activity.status is ActivityStatus.REQUESTED:
            if state.open_activity.kind == "tool" and state.open_activity.verdict is None:
                return st.builds(DecidePolicy, activity_id=own, decision=decisions)
            return st.builds(StartActivity, activity_id=own)
        if state.open_activity.kind == "model":
            return st.builds(CompleteModel, activity_id=own, response=responses, usage=usages, active_ms=milliseconds)
        return st.builds(CompleteTool, activity_id=own, result=results) | st.builds(
            DoubtActivity, activity_id=own, error=errors
        )
    if not state.is_running:
        return st.builds(ResumeRun, cause=st.just("command")) | _settling(state)
    if state.in_doubt and latest is not None:
        return _settling(state)
    again = latest is not None and latest.status is ActivityStatus.CANCELLED
    own = st.just(latest.activity_id if again and latest is not None else fresh)
    attempt = st.just(latest.attempt + 1 if again and latest is not None else 1)
    match next_step(state):
        case RunCall(call=call):
            return st.builds(RequestTool, activity_id=own, call=st.just(call), attempt=attempt)
        case CallModel():
            manifest = st.just(sample_manifest())
            return st.builds(RequestModel, activity_id=own, manifest=manifest, held=amounts, attempt=attempt)
    return st.builds(FinishRun, active_ms=milliseconds)


def _settling(state: RunState) -> st.SearchStrategy[Command]:
    own = st.just(IDS[0] if state.latest is None else state.latest.activity_id)
    return resolutions(own) | st.builds(
        ReconcileActivity, activity_id=own, finding=st.just("done"), evidence=st.just("seen"), result=results
    )


def play(data: st.DataObject) -> tuple[list[RecordedEvent], list[RunState]]:
    """A run under commands drawn one by one: its log, and the state before the first event and after each."""
    ids, clock = CountingIds(start=10_000), FixedClock()
    snapshot = msgspec.structs.replace(CREATED.snapshot, limits=data.draw(limits))
    state, head, records, states = NEW_RUN, Head(), list[RecordedEvent](), [NEW_RUN]
    command: Command = CreateRun(created=msgspec.structs.replace(CREATED, snapshot=snapshot))
    for _ in range(data.draw(st.integers(1, 60) | st.just(60))):
        try:
            steps = decide(state, command)
        except IllegalTransition:
            steps = ()
            event(f"refused {type(command).__name__}")
        else:
            event(f"took {type(command).__name__}")
            assert steps, "a command that is taken makes something true"
            assert not state.status.is_terminal, "the end of a run is the end"
        for step in steps:
            assert step.before == state
            record = seal(CREATED.identity.run_id, head, clock.now(), step.activity_id, step.event)
            head, state = head.after(record), step.after
            records.append(record)
            states.append(state)
        call = state.open_calls[0] if state.open_calls else SOME_CALL
        likely = fitting(state, ActivityId(ids.new_id()))
        wild = data.draw(st.integers(0, 9)) == 0
        command = data.draw(commands(st.sampled_from(IDS) | latest_ids(state), call) if wild else likely)
    return records, states


def latest_ids(state: RunState) -> st.SearchStrategy[ActivityId]:
    return st.just(IDS[0] if state.latest is None else state.latest.activity_id)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_sequence_of_commands_gives_a_log_that_holds_together(data: Any) -> None:
    records, states = play(data)
    end = states[-1]
    event(f"rests as {end.status.value}")
    assert [record.sequence for record in records] == list(range(1, len(records) + 1))
    assert folded(records) == end and end.sequence == len(records)
    read_back = [opened(record.body, record.prev_hash, record.hash) for record in records]
    assert folded(read_back).state_hash == end.state_hash
    for before, after in zip(states, states[1:], strict=False):
        for name in LIMIT_NAMES:
            assert 0 <= getattr(before.used, name) <= getattr(after.used, name)
            assert getattr(after.held, name) >= 0
    _require_one_open_activity(records, end)
    _require_readers_agree(records, end)
    if end.open_activity is not None and end.is_running:
        assert isinstance(next_step(end), Recover)


def _require_one_open_activity(records: list[RecordedEvent], end: RunState) -> None:
    open_now: set[ActivityId] = set()
    for record in records:
        if record.event.TYPE == "activity.requested" and record.activity_id is not None:
            open_now.add(record.activity_id)
        elif record.event.TYPE in ENDS and record.activity_id is not None:
            open_now.discard(record.activity_id)
        assert len(open_now) <= 1
    assert (end.open_activity is not None) == (len(open_now) == 1)


def _require_readers_agree(records: list[RecordedEvent], end: RunState) -> None:
    inspection, rows, transcript = Inspection(), RowProjection(), Transcript(65_536)
    state = NEW_RUN
    for record in records:
        inspection.add(record)
        transcript.add(record.sequence, state, record.event)
        state = evolve(state, record.event, record.activity_id)
        rows.add(record, state)
    view, row = inspection.view(driven=None, kept=inspection.head), rows.take().run
    assert view.status == row.status == end.status
    assert row.last_sequence == view.last_sequence == len(records)
    assert len(view.artifacts) == end.artifact_count
    assert view.usage.tool_calls == end.used.tool_calls


@given(command=commands(st.sampled_from(IDS), SOME_CALL))
def test_nothing_but_create_begins_a_run(command: Command) -> None:
    with pytest.raises(IllegalTransition):
        decide(NEW_RUN, command)
