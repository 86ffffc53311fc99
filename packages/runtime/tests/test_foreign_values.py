"""What foreign code constructs past its own types is caught at the border: no such value reaches the log."""

import json

import msgspec
import pytest

from bearagent_domain.artifacts import Artifact
from bearagent_domain.errors import ErrorCode, ErrorInfo
from bearagent_domain.ids import ArtifactId
from bearagent_domain.json_values import JsonObject
from bearagent_domain.models import Finished, FinishReason, ModelEvent, TextDelta, UsageReported
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.runs import RunStatus
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, Resource, ToolResult, ToolSpec
from bearagent_domain.views import RunInspection
from bearagent_ports import CallContext, Done, OutcomeUnknown, ToolFailed
from bearagent_testkit import FakeReconciler, FakeTool, ScriptedCall, ScriptedTurn
from tests.driving import Scene

DONE = ScriptedTurn(text="Done.")
BAD_ERROR = ErrorInfo(ErrorCode.TOOL_FAILED, "a\0b" + "x" * 9_000)
BAD_ARTIFACT = Artifact(artifact_id=ArtifactId("no id"), path="", size=-1, sha256="short")


class WideTool(FakeTool):
    """Prepares a resource whose name is too long for any log."""

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        prepared = super().prepare(arguments)
        resource = Resource(kind="file", access="write", name="x" * 5_000)
        return msgspec.structs.replace(prepared, resources=(resource,))


def play(tool: FakeTool, scene: Scene | None = None) -> RunInspection:
    scene = scene or Scene(tools=[(tool, None)])
    run = scene.play(ScriptedTurn(calls=(ScriptedCall(tool.spec.name, {"text": "a"}),)), DONE)
    assert len(scene.records(run.run_id)) == run.last_sequence, "every record must read back"
    return run


def test_a_prepared_request_out_of_bounds_is_refused() -> None:
    run = play(WideTool())
    assert run.activities[1].error is not None and run.activities[1].error.code is ErrorCode.ARGUMENTS_INVALID


def test_an_intent_out_of_bounds_begins_nothing() -> None:
    tool = FakeTool(effect=Effect.WORKSPACE_WRITE, intent=Intent(path="", size=-1))
    run = play(tool)
    assert run.activities[1].error is not None and run.activities[1].error.code is ErrorCode.TOOL_FAILED
    assert tool.executed == []


@pytest.mark.parametrize("effect", [Effect.NONE, Effect.WORKSPACE_WRITE])
def test_a_result_out_of_bounds_is_an_error_or_a_doubt(effect: Effect) -> None:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        return ToolResult(content="x", artifact=BAD_ARTIFACT)

    run = play(FakeTool(effect=effect, behaviour=behaviour))
    assert run.artifacts == ()
    assert run.status is (RunStatus.SUCCEEDED if effect is Effect.NONE else RunStatus.SUSPENDED)


@pytest.mark.parametrize("facts", [{"deep": json.loads("[" * 28 + "]" * 28)}, {"wide": [0] * 9_500}])
def test_facts_that_an_event_has_no_room_for_are_an_error(facts: JsonObject) -> None:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        return ToolResult(content="x", facts=facts)

    run = play(FakeTool(behaviour=behaviour))
    assert run.activities[1].error is not None and run.activities[1].error.code is ErrorCode.TOOL_RESULT_INVALID


@pytest.mark.parametrize("error", [ToolFailed(BAD_ERROR), OutcomeUnknown(BAD_ERROR)])
def test_words_that_cant_be_stored_are_replaced(error: Exception) -> None:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        raise error

    run = play(FakeTool(effect=Effect.WORKSPACE_WRITE, behaviour=behaviour))
    found = run.activities[1].error
    assert found is not None and "\0" not in found.message and len(found.message) < 500


@pytest.mark.parametrize("value", [None, {}, ToolResult(content="x")])
def test_an_intent_of_another_type_begins_nothing(value: object) -> None:
    class OddTool(FakeTool):
        async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
            return value  # type: ignore[return-value]

    tool = OddTool()
    run = play(tool)
    assert run.activities[1].error is not None and run.activities[1].error.code is ErrorCode.TOOL_FAILED
    assert tool.executed == []


@pytest.mark.parametrize("value", [None, {}, Intent()])
def test_a_prepared_request_of_another_type_is_refused(value: object) -> None:
    class OddTool(FakeTool):
        def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
            return value  # type: ignore[return-value]

    run = play(OddTool())
    assert run.activities[1].error is not None and run.activities[1].error.code is ErrorCode.ARGUMENTS_INVALID


def test_a_result_of_a_subclass_is_kept_as_a_result() -> None:
    class OwnResult(ToolResult, frozen=True, kw_only=True):
        pass

    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        return OwnResult(content="x")

    assert play(FakeTool(behaviour=behaviour)).activities[1].error is None


@pytest.mark.parametrize("effect", [Effect.NONE, Effect.WORKSPACE_WRITE])
def test_a_file_that_was_not_announced_is_not_claimed(effect: Effect) -> None:
    claimed = Artifact(
        artifact_id=ArtifactId("0" * 8 + "-0000-4000-8000-" + "0" * 12), path="a", size=1, sha256="0" * 64
    )

    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        return ToolResult(content="x", artifact=claimed)

    run = play(FakeTool(effect=effect, behaviour=behaviour))
    assert run.artifacts == ()
    assert run.activities[1].error is not None and run.activities[1].error.code is ErrorCode.TOOL_RESULT_INVALID


@pytest.mark.parametrize(
    "finding",
    [None, "done", Done(result=ToolResult(content="x" * 2_000), evidence="It is there.")],
    ids=["none", "text", "a result too large"],
)
def test_a_finding_that_is_none_settles_nothing(finding: object) -> None:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        raise RuntimeError

    tool = FakeTool(effect=Effect.WORKSPACE_WRITE, behaviour=behaviour, result_bytes_max=1_000)
    reconciler = FakeReconciler()
    reconciler._finding = finding  # type: ignore[assignment]
    run = play(tool, Scene(tools=[(tool, reconciler)]))
    assert run.status is RunStatus.SUSPENDED and run.reason == "outcome_unknown"


def test_evidence_out_of_bounds_settles_nothing() -> None:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        raise RuntimeError

    tool = FakeTool(effect=Effect.WORKSPACE_WRITE, behaviour=behaviour)
    finding = Done(result=ToolResult(content="x", artifact=BAD_ARTIFACT), evidence="")
    run = play(tool, Scene(tools=[(tool, FakeReconciler(finding))]))
    assert run.status is RunStatus.SUSPENDED and run.reason == "outcome_unknown"


class BadPolicy:
    """Raises, or says what can't be stored."""

    name = "bad"
    policy_hash = "0" * 64

    def __init__(self, raises: bool) -> None:
        self._raises = raises

    def decide(self, spec: ToolSpec, prepared: PreparedToolRequest) -> PolicyDecision:
        if self._raises:
            raise RuntimeError
        return PolicyDecision(verdict=Verdict.ALLOW, rule="Not A Name", reason="")


@pytest.mark.parametrize("raises", [True, False])
def test_a_policy_that_fails_allows_nothing(raises: bool) -> None:
    tool = FakeTool()
    run = play(tool, Scene(tools=[(tool, None)], policy=BadPolicy(raises)))
    decision = run.activities[1].decision
    assert decision is not None and decision.verdict is Verdict.DENY and decision.rule == "policy_failed"
    assert tool.executed == []


@pytest.mark.parametrize("request_id", ["two\nlines", "", "x" * 500])
def test_a_request_id_that_is_no_line_is_left_out(request_id: str) -> None:
    events = (TextDelta(text="hi"), Finished(reason=FinishReason.STOP, provider_request_id=request_id))
    assert Scene().play(ScriptedTurn(events=events)).status is RunStatus.SUCCEEDED


@pytest.mark.parametrize(
    "event",
    [
        UsageReported(input_tokens=-1, output_tokens=0),
        UsageReported(input_tokens=2**60, output_tokens=0),
        UsageReported(input_tokens=True, output_tokens=0),
        Finished(reason="banana"),  # type: ignore[arg-type]
        TextDelta(text=7),  # type: ignore[arg-type]
    ],
)
def test_a_stream_out_of_bounds_fails_the_run(event: ModelEvent) -> None:
    run = Scene().play(ScriptedTurn(events=(TextDelta(text="hi"), event, Finished(reason=FinishReason.STOP))))
    assert run.status is RunStatus.FAILED
    assert run.error is not None and run.error.code is ErrorCode.PROVIDER_PROTOCOL


def test_of_several_reports_each_part_counts_as_the_largest() -> None:
    reports = [(5, 9), (70, None), (None, 2), (1, 2)]
    events = [UsageReported(input_tokens=given, output_tokens=made) for given, made in reports]
    turn = ScriptedTurn(events=(TextDelta(text="hi"), *events[:2], Finished(reason=FinishReason.STOP), *events[2:]))
    usage = Scene().play(turn).usage
    assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (70, 9, False)
