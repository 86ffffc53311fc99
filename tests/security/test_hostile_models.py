"""Every entry of the table of hostile answers, played over the real workspace tools and both stores."""

import asyncio
import hashlib
import tracemalloc
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.events import ActivityRequested, ActivityStarted, ToolWork
from bearagent_domain.messages import AssistantTurn, ToolAnswer
from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    ModelRequest,
    TextDelta,
    UsageReported,
)
from bearagent_domain.runs import ActivityStatus, RunStatus
from bearagent_ports import EventStore
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import MemoryEventStore, ScriptedTurn
from tests.driving import Scene
from tests.security.hostile_plays import Play, require_invariants
from tests.security.hostile_turns import WHOLE_TOOLSET, HostileCase, hostile_cases, text_of

CASES = {case.id: case for case in hostile_cases(Path(__file__).parent / "cases/hostile_model_outputs.json")}
STATUSES = {
    "tool_error": RunStatus.SUCCEEDED,
    "denied_tool_error": RunStatus.SUCCEEDED,
    "accepted": RunStatus.SUCCEEDED,
    "ignored": RunStatus.SUCCEEDED,
    "run_failed": RunStatus.FAILED,
    "run_suspended": RunStatus.SUSPENDED,
}
REFUSED_CALL_BYTES_MAX = 16_384


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_each_case_is_handled_as_the_table_says(case: HostileCase, tmp_path: Path) -> None:
    in_memory = play_of(case, tmp_path / "memory", MemoryEventStore())
    store = SqliteEventStore.open(tmp_path / "record.db")
    on_disk = play_of(case, tmp_path / "disk", store)
    for play in (in_memory, on_disk):
        require_handling(case, play)
        require_invariants(play)
    store.close()
    # Twice the same case: not only the same code and types, but the same bytes.
    assert [record.body for record in in_memory.records] == [record.body for record in on_disk.records]


def play_of(case: HostileCase, place: Path, store: EventStore) -> Play:
    return Play(case.script, place, store, granted=case.granted, limits=case.limits)


def require_handling(case: HostileCase, play: Play) -> None:
    run = play.run
    assert run.status is STATUSES[case.handling], run.error
    if run.status is RunStatus.SUCCEEDED:
        assert run.error is None and run.final_text == case.expected_text
    else:
        assert run.error is not None and run.error.code == case.code
    if run.status is RunStatus.SUSPENDED:
        assert run.reason == "budget"
    else:
        assert [call.error and call.error.code for call in play.calls] == case.expected_answers
        for call in play.calls:
            assert (call.status is ActivityStatus.COMPLETED) == (call.error is None)
    require_files(case, play)
    if case.handling.endswith("tool_error"):
        require_refusal(case, play)


def require_files(case: HostileCase, play: Play) -> None:
    expected = {name: hashlib.sha256(text_of(text).encode()).hexdigest() for name, text in case.files.items()}
    assert play.files_below_outputs() == expected
    assert {artifact.path: artifact.sha256 for artifact in play.run.artifacts} == expected
    if not expected:
        assert not (play.root / "outputs").exists()


def require_refusal(case: HostileCase, play: Play) -> None:
    """Nothing was started, the model reads why, and the whole affair is small in the record."""
    call = play.calls[-1]
    denied = case.handling == "denied_tool_error"
    decided = ["policy.decided"] if denied else []
    assert play.events_of(call.activity_id) == ["activity.requested", *decided, "activity.failed"]
    assert (call.decision is not None and call.decision.verdict == "deny") == denied
    answer = play.model.requests[-1].items[-1]
    assert isinstance(answer, ToolAnswer) and answer.error == call.error and answer.call_id == call.call_id
    assert play.body_bytes < REFUSED_CALL_BYTES_MAX


def played(case_id: str, place: Path) -> Play:
    """The case of that id, played in memory."""
    return play_of(CASES[case_id], place, MemoryEventStore())


def test_a_model_that_asks_for_an_unknown_tool_reads_which_there_are(tmp_path: Path) -> None:
    play = played("H001", tmp_path)
    error = play.calls[0].error
    assert error is not None and all(name in error.message for name in CASES["H001"].granted)


def test_an_endless_name_is_cut_wherever_it_goes(tmp_path: Path) -> None:
    play = played("H012", tmp_path / "hostile")
    turn = play.model.requests[1].items[0]
    assert isinstance(turn, AssistantTurn) and len(turn.calls[0].name) <= 128
    assert len(play.calls[0].name) <= 128
    plain = Play([ScriptedTurn(text="Done.")], tmp_path / "plain", MemoryEventStore(), granted=WHOLE_TOOLSET)
    assert play.body_bytes - plain.body_bytes < 4_096


def test_arguments_sent_as_an_object_have_the_hash_of_their_text(tmp_path: Path) -> None:
    play = played("H057", tmp_path / "object")
    as_text = played("H073", tmp_path / "text")
    assert arguments_hashes(play) == arguments_hashes(as_text) != [None]


def arguments_hashes(play: Play) -> list[str | None]:
    requested = [record.event for record in play.records if isinstance(record.event, ActivityRequested)]
    return [event.work.arguments_hash for event in requested if isinstance(event.work, ToolWork)]


def test_two_calls_of_one_id_get_each_its_own_result(tmp_path: Path) -> None:
    play = played("H071", tmp_path)
    assert contents_by_id(play) == {play.calls[0].call_id: "first\n", play.calls[1].call_id: "second\n"}
    assert play.calls[0].call_id == "call_1"


def test_an_id_used_again_never_brings_back_the_earlier_result(tmp_path: Path) -> None:
    play = played("H072", tmp_path)
    assert contents_by_id(play) == {play.calls[0].call_id: "first\n", play.calls[1].call_id: "second\n"}


def test_a_made_id_makes_way_for_the_models_own(tmp_path: Path) -> None:
    play = played("H163", tmp_path)
    assert contents_by_id(play) == {play.calls[0].call_id: "first\n", play.calls[1].call_id: "second\n"}


def contents_by_id(play: Play) -> dict[str, str]:
    """What the last request shows of each call; each id must stand there once."""
    answers = [item for item in play.model.requests[-1].items if isinstance(item, ToolAnswer)]
    assert len({answer.call_id for answer in answers}) == len(answers)
    return {answer.call_id: answer.content for answer in answers}


@pytest.mark.parametrize("case_id", ["H075", "H076", "H078", "H162"])
def test_an_id_that_is_none_is_replaced_and_kept_nowhere(tmp_path: Path, case_id: str) -> None:
    play = played(case_id, tmp_path)
    assert play.calls[0].call_id == "call_1_1"
    assert all(len(record.body) < REFUSED_CALL_BYTES_MAX for record in play.records[2:])


def test_a_call_named_like_an_activity_stays_a_name(tmp_path: Path) -> None:
    play = played("H077", tmp_path)
    model_activity, tool_activity = play.run.activities[0], play.calls[0]
    assert str(tool_activity.call_id) == str(model_activity.activity_id) != str(tool_activity.activity_id)
    assert model_activity.status is tool_activity.status is ActivityStatus.COMPLETED


def test_each_of_many_writes_says_what_it_replaced(tmp_path: Path) -> None:
    play = played("H086", tmp_path)
    digest = hashlib.sha256(b"x").hexdigest()
    intents = [record.event.intent for record in play.records if isinstance(record.event, ActivityStarted)]
    writes = [intent for intent in intents if intent.path is not None]
    assert [write.prior_sha256 for write in writes] == [None] + [digest] * 29
    assert len({write.artifact_id for write in writes}) == 30


def test_a_finished_run_asks_nothing_more(tmp_path: Path) -> None:
    play = played("H093", tmp_path)
    assert len(play.model.requests) == 1


def test_marks_of_a_chat_template_stay_within_their_item(tmp_path: Path) -> None:
    play = played("H098", tmp_path)
    first, second = play.model.requests
    turn = second.items[0]
    assert isinstance(turn, AssistantTurn) and turn.text == CASES["H098"].turns[0]["text"]
    assert (second.system_text, second.objective) == (first.system_text, first.objective)


@pytest.mark.parametrize("case_id", ["H101", "H178"])
def test_a_made_up_approval_is_no_ground_of_any_decision(tmp_path: Path, case_id: str) -> None:
    play = played(case_id, tmp_path)
    for call in play.calls:
        assert call.decision is None or call.decision.rule == "allowed_tool"


def test_of_many_unknown_keys_a_few_are_named(tmp_path: Path) -> None:
    play = played("H151", tmp_path)
    error = play.calls[0].error
    assert error is not None and "key0" in error.message and "key99" not in error.message


@pytest.mark.parametrize("case_id", ["H117", "H182"])
def test_usage_that_is_not_reported_counts_as_it_was_held(tmp_path: Path, case_id: str) -> None:
    play = played(case_id, tmp_path)
    assert play.run.usage.estimated and play.run.usage.input_tokens > 0
    assert play.run.usage.output_tokens == (2 if case_id == "H182" else 4_096)


def test_an_answer_that_is_too_large_is_recorded_as_a_failure_only(tmp_path: Path) -> None:
    play = played("H083", tmp_path)
    assert play.body_bytes < REFUSED_CALL_BYTES_MAX


def test_a_stream_of_nothing_but_usage_is_a_stalled_one(tmp_path: Path) -> None:
    reports = (UsageReported(input_tokens=1, output_tokens=1),) * 20_000
    turn = ScriptedTurn(events=(TextDelta(text="x"), *reports), hangs=True)
    play = Play([turn], tmp_path, MemoryEventStore(), granted=WHOLE_TOOLSET)
    assert play.run.error is not None and play.run.error.code is ErrorCode.MODEL_STALLED
    require_invariants(play)


class Flood:
    """A model that sends 20 MB of arguments in one call, every piece a text of its own, and then gives up."""

    api = "scripted"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        if request.items:
            yield TextDelta(text="Done.")
        else:
            yield CallOpened(index=0, name="workspace.write", call_id="call_1")
            for number in range(20_000):
                yield ArgumentsDelta(index=0, text=f"{number:01000d}")
        yield Finished(reason=FinishReason.STOP)


def test_20_mb_of_arguments_are_never_whole_in_memory() -> None:
    scene = Scene()
    tracemalloc.start()
    try:
        run_id = asyncio.run(scene.start(Flood()))
        peak_bytes = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    error = scene.inspect(run_id).activities[1].error
    assert error is not None and error.code is ErrorCode.ARGUMENTS_TOO_LARGE
    assert peak_bytes < 8 * 2**20
