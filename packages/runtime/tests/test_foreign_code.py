"""Foreign code that raises what ends a process or a task: the run goes on, and the record says what happened."""

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Any

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import JsonObject
from bearagent_domain.models import ModelEvent, ModelRequest, TextDelta
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.profiles import Timeouts
from bearagent_domain.records import RecordedEvent
from bearagent_domain.runs import RunState, RunStatus
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, ToolResult, ToolSpec
from bearagent_domain.views import RunInspection
from bearagent_ports import CallContext, Finding, NotDone, ToolFailed
from bearagent_runtime import bounded_waits
from bearagent_testkit import FakeReconciler, FakeTool, ScriptedCall, ScriptedTurn
from tests.driving import Scene

DONE = ScriptedTurn(text="Done.")
CALL = ScriptedTurn(calls=(ScriptedCall("fake.echo", {"text": "a"}),))
ESCAPES = [SystemExit(0), asyncio.CancelledError()]
escapes = pytest.mark.parametrize("escape", ESCAPES, ids=["exit", "cancellation"])


class Raising:
    """A policy, a listener, and parts of a tool: each raises what it was given."""

    name = "raising"
    policy_hash = "0" * 64

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def decide(self, spec: ToolSpec, prepared: PreparedToolRequest) -> PolicyDecision:
        raise self._error

    def committed(self, events: Sequence[RecordedEvent], state: RunState) -> None:
        raise self._error

    async def execute(self, prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        raise self._error


def code_of_call(run: RunInspection) -> ErrorCode:
    error = run.activities[1].error
    assert error is not None
    return error.code


@escapes
def test_an_escape_from_prepare_refuses_the_call(escape: BaseException) -> None:
    class OddTool(FakeTool):
        def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
            raise escape

    run = Scene(tools=[(OddTool(), None)]).play(CALL, DONE)
    assert run.status is RunStatus.SUCCEEDED and code_of_call(run) is ErrorCode.ARGUMENTS_INVALID


@escapes
def test_an_escape_from_intend_begins_nothing(escape: BaseException) -> None:
    class OddTool(FakeTool):
        async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
            raise escape

    tool = OddTool()
    run = Scene(tools=[(tool, None)]).play(CALL, DONE)
    assert run.status is RunStatus.SUCCEEDED and code_of_call(run) is ErrorCode.TOOL_FAILED
    assert tool.executed == []


@escapes
def test_an_escape_from_a_harmless_tool_is_an_answer(escape: BaseException) -> None:
    run = Scene(tools=[(FakeTool(behaviour=Raising(escape).execute), None)]).play(CALL, DONE)
    assert run.status is RunStatus.SUCCEEDED and code_of_call(run) is ErrorCode.TOOL_FAILED


@escapes
def test_an_escape_from_an_effect_leaves_a_doubt(escape: BaseException) -> None:
    tool = FakeTool(effect=Effect.WORKSPACE_WRITE, behaviour=Raising(escape).execute)
    run = Scene(tools=[(tool, None)]).play(CALL, DONE)
    assert run.reason == "outcome_unknown" and code_of_call(run) is ErrorCode.TOOL_FAILED


@pytest.mark.parametrize("raises", [True, False])
def test_a_tool_that_is_not_asynchronous_is_an_answer(raises: bool) -> None:
    class PlainTool(FakeTool):
        def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> Any:
            if raises:
                raise RuntimeError
            return ToolResult(content="x")

    run = Scene(tools=[(PlainTool(), None)]).play(CALL, DONE)
    assert run.status is RunStatus.SUCCEEDED and code_of_call(run) is ErrorCode.TOOL_FAILED


def test_a_failure_without_words_is_a_failure() -> None:
    class Wordless(ToolFailed):
        def __init__(self) -> None:
            pass

    run = Scene(tools=[(FakeTool(behaviour=Raising(Wordless()).execute), None)]).play(CALL, DONE)
    assert run.status is RunStatus.SUCCEEDED and code_of_call(run) is ErrorCode.TOOL_FAILED


@escapes
def test_an_escape_from_a_policy_allows_nothing(escape: BaseException) -> None:
    tool = FakeTool()
    run = Scene(tools=[(tool, None)], policy=Raising(escape)).play(CALL, DONE)
    decision = run.activities[1].decision
    assert decision is not None and decision.verdict is Verdict.DENY and tool.executed == []


@escapes
def test_an_escape_from_a_reconciler_settles_nothing(escape: BaseException) -> None:
    class OddReconciler(FakeReconciler):
        async def reconcile(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> Finding:
            raise escape

    tool = FakeTool(effect=Effect.WORKSPACE_WRITE, behaviour=Raising(RuntimeError()).execute)
    run = Scene(tools=[(tool, OddReconciler())]).play(CALL, DONE)
    assert (run.status, run.reason) == (RunStatus.SUSPENDED, "outcome_unknown")
    assert run.error is not None and run.error.code is not ErrorCode.INTERRUPTED


def test_a_reconciler_that_never_answers_settles_nothing() -> None:
    class SilentReconciler(FakeReconciler):
        async def reconcile(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> Finding:
            await asyncio.Event().wait()
            raise AssertionError

    tool = FakeTool(effect=Effect.WORKSPACE_WRITE, behaviour=Raising(RuntimeError()).execute, timeout_ms=20)
    run = Scene(tools=[(tool, SilentReconciler())]).play(CALL, DONE)
    assert run.reason == "outcome_unknown"


async def stubborn(seconds: float) -> None:
    """Wait, whoever cancels it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0.02)


class StubbornTool(FakeTool):
    """Begins, and never comes to an intent."""

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        await stubborn(1.0)
        return Intent()


class StubbornReconciler(FakeReconciler):
    """Never comes to a finding."""

    async def reconcile(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> Finding:
        await stubborn(1.0)
        return NotDone(evidence="Far too late.")


class StubbornModel:
    """Never comes to an answer."""

    api = "odd"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        await stubborn(2.0)
        yield TextDelta(text="Far too late.")


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_waits, "GRACE_SECONDS", 0.1)


@pytest.mark.usefixtures("short_grace")
def test_a_tool_that_begins_without_end_is_given_up() -> None:
    tool = StubbornTool(timeout_ms=20)
    run = Scene(tools=[(tool, None)]).play(CALL, DONE)
    assert run.status is RunStatus.SUCCEEDED and code_of_call(run) is ErrorCode.TOOL_TIMEOUT
    assert tool.executed == []


@pytest.mark.usefixtures("short_grace")
def test_a_reconciler_that_takes_no_cancellation_settles_nothing() -> None:
    tool = FakeTool(effect=Effect.WORKSPACE_WRITE, behaviour=Raising(RuntimeError()).execute, timeout_ms=20)
    run = Scene(tools=[(tool, StubbornReconciler())]).play(CALL, DONE)
    assert run.reason == "outcome_unknown"


@pytest.mark.usefixtures("short_grace")
def test_a_model_that_takes_no_cancellation_is_given_up() -> None:
    scene = Scene()
    run = scene.inspect(asyncio.run(scene.start(StubbornModel(), timeouts=Timeouts(model_total=1))))
    assert run.error is not None and run.error.code is ErrorCode.MODEL_TIMEOUT


@escapes
def test_an_escape_from_a_provider_fails_the_run(escape: BaseException) -> None:
    class OddModel:
        api = "odd"

        async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
            yield TextDelta(text="x")
            raise escape

    scene = Scene()
    run = scene.inspect(asyncio.run(scene.start(OddModel())))
    assert run.error is not None and run.error.code is ErrorCode.PROVIDER_ERROR


@escapes
def test_an_escape_from_a_listener_stops_no_run(escape: BaseException) -> None:
    assert Scene(listeners=(Raising(escape),)).play(DONE).status is RunStatus.SUCCEEDED
