"""Plays runs into one record until it is killed: `python storm_writer.py DATABASE WORKSPACE EFFECTS LAST FAULT`.

Each line on stdout is a fact about its own process, written before the next thing happens:

    opening - 0             the record is about to be opened, and made if there is none
    trying RUN SEQUENCE     a commit that ends with this event of the run begins
    stored RUN SEQUENCE     the store has acknowledged it

The tool `storm.strike` adds the id of its activity to the file EFFECTS and forces it to disk: an effect that nobody can
take back, counted outside of the record. The process kills itself at its LAST-th boundary, or lives on for ever at 0.
FAULT makes it wrong on purpose, unless it is empty: `early` says `stored` before the commit, `eager` strikes before the
intent is stored.
"""

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bearagent.system_sources import RandomIds, SystemClock
from bearagent_domain.ids import RunId
from bearagent_domain.json_values import JsonObject
from bearagent_domain.models import ModelProfile
from bearagent_domain.records import Head
from bearagent_domain.rows import Binding
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, ToolResult, ToolSpec
from bearagent_ports import Append, CallContext
from bearagent_runtime import FixedToolPolicy, Registry, RunService, RuntimeParts, StartRun
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from bearagent_testkit import ScriptedCall, ScriptedModel, ScriptedTurn
from bearagent_testkit.fake_tools import FakeTool
from bearagent_workspace_tools import workspace_tools

STRIKE = "storm.strike"


class Life:
    """Counts boundaries and ends at the last one."""

    def __init__(self, last: int) -> None:
        self._left = last

    def pass_boundary(self) -> None:
        """One more; the process may end here."""
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class TellingStore(SqliteEventStore):
    """The real store, which tells of each commit before and after it."""

    life: Life
    is_early = False

    def append(self, parts: Sequence[Append]) -> None:
        self._tell("trying", parts)
        self.life.pass_boundary()
        if self.is_early:
            self._tell("stored", parts)
            self.life.pass_boundary()
        super().append(parts)
        self.life.pass_boundary()
        self._tell("stored", parts)

    def keep_head(self, run_id: RunId, head: Head) -> bool:
        self.life.pass_boundary()
        is_kept = super().keep_head(run_id, head)
        self.life.pass_boundary()
        return is_kept

    def _tell(self, word: str, parts: Sequence[Append]) -> None:
        for part in parts:
            os.write(1, f"{word} {part.run_id} {part.events[-1].sequence}\n".encode())


class StrikingTool:
    """Strikes once per call, by the id of the activity."""

    def __init__(self, effects: Path, life: Life, *, is_eager: bool) -> None:
        self._shown = FakeTool(STRIKE, effect=Effect.WORKSPACE_WRITE)
        self._effects = effects
        self._life = life
        self._is_eager = is_eager

    @property
    def spec(self) -> ToolSpec:
        """That of a tool with an effect."""
        return self._shown.spec

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """One text."""
        return self._shown.prepare(arguments)

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """Nothing to say before."""
        if self._is_eager:
            self._strike(call)
        return Intent()

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """Strikes, with a boundary on each side."""
        self._life.pass_boundary()
        if not self._is_eager:
            self._strike(call)
        self._life.pass_boundary()
        return ToolResult(content="It is struck.")

    def _strike(self, call: CallContext) -> None:
        handle = os.open(self._effects, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, f"{call.activity_id}\n".encode())
        os.fsync(handle)
        os.close(handle)
        self._life.pass_boundary()


def script(number: str) -> tuple[ScriptedTurn, ...]:
    """One run: looks, strikes, and writes a file of its own."""
    path = f"outputs/{number}.md"
    return (
        ScriptedTurn(calls=(ScriptedCall("workspace.list", {}), ScriptedCall(STRIKE, {"text": number}))),
        ScriptedTurn(
            calls=(
                ScriptedCall("workspace.write", {"path": path, "content": f"# Run {number}\n"}),
                ScriptedCall(STRIKE, {"text": number}),
            )
        ),
        ScriptedTurn(text="Done."),
    )


def parts_of(store: TellingStore, database: Path, workspace: Path, tool: StrikingTool) -> RuntimeParts:
    ids = RandomIds()
    registry = Registry([*workspace_tools(workspace, ids.new_id), (tool, None)])
    return RuntimeParts(
        store=store,
        lease=FileRunLease(database),
        clock=SystemClock(),
        ids=ids,
        registry=registry,
        policy=FixedToolPolicy(spec.name for spec in registry.specs),
        provider=ScriptedModel(()),
    )


def main(database: Path, workspace: Path, effects: Path, last: int, fault: str) -> None:
    life = Life(last)
    TellingStore.life, TellingStore.is_early = life, fault == "early"
    tool = StrikingTool(effects, life, is_eager=fault == "eager")
    start = StartRun(
        objective="Strike, and write.",
        model=ModelProfile(provider="scripted", model="script"),
        binding=Binding(workspace=str(workspace), workspace_identity="1:2", provider="scripted", api="scripted"),
    )
    os.write(1, b"opening - 0\n")
    with closing(TellingStore.open(database)) as store:
        parts = parts_of(store, database, workspace, tool)
        for number in itertools.count():
            model = ScriptedModel(script(f"{os.getpid()}-{number}"))
            asyncio.run(RunService(replace(parts, provider=model)).start(start))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
