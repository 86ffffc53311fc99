"""The loop over fakes: what is recorded, in which order, and how each run comes to its end or to rest."""

import asyncio

import pytest

from bearagent_domain.budgets import RunLimits
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.events import RunSuspended
from bearagent_domain.ids import RunId
from bearagent_domain.models import FinishReason
from bearagent_domain.prices import ModelRate
from bearagent_domain.runs import ActivityStatus, RunStatus
from bearagent_domain.tools import Effect, PreparedToolRequest, ToolResult
from bearagent_ports import CallContext, Done, NotDone, OutcomeUnknown, ProviderFailed, ToolFailed
from bearagent_testkit import FakeReconciler, FakeTool, ScriptedCall, ScriptedModel, ScriptedTurn
from tests.driving import Scene

ECHO = ScriptedCall("fake.echo", {"text": "hello"})
DONE = ScriptedTurn(text="It is done.")


def test_a_plain_answer_ends_the_run_with_success() -> None:
    scene = Scene()
    run = scene.play(DONE)
    assert run.status is RunStatus.SUCCEEDED
    assert run.final_text == "It is done."
    assert scene.types(run.run_id) == [
        "run.created",
        "run.started",
        "activity.requested",
        "activity.started",
        "activity.completed",
        "run.succeeded",
    ]


def test_a_tool_call_is_requested_decided_started_and_answered() -> None:
    tool = FakeTool()
    scene = Scene(tools=[(tool, None)])
    run = scene.play(ScriptedTurn(calls=(ECHO,)), DONE)
    assert scene.types(run.run_id)[5:9] == [
        "activity.requested",
        "policy.decided",
        "activity.started",
        "activity.completed",
    ]
    assert [request.arguments for request in tool.executed] == [{"text": "hello"}]
    tool_view = run.activities[1]
    assert tool_view.decision is not None and tool_view.decision.rule == "allowed_tool"
    assert tool_view.status is ActivityStatus.COMPLETED
    assert run.usage.tool_calls == 1 and run.usage.model_calls == 2
    assert run.usage.input_tokens == 20 and run.usage.output_tokens == 10


def test_calls_of_one_turn_are_answered_in_order_and_the_model_reads_every_answer() -> None:
    scene = Scene()
    calls = tuple(ScriptedCall("fake.echo", {"text": str(number)}) for number in range(5))
    model = ScriptedModel([ScriptedTurn(calls=calls), DONE])
    asyncio.run(scene.start(model))
    answers = model.requests[1].items[1:]
    assert [getattr(answer, "content", None) for answer in answers] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (ScriptedCall("fake.unknown", {}), ErrorCode.TOOL_UNKNOWN),
        (ScriptedCall("fake.echo", "{"), ErrorCode.ARGUMENTS_NOT_JSON),
        (ScriptedCall("fake.echo", ""), ErrorCode.ARGUMENTS_NOT_JSON),
        (ScriptedCall("fake.echo", "[1]"), ErrorCode.ARGUMENTS_NOT_OBJECT),
        (ScriptedCall("fake.echo", '{"text": "a", "text": "b"}'), ErrorCode.ARGUMENTS_DUPLICATE_KEY),
        (ScriptedCall("fake.echo", {"text": 1}), ErrorCode.ARGUMENTS_INVALID),
        (ScriptedCall("fake\x00", {}), ErrorCode.TOOL_NAME_INVALID),
    ],
)
def test_a_call_that_cant_be_used_is_answered_with_why_and_touches_nothing(call: ScriptedCall, code: ErrorCode) -> None:
    tool = FakeTool()
    scene = Scene(tools=[(tool, None)])
    model = ScriptedModel([ScriptedTurn(calls=(call,)), DONE])
    run = scene.inspect(asyncio.run(scene.start(model)))
    assert run.status is RunStatus.SUCCEEDED
    assert run.activities[1].error is not None and run.activities[1].error.code is code
    assert run.activities[1].decision is None
    answer = model.requests[1].items[1]
    assert getattr(answer, "error", None) == run.activities[1].error
    assert tool.executed == []


def test_a_denied_call_is_recorded_with_its_rule_and_never_runs() -> None:
    upload = FakeTool("fake.upload", effect=Effect.NETWORK)
    scene = Scene(tools=[(FakeTool(), None), (upload, None)])
    run = scene.play(ScriptedTurn(calls=(ScriptedCall("fake.upload", {"text": "secrets"}),)), DONE)
    view = run.activities[1]
    assert view.decision is not None and view.decision.verdict == "deny" and view.decision.rule == "effect_refused"
    assert view.error is not None and view.error.code is ErrorCode.TOOL_EFFECT_REFUSED
    assert upload.executed == []
    assert run.status is RunStatus.SUCCEEDED


@pytest.mark.parametrize(
    ("limits", "limit", "last_types"),
    [
        (RunLimits(model_calls=1), "model_calls", ["budget.exhausted", "run.suspended"]),
        (RunLimits(tool_calls=0), "tool_calls", ["budget.exhausted", "run.suspended"]),
        (RunLimits(input_tokens=1), "input_tokens", ["budget.exhausted", "run.suspended"]),
        (RunLimits(output_tokens=5_000), "output_tokens", ["budget.exhausted", "run.suspended"]),
    ],
)
def test_an_exhausted_limit_suspends_before_the_activity(limits: RunLimits, limit: str, last_types: list[str]) -> None:
    scene = Scene()
    run = scene.play(ScriptedTurn(calls=(ECHO,), usage=(100, 1_000)), DONE, limits=limits)
    assert run.status is RunStatus.SUSPENDED and run.reason == "budget"
    assert run.exhausted == limit
    assert run.error is not None and run.error.details["limit"] == limit
    assert scene.types(run.run_id)[-2:] == last_types


def test_a_cost_limit_holds_what_a_call_may_cost() -> None:
    rate = ModelRate(
        model="script", input_micro_usd=1_000_000, output_micro_usd=2_000_000, source="test", date="2026-01-01"
    )
    scene = Scene(rate=rate)
    run = scene.play(DONE, limits=RunLimits(cost_micro_usd=100))
    assert run.reason == "budget" and run.exhausted == "cost_micro_usd"
    rich = scene.play(DONE, limits=RunLimits(cost_micro_usd=1_000_000))
    assert rich.status is RunStatus.SUCCEEDED and rich.usage.cost_micro_usd == 20


def test_usage_that_nobody_reports_counts_what_was_held() -> None:
    run = Scene().play(ScriptedTurn(text="done", usage=None))
    assert run.usage.estimated
    assert run.usage.output_tokens == 4_096 and run.usage.input_tokens > 0


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (ScriptedTurn(text="half", finish=FinishReason.LENGTH), ErrorCode.MODEL_OUTPUT_CUT),
        (ScriptedTurn(calls=(ECHO,), finish=FinishReason.LENGTH), ErrorCode.MODEL_OUTPUT_CUT),
        (ScriptedTurn(text="no", finish=FinishReason.CONTENT_FILTER), ErrorCode.MODEL_REFUSED),
        (ScriptedTurn(), ErrorCode.MODEL_EMPTY_RESPONSE),
        (ScriptedTurn(text="  \n"), ErrorCode.MODEL_EMPTY_RESPONSE),
        (ScriptedTurn(calls=(ECHO,) * 65), ErrorCode.TOO_MANY_TOOL_CALLS),
        (ScriptedTurn(text="x", finish=FinishReason.TOOL_CALLS), ErrorCode.PROVIDER_PROTOCOL),
        (ScriptedTurn(events=()), ErrorCode.STREAM_INCOMPLETE),
        (ScriptedTurn(error=ValueError("sk-secret")), ErrorCode.PROVIDER_ERROR),
    ],
)
def test_an_answer_that_cant_be_used_fails_the_run_with_a_stable_code(turn: ScriptedTurn, code: ErrorCode) -> None:
    tool = FakeTool()
    run = Scene(tools=[(tool, None)]).play(turn)
    assert run.status is RunStatus.FAILED
    assert run.error is not None and run.error.code is code
    assert "sk-secret" not in run.error.message
    assert tool.executed == []


def test_a_provider_that_may_recover_suspends_the_run() -> None:
    error = ProviderFailed(failure(ErrorCode.PROVIDER_UNAVAILABLE, "It is down.", retryable=True))
    run = Scene().play(ScriptedTurn(error=error))
    assert run.status is RunStatus.SUSPENDED and run.reason == "provider_unavailable"
    assert run.usage.estimated and run.usage.model_calls == 1


def _fails(error: Exception) -> FakeTool:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        raise error

    return FakeTool("fake.write", effect=Effect.WORKSPACE_WRITE, behaviour=behaviour)


WRITE = ScriptedTurn(calls=(ScriptedCall("fake.write", {"text": "a.md"}),))
UNKNOWN = OutcomeUnknown(failure(ErrorCode.IO_ERROR, "The disk said no."))


def test_a_tool_that_fails_without_effect_is_an_answer() -> None:
    tool = _fails(ToolFailed(failure(ErrorCode.PATH_NOT_FOUND, "There is no such folder.")))
    run = Scene(tools=[(tool, None)]).play(WRITE, DONE)
    assert run.status is RunStatus.SUCCEEDED
    assert run.activities[1].status is ActivityStatus.FAILED


@pytest.mark.parametrize("error", [UNKNOWN, RuntimeError("boom")])
def test_a_doubt_that_nobody_settles_suspends_and_is_never_called_a_failure(error: Exception) -> None:
    scene = Scene(tools=[(_fails(error), FakeReconciler())])
    run = scene.play(WRITE, DONE)
    assert run.status is RunStatus.SUSPENDED and run.reason == "outcome_unknown"
    assert run.activities[1].status is ActivityStatus.OUTCOME_UNKNOWN
    assert run.artifacts == ()
    suspended = scene.events(run.run_id)[-1]
    assert isinstance(suspended, RunSuspended) and suspended.error is not None


def test_a_doubt_is_settled_at_once_by_evidence() -> None:
    done = FakeReconciler(Done(result=ToolResult(content="written"), evidence="the file is there"))
    run = Scene(tools=[(_fails(UNKNOWN), done)]).play(WRITE, DONE)
    assert run.status is RunStatus.SUCCEEDED
    assert run.activities[1].status is ActivityStatus.COMPLETED
    not_done = FakeReconciler(NotDone(evidence="the file is as before"))
    run = Scene(tools=[(_fails(UNKNOWN), not_done)]).play(WRITE, DONE)
    assert run.status is RunStatus.SUCCEEDED
    assert run.activities[1].status is ActivityStatus.FAILED
    assert not_done.asked == 1


def test_a_harmless_tool_that_breaks_is_an_answer() -> None:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        raise RuntimeError("/home/user/secret")

    tool = FakeTool(behaviour=behaviour)
    run = Scene(tools=[(tool, None)]).play(ScriptedTurn(calls=(ECHO,)), DONE)
    error = run.activities[1].error
    assert run.status is RunStatus.SUCCEEDED
    assert error is not None and error.code is ErrorCode.TOOL_FAILED and "/home" not in error.message


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (ToolResult(content="x" * 300_000), ErrorCode.TOOL_RESULT_TOO_LARGE),
        (ToolResult(content="a\0b"), ErrorCode.TOOL_RESULT_INVALID),
        (ToolResult(content="x", facts={"number": float("nan")}), ErrorCode.TOOL_RESULT_INVALID),
    ],
)
def test_a_result_that_cant_be_stored_is_an_error(result: ToolResult, code: ErrorCode) -> None:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        return result

    run = Scene(tools=[(FakeTool(behaviour=behaviour), None)]).play(ScriptedTurn(calls=(ECHO,)), DONE)
    error = run.activities[1].error
    assert error is not None and error.code is code


def test_an_interrupted_model_call_is_cancelled_and_the_run_suspended() -> None:
    scene = Scene()

    async def interrupted() -> RunId:
        model = ScriptedModel([ScriptedTurn(text="x", hangs=True)])
        task = asyncio.create_task(scene.start(model))
        while not model.requests:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return scene.store.runs().runs[0].run_id

    run = scene.inspect(asyncio.run(interrupted()))
    assert run.status is RunStatus.SUSPENDED and run.reason == "interrupted"
    assert run.activities[0].status is ActivityStatus.CANCELLED
    assert run.usage.estimated, "nobody knows what a cancelled call used"


def test_an_interrupted_write_is_in_doubt_until_evidence_settles_it() -> None:
    for finding, status in ((None, "outcome_unknown"), (NotDone(evidence="as before"), "interrupted")):

        async def hang(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
            await asyncio.Event().wait()
            raise AssertionError

        tool = FakeTool("fake.write", effect=Effect.WORKSPACE_WRITE, behaviour=hang)
        scene = Scene(tools=[(tool, FakeReconciler(finding))])

        async def interrupted(scene: Scene = scene, tool: FakeTool = tool) -> None:
            task = asyncio.create_task(scene.start(ScriptedModel([WRITE, DONE])))
            while not tool.executed:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(interrupted())
        run = scene.inspect(scene.store.runs().runs[0].run_id)
        assert run.status is RunStatus.SUSPENDED and run.reason == status


def test_a_slow_tool_is_stopped_at_its_deadline() -> None:
    async def hang(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        await asyncio.sleep(60)
        raise AssertionError

    tool = FakeTool("fake.write", effect=Effect.WORKSPACE_WRITE, behaviour=hang, timeout_ms=20)
    run = Scene(tools=[(tool, FakeReconciler(NotDone(evidence="as before")))]).play(
        ScriptedTurn(calls=(ScriptedCall("fake.write", {"text": "x"}),)), DONE
    )
    assert run.status is RunStatus.SUCCEEDED
    error = run.activities[1].error
    assert error is not None and error.code is ErrorCode.TOOL_TIMEOUT
