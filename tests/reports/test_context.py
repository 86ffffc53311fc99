"""Faults that users met when a run outgrew what its model can be shown: here each comes out right."""

import asyncio
from collections.abc import Sequence

from bearagent_domain.budgets import RunLimits
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.events import ActivityRequested, ModelWork
from bearagent_domain.messages import AssistantTurn, ToolAnswer
from bearagent_domain.models import FinishReason, ModelRequest, RequestManifest
from bearagent_domain.runs import RunStatus
from bearagent_domain.tools import PreparedToolRequest, ToolResult
from bearagent_domain.views import RunInspection
from bearagent_ports import CallContext, ProviderFailed
from bearagent_testkit import FakeTool, ScriptedCall, ScriptedModel, ScriptedTurn
from tests.driving import Scene
from tests.reports.desk import DONE

OBJECTIVE = "Keep to this."
RESULT_BYTES_MAX = 3_000_000


class Played:
    """A run in which the model calls a tool once a turn, and reads a result of the next of `sizes` characters."""

    def __init__(self, sizes: Sequence[int], context_chars_max: int) -> None:
        results = iter(sizes)

        async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
            return ToolResult(content="y" * next(results))

        tool = FakeTool(behaviour=behaviour, result_bytes_max=RESULT_BYTES_MAX)
        model = ScriptedModel([ScriptedTurn(calls=(ScriptedCall("fake.echo", {"text": "x"}),))] * len(sizes) + [DONE])
        scene = Scene(tools=[(tool, None)])
        limits = RunLimits(model_calls=5_000)
        run_id = asyncio.run(
            scene.start(model, objective=OBJECTIVE, limits=limits, context_chars_max=context_chars_max)
        )
        works = [event.work for event in scene.events(run_id) if isinstance(event, ActivityRequested)]
        self.run: RunInspection = scene.inspect(run_id)
        self.requests: list[ModelRequest] = model.requests
        self.manifests: list[RequestManifest] = [work.manifest for work in works if isinstance(work, ModelWork)]


def answers_in(request: ModelRequest) -> list[ToolAnswer]:
    return [item for item in request.items if isinstance(item, ToolAnswer)]


def test_an_overflow_is_one_clear_failure_and_not_asked_again() -> None:
    refusal = ProviderFailed(failure(ErrorCode.CONTEXT_TOO_LARGE, "The model takes less than this."))
    run = Scene().play(*[ScriptedTurn(error=refusal)] * 5)
    assert run.status is RunStatus.FAILED
    assert run.error is not None and run.error.code is ErrorCode.CONTEXT_TOO_LARGE
    assert [(activity.kind, activity.attempt) for activity in run.activities] == [("model", 1)]


def test_an_empty_answer_that_was_cut_ends_the_run_with_its_usage_as_reported() -> None:
    run = Scene().play(*[ScriptedTurn(finish=FinishReason.LENGTH, usage=(0, 0))] * 5)
    assert run.status is RunStatus.FAILED
    assert run.error is not None and run.error.code is ErrorCode.MODEL_OUTPUT_CUT
    assert (run.usage.model_calls, run.usage.input_tokens, run.usage.output_tokens) == (1, 0, 0)
    assert not run.usage.estimated


def test_a_result_too_large_for_the_context_is_shown_in_part_beside_its_call() -> None:
    played = Played([512_000], 65_536)
    turn, answer = played.requests[1].items
    assert isinstance(turn, AssistantTurn) and isinstance(answer, ToolAnswer)
    assert turn.calls[0].call_id == answer.call_id
    assert answer.cut is not None and answer.cut.size == 512_000
    assert len(answer.content) == answer.cut.bytes_kept <= 65_536 // 4
    assert played.run.status is RunStatus.SUCCEEDED


def test_instructions_and_objective_are_in_every_request_and_what_is_left_out_is_recorded() -> None:
    groups = 300
    played = Played([200] * groups, 8_192)
    assert len(played.requests) == groups + 1
    assert all(request.system_text and request.objective == OBJECTIVE for request in played.requests)
    last, manifest = answers_in(played.requests[-1]), played.manifests[-1]
    assert 0 < len(last) < groups
    ((first_left_out, last_left_out),) = manifest.left_out
    assert first_left_out < last_left_out < manifest.included[0][0]


def test_one_giant_result_takes_no_more_room_than_its_preview() -> None:
    sizes = [100] * 60 + [1_940_000] + [100] * 20
    shown = answers_in(Played(sizes, 524_288).requests[-1])
    assert len(shown) == len(sizes)
    giant = shown[60]
    assert giant.cut is not None and giant.cut.size == 1_940_000
    assert len(giant.content) <= 65_536
