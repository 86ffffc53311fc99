"""A run over the real workspace tools and some that misbehave, watched from outside of the record.

What tools did is noted when they do it, beside what the store had acknowledged by then; the record is judged by that.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bearagent_domain.budgets import RunLimits
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import ActivityId, RunId
from bearagent_domain.json_values import JsonObject
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, ToolResult, ToolSpec
from bearagent_ports import (
    CallContext,
    Done,
    EventStore,
    Finding,
    NotDone,
    OutcomeUnknown,
    Policy,
    Tool,
    ToolFailed,
    Unknown,
)
from bearagent_runtime import FixedToolPolicy, stored_records
from bearagent_testkit import CountingIds, FakeTool, ScriptedModel, ScriptedTurn
from bearagent_testkit.fake_tools import Behaviour, FakeReconciler
from bearagent_workspace_tools import workspace_tools
from tests.driving import Scene
from tests.security.hostile_turns import WHOLE_TOOLSET

CANARY = "sk-canary-5ecret"
GUARD_SECONDS = 60
TIMEOUT_MS = 5
RESULT = ToolResult(content="It is there.")


@dataclass(frozen=True)
class Effected:
    """One `execute`: of which tool and activity, and whether its `activity.started` was stored before."""

    tool: str
    activity_id: ActivityId
    was_announced: bool


@dataclass
class Watch:
    """Everything that tools did, in order."""

    store: EventStore
    effects: list[Effected] = field(default_factory=list)

    def note(self, tool: str, call: CallContext) -> None:
        """A tool acts now."""
        announced = any(
            (record.event.TYPE, record.activity_id) == ("activity.started", call.activity_id)
            for record in stored_records(self.store, call.run_id)
        )
        self.effects.append(Effected(tool, call.activity_id, announced))


class WatchedTool:
    """Another tool, each `execute` of which is noted."""

    def __init__(self, tool: Tool, watch: Watch) -> None:
        self._tool = tool
        self._watch = watch

    @property
    def spec(self) -> ToolSpec:
        """That of the tool."""
        return self._tool.spec

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """That of the tool."""
        return self._tool.prepare(arguments)

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """That of the tool."""
        return await self._tool.intend(prepared, call)

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """Noted, then that of the tool."""
        self._watch.note(self.spec.name, call)
        return await self._tool.execute(prepared, call, intent)


async def does(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    return RESULT


async def fails(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    raise ToolFailed(failure(ErrorCode.PATH_NOT_FOUND, "Nothing there."))


async def leaves_a_doubt(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    raise OutcomeUnknown(failure(ErrorCode.IO_ERROR, "The disk said no."))


async def escapes(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    raise RuntimeError(f"{CANARY} in {Path(__file__).parent}")


async def cancels_itself(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    raise asyncio.CancelledError(CANARY)


async def hangs(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    await asyncio.Event().wait()
    return RESULT


async def floods(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    return ToolResult(content="x" * 300_000)


async def gives_nonsense(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    return ToolResult(content="half \ud800", facts={"nan": float("nan")})


BEHAVIOURS: tuple[Behaviour, ...] = (
    does,
    fails,
    leaves_a_doubt,
    escapes,
    cancels_itself,
    hangs,
    floods,
    gives_nonsense,
)
FINDINGS: tuple[Finding, ...] = (
    Done(result=RESULT, evidence="It is there."),
    NotDone(evidence="It is not there."),
    Unknown(evidence="Nobody can tell."),
)
ODD_READ, ODD_WRITE, FORBIDDEN = "odd.read", "odd.write", "odd.network"
TOOLSET = (*WHOLE_TOOLSET, ODD_READ, ODD_WRITE, FORBIDDEN)


@dataclass(frozen=True)
class Plan:
    """What is played: the model's turns, what the odd tools do, what is granted, what may be used."""

    turns: Sequence[ScriptedTurn]
    reads: Behaviour = does
    writes: Behaviour = does
    finding: Finding | None = None
    granted: tuple[str, ...] = TOOLSET
    limits: RunLimits | None = None


class WatchedRun:
    """One plan, played to rest over a workspace below `place`."""

    def __init__(self, plan: Plan, place: Path, store: EventStore, policy: Policy | None = None) -> None:
        self.plan, self.place, self.store = plan, place, store
        self.watch = Watch(store)
        self.model = ScriptedModel([*plan.turns, ScriptedTurn(text="Done.")])
        ids = CountingIds()
        reconciler = None if plan.finding is None else FakeReconciler(plan.finding)
        odd = (
            (FakeTool(ODD_READ, behaviour=plan.reads, timeout_ms=TIMEOUT_MS), None),
            (
                FakeTool(ODD_WRITE, effect=Effect.WORKSPACE_WRITE, behaviour=plan.writes, timeout_ms=TIMEOUT_MS),
                reconciler,
            ),
            (FakeTool(FORBIDDEN, effect=Effect.NETWORK), None),
        )
        pairs = [*workspace_tools(place / "workspace", ids.new_id), *odd]
        self.scene = Scene(
            tools=[(WatchedTool(tool, self.watch), reconciler) for tool, reconciler in pairs],
            policy=policy or FixedToolPolicy(plan.granted),
            store=store,
            ids=ids,
        )
        self.run_id = asyncio.run(self._driven())

    async def _driven(self) -> RunId:
        async with asyncio.timeout(GUARD_SECONDS):
            return await self.scene.start(self.model, limits=self.plan.limits)
