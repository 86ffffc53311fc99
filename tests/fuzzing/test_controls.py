"""Controls: each invariant is broken on purpose, by a part that is wrong in just that way, and must be noticed."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.messages import ToolAnswer
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.rows import Rows
from bearagent_domain.runs import RunStatus
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolResult, ToolSpec
from bearagent_ports import Append, CallContext, EventStore, ProviderFailed
from bearagent_runtime import FixedToolPolicy
from bearagent_testkit import MemoryEventStore, ScriptedCall, ScriptedTurn
from tests.fuzzing.invariants import SECRET, Ground, broken_invariants
from tests.fuzzing.watched import CANARY, FORBIDDEN, ODD_READ, ODD_WRITE, Plan, Watch, WatchedRun, WatchedTool, does

replace = msgspec.structs.replace
ONE_CALL = (ScriptedTurn(calls=(ScriptedCall(ODD_READ, {"text": "x"}),)),)
ONE_WRITE = (ScriptedTurn(calls=(ScriptedCall(ODD_WRITE, {"text": "x"}),)),)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


def broken(ground: Ground, plan: Plan, store: EventStore | None = None, **parts: FixedToolPolicy) -> list[str]:
    return broken_invariants(WatchedRun(plan, ground.place, store or MemoryEventStore(), **parts), ground)


def test_a_run_of_right_parts_breaks_none(ground: Ground) -> None:
    assert broken(ground, Plan(ONE_CALL + ONE_WRITE)) == []


def test_rows_that_lie_are_noticed(ground: Ground) -> None:
    class LyingStore(MemoryEventStore):
        def rows(self, run_id: RunId) -> Rows:
            rows = super().rows(run_id)
            return replace(rows, run=replace(rows.run, status=RunStatus.FAILED))

    assert broken(ground, Plan(ONE_CALL), LyingStore()) == ["the log folds, and rows follow from it"]


def test_an_end_that_is_lost_is_noticed(ground: Ground) -> None:
    class ForgetfulStore(MemoryEventStore):
        def append(self, parts: Sequence[Append]) -> None:
            if parts[0].events[-1].event.TYPE != "run.succeeded":
                super().append(parts)

    assert "the chain holds" in broken(ground, Plan(ONE_CALL), ForgetfulStore())


def test_an_effect_before_its_start_is_noticed(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    async def intend(self: WatchedTool, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        self._watch.note(self.spec.name, call)
        return Intent()

    monkeypatch.setattr(WatchedTool, "intend", intend)
    assert broken(ground, Plan(ONE_CALL)) == ["no effect without its start"]


def test_an_effect_that_happens_twice_is_noticed(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    note = Watch.note

    def twice(self: Watch, tool: str, call: CallContext) -> None:
        note(self, tool, call)
        note(self, tool, call)

    monkeypatch.setattr(Watch, "note", twice)
    assert broken(ground, Plan(ONE_CALL)) == ["no effect without its start"]


class AllowsAll(FixedToolPolicy):
    """What an empty policy would be."""

    def decide(self, spec: ToolSpec, prepared: PreparedToolRequest) -> PolicyDecision:
        return PolicyDecision(verdict=Verdict.ALLOW, rule="all", reason="All is allowed.")


@pytest.mark.parametrize("name", [ODD_READ, FORBIDDEN])
def test_an_effect_that_was_not_granted_is_noticed(ground: Ground, name: str) -> None:
    granted = (FORBIDDEN,) if name == FORBIDDEN else ()
    plan = Plan((ScriptedTurn(calls=(ScriptedCall(name, {"text": "x"}),)),), granted=granted)
    assert broken(ground, plan, policy=AllowsAll(())) == ["no effect that was not granted"]


def test_a_tool_that_writes_elsewhere_is_noticed(ground: Ground) -> None:
    async def writes_elsewhere(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        (ground.place / "workspace/b.md").write_text("mine")
        return await does(prepared, call)

    assert broken(ground, Plan(ONE_WRITE, writes=writes_elsewhere)) == ["no effect that was not granted"]


def test_a_call_without_an_answer_is_noticed(ground: Ground) -> None:
    run = WatchedRun(Plan(ONE_CALL), ground.place, MemoryEventStore())
    (answer,) = (item for item in run.model.requests[-1].items if isinstance(item, ToolAnswer))
    items = tuple(item for item in run.model.requests[-1].items if item is not answer)
    run.model.requests[-1] = replace(run.model.requests[-1], items=items)
    assert broken_invariants(run, ground) == ["every call has one answer"]


def speaks(words: str) -> Callable[[PreparedToolRequest, CallContext], object]:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        return ToolResult(content=words)

    return behaviour


@pytest.mark.parametrize("secret", [SECRET, CANARY])
def test_a_secret_in_a_result_is_noticed(ground: Ground, secret: str) -> None:
    assert broken(ground, Plan(ONE_CALL, reads=speaks(secret))) == ["no secret and no host path"]  # type: ignore[arg-type]


def test_a_host_path_and_a_key_in_an_error_are_noticed(ground: Ground) -> None:
    for words in (f"in {ground.place}", f"with {CANARY}"):
        error = ProviderFailed(failure(ErrorCode.PROVIDER_ERROR, words))
        assert broken(ground, Plan((ScriptedTurn(error=error),))) == ["no secret and no host path"]
