"""Every entry of the table of hostile answers, played over the real workspace tools and both stores."""

import asyncio
import hashlib
import tracemalloc
from pathlib import Path

import pytest

from bearagent_domain.budgets import LIMIT_NAMES
from bearagent_domain.events import ActivityRequested, ActivityStarted, ToolWork
from bearagent_domain.ids import RunId
from bearagent_domain.messages import AssistantTurn, ToolAnswer
from bearagent_domain.records import Head
from bearagent_domain.runs import ActivityStatus, RunState, RunStatus
from bearagent_ports import EventStore
from bearagent_reducer import NEW_RUN, RowProjection, evolved_record
from bearagent_runtime import FixedToolPolicy
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, MemoryEventStore, ScriptedModel
from bearagent_workspace_tools import workspace_tools
from tests.driving import Scene
from tests.security.hostile_turns import HostileCase, hostile_cases, text_of

CASES = {case.id: case for case in hostile_cases(Path(__file__).parent / "cases/hostile_model_outputs.json")}
STATUSES = {
    "tool_error": RunStatus.SUCCEEDED,
    "denied_tool_error": RunStatus.SUCCEEDED,
    "accepted": RunStatus.SUCCEEDED,
    "ignored": RunStatus.SUCCEEDED,
    "run_failed": RunStatus.FAILED,
    "run_suspended": RunStatus.SUSPENDED,
}
GUARD_SECONDS = 120
REFUSED_CALL_BYTES_MAX = 16_384


class Play:
    """One case, played to rest in a folder of its own beside a neighbour that nobody may reach."""

    def __init__(self, case: HostileCase, place: Path, store: EventStore) -> None:
        self.case = case
        self.place = place
        self.root = place / "workspace"
        for name, text in {"workspace/docs/a.md": "first\n", "workspace/docs/b.md": "second\n",
                           "workspace/README.md": "readme\n", "neighbour/secret": "the secret\n"}.items():  # fmt: skip
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        self.before = self.everything_but_outputs()
        ids = CountingIds()
        self.scene = Scene(
            tools=workspace_tools(self.root, ids.new_id),
            policy=FixedToolPolicy(case.granted),
            store=store,
            ids=ids,
        )
        self.model = ScriptedModel(case.script)
        self.run_id = asyncio.run(self._driven())
        self.run = self.scene.inspect(self.run_id)
        self.records = self.scene.records(self.run_id)
        self.calls = [activity for activity in self.run.activities if activity.kind == "tool"]

    async def _driven(self) -> RunId:
        async with asyncio.timeout(GUARD_SECONDS):  # a run that does not end by itself fails its test
            return await self.scene.start(self.model, limits=self.case.limits)

    def everything_but_outputs(self) -> dict[str, str]:
        """All that lies in the place, with the hash of each file; without what is below `outputs/`."""
        return {name: digest for name, digest in _tree(self.place).items() if not name.startswith("workspace/outputs")}

    def files_below_outputs(self) -> dict[str, str]:
        tree = _tree(self.root)
        return {name: tree[name] for name in tree if name.startswith("outputs/") and tree[name] != "folder"}

    def states(self) -> list[RunState]:
        """The state after each record, folded anew from the store."""
        state, states = NEW_RUN, []
        for record in self.scene.records(self.run_id):
            state = evolved_record(state, record)
            states.append(state)
        return states

    def events_of(self, activity_id: str) -> list[str]:
        return [record.event.TYPE for record in self.records if record.activity_id == activity_id]


def _tree(top: Path) -> dict[str, str]:
    return {
        path.relative_to(top).as_posix(): "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in top.rglob("*")
    }


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_each_case_is_handled_as_the_table_says(case: HostileCase, tmp_path: Path) -> None:
    in_memory = Play(case, tmp_path / "memory", MemoryEventStore())
    store = SqliteEventStore.open(tmp_path / "record.db")
    on_disk = Play(case, tmp_path / "disk", store)
    for play in (in_memory, on_disk):
        require_handling(play)
        require_invariants(play)
    store.close()
    # Twice the same case: not only the same code and types, but the same bytes.
    assert [record.body for record in in_memory.records] == [record.body for record in on_disk.records]


def require_handling(play: Play) -> None:
    case, run = play.case, play.run
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
    require_files(play)
    if case.handling.endswith("tool_error"):
        require_refusal(play)


def require_files(play: Play) -> None:
    expected = {name: hashlib.sha256(text_of(text).encode()).hexdigest() for name, text in play.case.files.items()}
    assert play.files_below_outputs() == expected
    assert {artifact.path: artifact.sha256 for artifact in play.run.artifacts} == expected
    if not expected:
        assert not (play.root / "outputs").exists()


def require_refusal(play: Play) -> None:
    """Nothing was started, the model reads why, and the whole affair is small in the record."""
    call = play.calls[-1]
    denied = play.case.handling == "denied_tool_error"
    decided = ["policy.decided"] if denied else []
    assert play.events_of(call.activity_id) == ["activity.requested", *decided, "activity.failed"]
    assert (call.decision is not None and call.decision.verdict == "deny") == denied
    answer = play.model.requests[-1].items[-1]
    assert isinstance(answer, ToolAnswer) and answer.error == call.error and answer.call_id == call.call_id
    assert sum(len(record.body) for record in play.records[2:]) < REFUSED_CALL_BYTES_MAX


def require_invariants(play: Play) -> None:
    require_sound_record(play)
    require_clean_words(play)
    require_honest_usage(play)
    assert play.everything_but_outputs() == play.before


def require_sound_record(play: Play) -> None:
    """The chain holds, the log folds to one state however often, and the stored rows are those of a fresh fold."""
    head, rows = Head(), RowProjection()
    states = play.states()
    for record, state in zip(play.records, states, strict=True):
        head = head.after(record)
        rows.add(record, state)
    assert head == play.scene.store.kept_head(play.run_id)
    assert play.states()[-1].state_hash == states[-1].state_hash
    assert rows.take() == play.scene.store.rows(play.run_id)


def require_clean_words(play: Play) -> None:
    """No host path, no traceback, no secret of the neighbour, and controls only as JSON escapes."""
    for record in play.records:
        assert str(play.place).encode() not in record.body
        assert b"Traceback" not in record.body and b"the secret" not in record.body
        assert min(record.body) >= 0x20


def require_honest_usage(play: Play) -> None:
    states = play.states()
    for before, after in zip(states, states[1:], strict=False):
        for name in LIMIT_NAMES:
            assert 0 <= getattr(before.used, name) <= getattr(after.used, name)
    assert play.run.usage.model_calls == len(play.model.requests)
    assert play.run.usage.tool_calls == len(play.calls)


@pytest.fixture
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Play:
    """The case that a test names by its id."""
    return Play(CASES[request.param], tmp_path, MemoryEventStore())


def plays(case_id: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("play", [case_id], indirect=True)


@plays("H001")
def test_a_model_that_asks_for_an_unknown_tool_reads_which_there_are(play: Play) -> None:
    error = play.calls[0].error
    assert error is not None and all(name in error.message for name in play.case.granted)


@plays("H012")
def test_an_endless_name_is_cut_wherever_it_goes(play: Play) -> None:
    turn = play.model.requests[1].items[0]
    assert isinstance(turn, AssistantTurn) and len(turn.calls[0].name) <= 128
    assert len(play.calls[0].name) <= 128
    assert all(len(record.body) < 4_096 for record in play.records[2:])


@plays("H057")
def test_arguments_sent_as_an_object_have_the_hash_of_their_text(play: Play, tmp_path: Path) -> None:
    as_text = Play(CASES["H073"], tmp_path / "text", MemoryEventStore())
    assert arguments_hashes(play) == arguments_hashes(as_text) != [None]


def arguments_hashes(play: Play) -> list[str | None]:
    requested = [record.event for record in play.records if isinstance(record.event, ActivityRequested)]
    return [event.work.arguments_hash for event in requested if isinstance(event.work, ToolWork)]


@plays("H071")
def test_two_calls_of_one_id_get_each_its_own_result(play: Play) -> None:
    assert contents_by_id(play) == {play.calls[0].call_id: "first\n", play.calls[1].call_id: "second\n"}
    assert play.calls[0].call_id == "call_1"


@plays("H072")
def test_an_id_used_again_never_brings_back_the_earlier_result(play: Play) -> None:
    assert contents_by_id(play) == {play.calls[0].call_id: "first\n", play.calls[1].call_id: "second\n"}


@plays("H163")
def test_a_made_id_makes_way_for_the_models_own(play: Play) -> None:
    assert contents_by_id(play) == {play.calls[0].call_id: "first\n", play.calls[1].call_id: "second\n"}


def contents_by_id(play: Play) -> dict[str, str]:
    """What the last request shows of each call; each id must stand there once."""
    answers = [item for item in play.model.requests[-1].items if isinstance(item, ToolAnswer)]
    assert len({answer.call_id for answer in answers}) == len(answers)
    return {answer.call_id: answer.content for answer in answers}


@pytest.mark.parametrize("play", ["H075", "H076", "H078", "H162"], indirect=True)
def test_an_id_that_is_none_is_replaced_and_kept_nowhere(play: Play) -> None:
    assert play.calls[0].call_id == "call_1_1"
    assert all(len(record.body) < REFUSED_CALL_BYTES_MAX for record in play.records[2:])


@plays("H077")
def test_a_call_named_like_an_activity_stays_a_name(play: Play) -> None:
    model_activity, tool_activity = play.run.activities[0], play.calls[0]
    assert str(tool_activity.call_id) == str(model_activity.activity_id) != str(tool_activity.activity_id)
    assert model_activity.status is tool_activity.status is ActivityStatus.COMPLETED


@plays("H086")
def test_each_of_many_writes_says_what_it_replaced(play: Play) -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    intents = [record.event.intent for record in play.records if isinstance(record.event, ActivityStarted)]
    writes = [intent for intent in intents if intent.path is not None]
    assert [write.prior_sha256 for write in writes] == [None] + [digest] * 29
    assert len({write.artifact_id for write in writes}) == 30


@plays("H093")
def test_a_finished_run_asks_nothing_more(play: Play) -> None:
    assert len(play.model.requests) == 1


@plays("H098")
def test_marks_of_a_chat_template_stay_within_their_item(play: Play) -> None:
    first, second = play.model.requests
    turn = second.items[0]
    assert isinstance(turn, AssistantTurn) and turn.text == play.case.turns[0]["text"]
    assert (second.system_text, second.objective) == (first.system_text, first.objective)


@pytest.mark.parametrize("play", ["H101", "H178"], indirect=True)
def test_a_made_up_approval_is_no_ground_of_any_decision(play: Play) -> None:
    for call in play.calls:
        assert call.decision is None or call.decision.rule == "allowed_tool"


@plays("H151")
def test_of_many_unknown_keys_a_few_are_named(play: Play) -> None:
    error = play.calls[0].error
    assert error is not None and "key0" in error.message and "key99" not in error.message


@pytest.mark.parametrize("play", ["H117", "H182"], indirect=True)
def test_usage_that_is_not_reported_counts_as_it_was_held(play: Play) -> None:
    assert play.run.usage.estimated and play.run.usage.input_tokens > 0
    assert play.run.usage.output_tokens == (2 if play.case.id == "H182" else 4_096)


@plays("H083")
def test_an_answer_that_is_too_large_is_recorded_as_a_failure_only(play: Play) -> None:
    assert sum(len(record.body) for record in play.records[2:]) < REFUSED_CALL_BYTES_MAX


def test_20_mb_of_arguments_are_never_whole_in_memory(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        Play(CASES["H060"], tmp_path, MemoryEventStore())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40 * 2**20
