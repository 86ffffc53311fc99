"""Runs of any number of steps over the real store: a model that asks for one tool a step, and a tool that returns."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

from bearagent_domain.budgets import RunLimits
from bearagent_domain.ids import RunId
from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    ModelProfile,
    ModelRequest,
    TextDelta,
    UsageReported,
)
from bearagent_domain.rows import Binding
from bearagent_domain.tools import PreparedToolRequest, ToolResult
from bearagent_ports import Append, CallContext
from bearagent_runtime import FixedToolPolicy, Registry, RunService, RuntimeParts, StartRun
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from bearagent_testkit import CountingIds, FakeTool, FixedClock

BINDING = Binding(workspace="/workspace", workspace_identity="1:2", provider="scripted", api="scripted")


class StepModel:
    """Asks for one call a turn, so many times, then answers. `own_seconds` is the time spent in here."""

    api = "scripted"

    def __init__(self, steps: int) -> None:
        self._left = steps
        self.own_seconds = 0.0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """One turn."""
        begun = time.perf_counter()
        if self._left:
            self._left -= 1
            events: list[ModelEvent] = [
                CallOpened(index=0, name="fake.echo"),
                ArgumentsDelta(index=0, text='{"text": "docs/notes.md"}'),
                UsageReported(input_tokens=500, output_tokens=50),
                Finished(reason=FinishReason.TOOL_CALLS),
            ]
        else:
            events = [TextDelta(text="Done."), Finished(reason=FinishReason.STOP)]
        self.own_seconds += time.perf_counter() - begun
        for event in events:
            yield event


class KeepingStore(SqliteEventStore):
    """The real store, which also keeps what was appended, for the bare counterpart."""

    def __init__(self, *connection: Any) -> None:
        super().__init__(*connection)
        self.kept: list[Append] = []

    def append(self, parts: Sequence[Append]) -> None:
        """Store, and remember."""
        super().append(parts)
        self.kept.extend(parts)


def run_steps(database: Path, steps: int, result_bytes: int | None) -> tuple[float, list[Append]]:
    """Seconds of one run of so many steps without those of model and tool, and what it appended.

    Results have 0 to `result_bytes` bytes at random; null means 32 bytes each.
    """
    chance = random.Random(steps)

    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        size = 32 if result_bytes is None else chance.randint(0, result_bytes)
        return ToolResult(content="".join(chance.choices("abcdefghij klmno\n", k=size)))

    store = KeepingStore.open(database)
    tool, model = FakeTool(behaviour=behaviour), StepModel(steps)
    parts = RuntimeParts(
        store=store,
        lease=FileRunLease(database),
        clock=FixedClock(),
        ids=CountingIds(),
        registry=Registry([(tool, None)]),
        policy=FixedToolPolicy([tool.spec.name]),
        provider=model,
    )
    start = StartRun(
        objective="Take so many steps.",
        model=ModelProfile(provider="scripted", model="script"),
        binding=BINDING,
        limits=RunLimits(model_calls=5_000, tool_calls=5_000, input_tokens=100_000_000, output_tokens=10_000_000),
    )
    begun = time.perf_counter()
    run_id: RunId = asyncio.run(RunService(parts).start(start))
    seconds = time.perf_counter() - begun - model.own_seconds
    assert store.run(run_id).status == "succeeded"
    store.close()
    return seconds, store.kept
