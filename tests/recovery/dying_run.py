"""A run whose process kills itself where it is told to: `python dying_run.py DATABASE WORKSPACE [BOUNDARY]`.

Each call through a port passes boundaries, such as `before commit 3` and `after commit 3`. Each one passed is a line
`EVENTS NAME` on stdout; EVENTS is how many events the store has acknowledged by then. The same ids, times and bytes
each time, so that the record of a killed run is a beginning of the record of the whole one.
"""

import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing, closing, contextmanager
from pathlib import Path

from bearagent_domain.ids import RunId
from bearagent_domain.json_values import JsonObject
from bearagent_domain.models import ModelEvent, ModelProfile, ModelRequest
from bearagent_domain.records import Head
from bearagent_domain.rows import Binding
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolResult, ToolSpec
from bearagent_ports import Append, CallContext, EventStore, ModelProvider, Tool
from bearagent_runtime import FixedToolPolicy, Registry, RunService, RuntimeParts, StartRun
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, ScriptedCall, ScriptedModel, ScriptedTurn
from bearagent_workspace_tools import workspace_tools

WRITTEN = "# After\n"
SCRIPT = (
    ScriptedTurn(
        text="I look, and write.",
        calls=(
            ScriptedCall("workspace.list", {}),
            ScriptedCall("workspace.read", {"path": "docs/bears.md"}),
            ScriptedCall("workspace.write", {"path": "outputs/a.md", "content": WRITTEN}),
            ScriptedCall("workspace.write", {"path": "elsewhere/a.md", "content": WRITTEN}),
        ),
    ),
    ScriptedTurn(text="It is written."),
)


class Life:
    """Knows the boundary at which it ends; null lives to the end of the run."""

    def __init__(self, last_boundary: str | None) -> None:
        self._last_boundary = last_boundary
        self._calls: Counter[str] = Counter()
        self.stored = 0

    @contextmanager
    def call(self, port: str) -> Iterator[str]:
        """Around one call of `port`; gives the numbered name of the call."""
        self._calls[port] += 1
        name = f"{port} {self._calls[port]}"
        self.reach(f"before {name}")
        yield name
        self.reach(f"after {name}")

    def reach(self, boundary: str) -> None:
        """Say that the boundary is reached, and die if it is the one."""
        print(self.stored, boundary, flush=True)
        if boundary == self._last_boundary:
            os.kill(os.getpid(), signal.SIGKILL)


def mortal_store(database: Path, life: Life) -> SqliteEventStore:
    """The real store, with a boundary on each side of each commit, and one before the head is kept."""

    class MortalStore(SqliteEventStore):
        def append(self, parts: Sequence[Append]) -> None:
            with life.call("commit"):
                super().append(parts)
                life.stored += sum(len(part.events) for part in parts)

        def keep_head(self, run_id: RunId, head: Head) -> bool:
            life.reach("before head")
            return super().keep_head(run_id, head)

    return MortalStore.open(database)


class MortalTool:
    """A real tool, with a boundary on each side of `execute`."""

    def __init__(self, tool: Tool, life: Life) -> None:
        self._tool = tool
        self._life = life

    @property
    def spec(self) -> ToolSpec:
        """That of the tool."""
        return self._tool.spec

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """Pure, so no boundary."""
        return self._tool.prepare(arguments)

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """Reads at most, so no boundary."""
        return await self._tool.intend(prepared, call)

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """Between intent and outcome."""
        with self._life.call(self.spec.name):
            return await self._tool.execute(prepared, call, intent)


class MortalModel:
    """A provider, with a boundary on each side of its stream and one within."""

    def __init__(self, model: ModelProvider, life: Life) -> None:
        self._model = model
        self._life = life

    @property
    def api(self) -> str:
        """That of the provider."""
        return self._model.api

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Within: when the first piece of the answer has come."""
        with self._life.call("model") as name:
            async with aclosing(self._model.stream(request)) as pieces:
                yield await anext(pieces)
                self._life.reach(f"within {name}")
                async for piece in pieces:
                    yield piece


def parts_of(store: EventStore, database: Path, workspace: Path, life: Life) -> RuntimeParts:
    """The runtime with real tools and the script."""
    ids = CountingIds()
    tools = workspace_tools(workspace, ids.new_id)
    registry = Registry((MortalTool(tool, life), reconciler) for tool, reconciler in tools)
    return RuntimeParts(
        store=store,
        lease=FileRunLease(database),
        clock=FixedClock(),
        ids=ids,
        registry=registry,
        policy=FixedToolPolicy(spec.name for spec in registry.specs),
        provider=MortalModel(ScriptedModel(SCRIPT), life),
    )


def main(database: Path, workspace: Path, last_boundary: str | None) -> None:
    life = Life(last_boundary)
    start = StartRun(
        objective="Write a report.",
        model=ModelProfile(provider="scripted", model="script"),
        binding=Binding(workspace=str(workspace), workspace_identity="1:2", provider="scripted", api="scripted"),
    )
    with closing(mortal_store(database, life)) as store:
        asyncio.run(RunService(parts_of(store, database, workspace, life)).start(start))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
