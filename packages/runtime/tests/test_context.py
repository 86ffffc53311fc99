"""The context builder: what is left out is left out whole, what is cut says so, and the manifest tells both."""

import asyncio

from bearagent_domain.errors import ErrorCode
from bearagent_domain.events import ActivityRequested, ModelWork
from bearagent_domain.messages import AssistantTurn, ToolAnswer
from bearagent_domain.models import ModelRequest, RequestManifest
from bearagent_domain.runs import RunStatus
from bearagent_domain.tools import PreparedToolRequest, ToolResult
from bearagent_ports import CallContext
from bearagent_testkit import FakeTool, ScriptedCall, ScriptedModel, ScriptedTurn
from tests.driving import Scene

LOOK = ScriptedTurn(calls=(ScriptedCall("fake.echo", {"text": "x"}),))
DONE = ScriptedTurn(text="Done.")


def returning(content: str, **facts: int | None) -> FakeTool:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        return ToolResult(content=content, facts=dict(facts))

    return FakeTool(behaviour=behaviour)


def played(
    tool: FakeTool, *turns: ScriptedTurn, context_chars_max: int
) -> tuple[list[ModelRequest], list[RequestManifest]]:
    scene, model = Scene(tools=[(tool, None)]), ScriptedModel(turns)
    run_id = asyncio.run(scene.start(model, context_chars_max=context_chars_max))
    works = [event.work for event in scene.events(run_id) if isinstance(event, ActivityRequested)]
    return model.requests, [work.manifest for work in works if isinstance(work, ModelWork)]


def test_the_oldest_groups_are_left_out_whole_and_the_manifest_says_which() -> None:
    requests, manifests = played(returning("y" * 2_000), *[LOOK] * 8, DONE, context_chars_max=12_000)
    last, manifest = requests[-1], manifests[-1]
    assert len(requests[1].items) == 2 and manifests[1].left_out == ()
    assert isinstance(last.items[0], AssistantTurn)
    assert 2 <= len(last.items) < 16 and len(last.items) % 2 == 0
    assert manifest.left_out and manifest.included
    assert manifest.left_out[0][1] < manifest.included[0][0]
    assert manifest.cut == ()


def test_a_newest_group_that_does_not_fit_is_cut_evenly_and_marked() -> None:
    turn = ScriptedTurn(calls=LOOK.calls * 8)
    requests, manifests = played(returning("z" * 100 + "\n" * 1 + "y" * 1_900), turn, DONE, context_chars_max=12_000)
    answers = [item for item in requests[-1].items if isinstance(item, ToolAnswer)]
    assert len(answers) == 8
    for answer in answers:
        assert answer.cut is not None and answer.cut.size == 2_001
        assert len(answer.content) == answer.cut.bytes_kept
    assert len({answer.content for answer in answers}) == 1
    assert manifests[-1].cut


def test_a_cut_result_of_numbered_lines_says_where_to_go_on() -> None:
    lines = "".join(f"line {number}\n" for number in range(1, 5_001))
    tool = returning(lines, start_line=1, end_line=5_000, total_lines=5_000, next_start_line=None)
    requests, _ = played(tool, LOOK, DONE, context_chars_max=32_768)
    answer = requests[-1].items[1]
    assert isinstance(answer, ToolAnswer) and answer.cut is not None
    shown = answer.content.splitlines()
    assert answer.facts["end_line"] == len(shown)
    assert answer.facts["next_start_line"] == len(shown) + 1
    assert shown[-1] == f"line {len(shown)}"


def test_what_can_never_fit_fails_the_run_with_a_word_on_what_to_do() -> None:
    calls = ScriptedTurn(text="x", calls=LOOK.calls * 60)
    run = Scene(tools=[(returning("y" * 3_000), None)]).play(calls, DONE, context_chars_max=8_192)
    assert run.status is RunStatus.FAILED
    assert run.error is not None and run.error.code is ErrorCode.CONTEXT_TOO_LARGE
    assert "--context-chars" in run.error.message


def test_the_objective_and_the_instructions_are_always_there() -> None:
    scene, model = Scene(tools=[(returning("y" * 2_000), None)]), ScriptedModel([*[LOOK] * 8, DONE])
    asyncio.run(scene.start(model, objective="The objective stays.", context_chars_max=12_000))
    assert {request.objective for request in model.requests} == {"The objective stays."}
    assert len({request.system_text for request in model.requests}) == 1
    assert all(request.tools == (scene.tools[0][0].spec,) for request in model.requests)


def test_the_transcript_hash_tells_two_transcripts_apart() -> None:
    _, first = played(returning("a"), LOOK, LOOK, DONE, context_chars_max=65_536)
    _, second = played(returning("b"), LOOK, LOOK, DONE, context_chars_max=65_536)
    assert first[0].transcript_hash == second[0].transcript_hash
    assert len({manifest.transcript_hash for manifest in (*first, *second)}) == 5
