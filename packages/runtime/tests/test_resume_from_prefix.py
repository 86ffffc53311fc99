"""The turn lives in the state: any prefix of a log, loaded into a fresh loop, goes on to the same events (R4)."""

import asyncio
import json

import pytest

from bearagent_domain.budgets import RunLimits
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.models import FinishReason
from bearagent_domain.records import RecordedEvent
from bearagent_domain.tools import Effect, PreparedToolRequest, ToolResult
from bearagent_ports import Append, CallContext, Done, NotDone, OutcomeUnknown, Reconciler, Tool
from bearagent_reducer import NEW_RUN, RowProjection, evolved_record, folded
from bearagent_runtime import Journal, RunService
from bearagent_testkit import (
    CountingIds,
    FakeReconciler,
    FakeTool,
    MemoryEventStore,
    ScriptedCall,
    ScriptedModel,
    ScriptedTurn,
)
from tests.driving import BINDING, Scene

ECHO = ScriptedCall("fake.echo", {"text": "hello"})
WRITE = ScriptedCall("fake.write", {"text": "a.md"})
BAD = ScriptedCall("fake.echo", "{")
DENIED = ScriptedCall("fake.upload", {"text": "x"})
TURN = ScriptedTurn(text="I look.", calls=(ECHO, BAD, WRITE, DENIED, ECHO))
DONE = ScriptedTurn(text="Done.")

SCRIPTS: dict[str, tuple[list[ScriptedTurn], RunLimits]] = {
    "success": ([TURN, TURN, DONE], RunLimits()),
    "cut answer": ([TURN, ScriptedTurn(text="half", finish=FinishReason.LENGTH)], RunLimits()),
    "out of tool calls": ([TURN, TURN, DONE], RunLimits(tool_calls=7)),
    "out of model calls": ([TURN, TURN, DONE], RunLimits(model_calls=2)),
    "provider error": ([TURN, ScriptedTurn(error=ValueError("x"))], RunLimits()),
}


async def in_doubt(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    raise OutcomeUnknown(failure(ErrorCode.IO_ERROR, "The disk said no."))


def tools(finding: str) -> list[tuple[Tool, Reconciler | None]]:
    findings = {
        "done": FakeReconciler(Done(result=ToolResult(content="written"), evidence="it is there")),
        "not done": FakeReconciler(NotDone(evidence="as before")),
        "unknown": FakeReconciler(),
    }
    return [
        (FakeTool(), None),
        (FakeTool("fake.write", effect=Effect.WORKSPACE_WRITE, behaviour=in_doubt), findings[finding]),
        (FakeTool("fake.upload", effect=Effect.NETWORK), None),
    ]


@pytest.mark.parametrize("finding", ["done", "not done", "unknown"])
@pytest.mark.parametrize("script", list(SCRIPTS))
def test_every_prefix_goes_on_to_the_same_events(script: str, finding: str) -> None:
    turns, limits = SCRIPTS[script]
    whole = Scene(tools=tools(finding))
    run = whole.play(*turns, limits=limits)
    records = whole.records(run.run_id)
    expected = masked(records)
    tried = 0
    for length in range(1, len(records) + 1):
        prefix = records[:length]
        if folded(prefix).open_activity is not None:
            continue
        tried += 1
        assert masked(continued(prefix, turns, finding)) == expected, f"from the first {length} events"
    assert tried >= 5


def continued(prefix: list[RecordedEvent], turns: list[ScriptedTurn], finding: str) -> list[RecordedEvent]:
    """What a fresh loop makes of `prefix`. The events of the prefix are as if their commit was the last."""
    store = MemoryEventStore()
    scene = Scene(store=store, tools=tools(finding), ids=CountingIds(start=5_000))
    stored(store, prefix)
    state = folded(prefix, NEW_RUN)
    service = RunService(scene.parts(ScriptedModel(turns, position=state.used.model_calls)))
    journal = Journal.of_records(store, scene.clock, prefix)
    asyncio.run(service.drive(journal))
    return scene.records(journal.run_id)


def stored(store: MemoryEventStore, prefix: list[RecordedEvent]) -> None:
    rows, state = RowProjection(), NEW_RUN
    for record in prefix:
        state = evolved_record(state, record)
        rows.add(record, state)
    part = Append(run_id=prefix[0].run_id, expected_sequence=0, events=tuple(prefix), rows=rows.take(), binding=BINDING)
    store.append((part,))


def masked(records: list[RecordedEvent]) -> list[object]:
    """Types and payloads, with each id replaced by the order of its first appearance, and without times."""
    names: dict[str, str] = {}
    shown: list[object] = []
    for record in records:
        body = json.loads(record.body)
        body.pop("recorded_at")
        text = json.dumps(body, sort_keys=True)
        if record.activity_id is not None:
            names.setdefault(record.activity_id, f"activity {len(names)}")
        for found, name in names.items():
            text = text.replace(found, name)
        shown.append(text)
    return shown
