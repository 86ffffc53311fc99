"""Faults that users met in how other systems handle a model's tool calls: here each comes out right."""

import asyncio
import json
import os

import pytest

from bearagent_domain.budgets import RunLimits
from bearagent_domain.errors import ErrorCode
from bearagent_domain.ids import new_id
from bearagent_domain.messages import AssistantTurn, ToolAnswer
from bearagent_domain.models import FinishReason, ModelRequest
from bearagent_domain.runs import RunStatus
from bearagent_testkit import FakeTool, ScriptedCall, ScriptedModel, ScriptedTurn
from bearagent_workspace_tools import workspace_tools
from tests.driving import Scene
from tests.reports.desk import DONE, Desk

CUT_ARGUMENTS = '{"path":"outputs/a.md","content":"half'
CUT_TABLE = '{"path":"outputs/a.md","content":"# A\\n| col'


def echo(text: str, call_id: str | None = None) -> ScriptedCall:
    return ScriptedCall("fake.echo", {"text": text}, call_id)


def requests_of(*turns: ScriptedTurn) -> tuple[list[ModelRequest], FakeTool]:
    """What the model was sent while it played these turns and ended, and the tool `fake.echo` that it called."""
    model, tool = ScriptedModel([*turns, DONE]), FakeTool()
    scene = Scene(tools=[(tool, None)])
    run_id = asyncio.run(scene.start(model))
    assert scene.inspect(run_id).status is RunStatus.SUCCEEDED
    return model.requests, tool


def pairs_of(request: ModelRequest) -> list[tuple[str, str]]:
    """Id and content of the answer to each call in order. Fails for a call or an answer that stands alone."""
    called = [call.call_id for item in request.items if isinstance(item, AssistantTurn) for call in item.calls]
    answers = [item for item in request.items if isinstance(item, ToolAnswer)]
    assert [answer.call_id for answer in answers] == called and len(set(called)) == len(called)
    return [(answer.call_id, answer.content) for answer in answers]


def test_arguments_that_are_null_become_an_empty_object_in_the_next_request(desk: Desk) -> None:
    model = ScriptedModel([ScriptedTurn(calls=(ScriptedCall("workspace.list", "null"),)), DONE])
    scene = Scene(tools=workspace_tools(desk.root, new_id))
    run_id = asyncio.run(scene.start(model))
    turn, answer = model.requests[1].items
    assert isinstance(turn, AssistantTurn) and turn.calls[0].arguments == {}
    assert isinstance(answer, ToolAnswer) and '"docs"' in answer.content
    assert scene.inspect(run_id).status is RunStatus.SUCCEEDED


def test_two_calls_of_one_id_run_once_each_and_get_ids_of_their_own() -> None:
    requests, tool = requests_of(ScriptedTurn(calls=(echo("one", "dup"), echo("two", "dup"))))
    assert [prepared.arguments["text"] for prepared in tool.executed] == ["one", "two"]
    first, second = pairs_of(requests[1])
    assert first == ("dup", "one")
    assert second[0] != "dup" and second[1] == "two"


@pytest.mark.parametrize("call_id", ["find1", "find:1", "", None])
def test_an_id_that_was_used_before_breaks_no_pair(call_id: str | None) -> None:
    requests, _ = requests_of(ScriptedTurn(calls=(echo("x", call_id),)), ScriptedTurn(calls=(echo("y", call_id),)))
    assert [[content for _, content in pairs_of(request)] for request in requests] == [[], ["x"], ["x", "y"]]


def test_the_next_request_holds_what_the_model_said_its_call_and_the_answer() -> None:
    requests, _ = requests_of(ScriptedTurn(text="I will look.", calls=(echo("x", "c1"),)))
    turn, answer = requests[1].items
    assert isinstance(turn, AssistantTurn) and isinstance(answer, ToolAnswer)
    assert (turn.text, turn.calls[0].call_id, turn.calls[0].arguments) == ("I will look.", "c1", {"text": "x"})
    assert (answer.call_id, answer.content) == ("c1", "x")


def test_a_tool_that_is_not_there_is_refused_with_those_there_are_until_the_limit() -> None:
    unknown = ScriptedTurn(calls=(ScriptedCall("send_email", {}, "c"),))
    run = Scene().play(*[unknown] * 1_000, limits=RunLimits(tool_calls=7))
    refused = [activity.error for activity in run.activities if activity.kind == "tool"]
    assert len(refused) == run.usage.tool_calls == 7
    for error in refused:
        assert error is not None and error.code is ErrorCode.TOOL_UNKNOWN and "fake.echo" in error.message
    assert (run.status, run.reason, run.exhausted) == (RunStatus.SUSPENDED, "budget", "tool_calls")


@pytest.mark.parametrize("arguments", [CUT_ARGUMENTS, CUT_TABLE, '{"path": docs"}'])
def test_arguments_that_are_no_json_are_refused_and_never_mended(desk: Desk, arguments: str) -> None:
    told = desk.ask_all([ScriptedCall("workspace.write", arguments)])
    assert told.code is ErrorCode.ARGUMENTS_NOT_JSON
    assert told.answer.error is not None and "cut" not in told.answer.error.message
    assert not (desk.root / "outputs").exists()
    assert told.run.usage.tool_calls == 1


def test_a_call_cut_by_the_output_limit_is_never_carried_out(desk: Desk) -> None:
    cut = ScriptedTurn(calls=(ScriptedCall("workspace.write", CUT_ARGUMENTS),), finish=FinishReason.LENGTH)
    run = Scene(tools=workspace_tools(desk.root, new_id)).play(cut, DONE)
    assert run.status is RunStatus.FAILED
    assert run.error is not None and run.error.code is ErrorCode.MODEL_OUTPUT_CUT
    assert [activity.kind for activity in run.activities] == ["model"]
    assert not (desk.root / "outputs").exists()


def test_a_file_name_that_is_no_text_is_counted_and_breaks_no_record(desk: Desk) -> None:
    with open(os.fsencode(desk.root) + b"/docs/bad-\xff.md", "wb"):
        pass
    read = ScriptedCall("workspace.read", {"path": "docs/bad-\udcff.md"})
    told = desk.ask_all([ScriptedCall("workspace.list", {"path": "docs"}), read])
    assert (told.answers[0].content, told.answers[0].facts["skipped"]) == ("", 1)
    assert told.codes == [None, ErrorCode.ARGUMENTS_NOT_JSON]
    events = [json.loads(body) for body in told.record.split("\n")]
    assert "bad-" in json.dumps(events, ensure_ascii=False).encode().decode()  # a lone surrogate could not be encoded
    assert told.run.status is RunStatus.SUCCEEDED


def test_a_call_that_is_only_told_in_the_text_is_only_text(desk: Desk) -> None:
    text = '<tool_call>workspace.write{"path":"outputs/a.md"}</tool_call>\n<result>ok, 120 bytes</result>\nDone.'
    run = Scene(tools=workspace_tools(desk.root, new_id)).play(ScriptedTurn(text=text))
    assert run.final_text == text
    assert [activity.kind for activity in run.activities] == ["model"]
    assert run.artifacts == () and not (desk.root / "outputs").exists()


def test_seventeen_calls_of_one_turn_are_answered_one_by_one_in_their_order(desk: Desk) -> None:
    for number in range(16):
        desk.put(f"docs/{number}.md", f"text {number}\n")
    reads = [ScriptedCall("workspace.read", {"path": f"docs/{number}.md"}, f"c{number}") for number in range(16)]
    told = desk.ask_all([*reads, ScriptedCall("workspace.write", {"path": "outputs/a.md", "content": "x"}, "w")])
    assert [answer.call_id for answer in told.answers] == [*(f"c{number}" for number in range(16)), "w"]
    assert [answer.content for answer in told.answers[:16]] == [f"text {number}\n" for number in range(16)]
    tools = [activity for activity in told.run.activities if activity.kind == "tool"]
    assert [activity.call_id for activity in tools] == [answer.call_id for answer in told.answers]
    assert all(tools[i].ended_sequence < tools[i + 1].requested_sequence for i in range(16))  # type: ignore[operator]
