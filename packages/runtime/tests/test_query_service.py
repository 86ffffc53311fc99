"""What readers are told: from verified records only, whatever the rows say (R4)."""

import msgspec
import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.ids import RunId
from bearagent_domain.records import Head
from bearagent_domain.runs import RunStatus
from bearagent_domain.views import EventView
from bearagent_reducer import NEW_RUN, RowProjection, evolved_record
from bearagent_runtime import QueryService
from bearagent_testkit import (
    CountingIds,
    FixedClock,
    MemoryEventStore,
    MemoryRunLease,
    SampleRun,
    ScriptedCall,
    ScriptedTurn,
    sample_run,
)
from tests.driving import Scene

replace = msgspec.structs.replace


@pytest.fixture
def run(memory_store: MemoryEventStore) -> SampleRun:
    run = sample_run(CountingIds(), FixedClock())
    memory_store.append((run.take(),))
    return run


def test_a_changed_row_changes_no_answer_of_inspect(memory_store: MemoryEventStore, run: SampleRun) -> None:
    query = QueryService(memory_store)
    before = query.inspect(run.run_id)
    rows = memory_store.rows(run.run_id)
    lie = replace(rows.run, status=RunStatus.FAILED, objective="another", model_calls=99, last_sequence=1)
    memory_store.replace_rows(run.run_id, replace(rows, run=lie, activities=(), artifacts=()))
    assert query.inspect(run.run_id) == before
    assert query.runs().runs[0].run.status is RunStatus.FAILED, "only the list reads rows"


def test_rows_made_anew_from_the_log_are_equal_byte_for_byte(memory_store: MemoryEventStore, run: SampleRun) -> None:
    before = msgspec.json.encode(memory_store.rows(run.run_id))
    projection, state = RowProjection(), NEW_RUN
    for record in memory_store.read(run.run_id):
        state = evolved_record(state, record)
        projection.add(record, state)
    memory_store.replace_rows(run.run_id, projection.take())
    assert msgspec.json.encode(memory_store.rows(run.run_id)) == before


def test_events_come_page_by_page_with_their_stored_payload(memory_store: MemoryEventStore, run: SampleRun) -> None:
    query = QueryService(memory_store)
    after: int | None = 0
    seen: list[EventView] = []
    while after is not None:
        page = query.events(run.run_id, after=after, limit=4)
        assert page.has_more == (page.next_after_sequence is not None)
        seen += page.events
        after = page.next_after_sequence
    assert [view.sequence for view in seen] == list(range(1, len(run.records) + 1))
    assert seen[0].prev_hash == "0" * 64
    for view, record in zip(seen, run.records, strict=True):
        assert view.hash == record.hash.hex()
        assert view.payload == msgspec.json.decode(record.body)["payload"]


def test_a_log_whose_end_is_lost_is_noticed_by_the_kept_head(memory_store: MemoryEventStore, run: SampleRun) -> None:
    memory_store.keep_head(run.run_id, run.head)
    assert QueryService(memory_store).inspect(run.run_id).status is RunStatus.SUCCEEDED
    for sequence in (1, run.head.sequence, run.head.sequence + 1):
        memory_store.keep_head(run.run_id, Head(sequence, b"x" * 32))
        with pytest.raises(BearAgentError) as refused:
            QueryService(memory_store).inspect(run.run_id)
        assert refused.value.info.code is ErrorCode.RECORD_TRUNCATED


def test_events_up_to_a_lost_end_are_shown_and_the_end_is_refused(
    memory_store: MemoryEventStore, run: SampleRun
) -> None:
    query, end = QueryService(memory_store), run.head.sequence
    memory_store.keep_head(run.run_id, Head(end + 1, b"x" * 32))
    assert len(query.events(run.run_id, limit=end - 1).events) == end - 1
    for after, limit in ((0, end), (end - 1, 1), (end, 1)):
        with pytest.raises(BearAgentError) as refused:
            query.events(run.run_id, after=after, limit=limit)
        assert refused.value.info.code is ErrorCode.RECORD_TRUNCATED
    memory_store.keep_head(run.run_id, Head(2, b"x" * 32))
    with pytest.raises(BearAgentError):
        query.events(run.run_id, limit=3)


@pytest.mark.parametrize(("after", "limit"), [(-1, 5), (2**53, 5), (0, 0), (0, -3), (0, 2**63)])
def test_a_page_that_there_can_not_be_is_refused(memory_store: MemoryEventStore, after: int, limit: int) -> None:
    run = sample_run(CountingIds(), FixedClock())
    memory_store.append((run.take(),))
    query = QueryService(memory_store)
    with pytest.raises(BearAgentError) as refused:
        query.events(run.run_id, after=after, limit=limit)
    assert refused.value.info.code is ErrorCode.USAGE
    if limit != 5:
        with pytest.raises(BearAgentError):
            query.runs(limit=limit)


def test_a_log_longer_than_its_kept_head_is_right_if_it_contains_it(
    memory_store: MemoryEventStore, run: SampleRun
) -> None:
    memory_store.keep_head(run.run_id, Head(3, run.records[2].hash))
    assert QueryService(memory_store).inspect(run.run_id).last_sequence == run.head.sequence


def test_a_run_is_named_by_its_id_a_part_of_it_or_latest(memory_store: MemoryEventStore) -> None:
    ids, clock = CountingIds(), FixedClock()
    runs = [sample_run(ids, clock) for _ in range(2)]
    for run in runs:
        memory_store.append((run.take(),))
    query = QueryService(memory_store)
    assert query.resolve("latest") == runs[1].run_id
    assert query.resolve(runs[0].run_id) == runs[0].run_id
    assert query.resolve(runs[0].run_id[:8].upper()) == runs[0].run_id
    for name, code in (
        ("0000", ErrorCode.RUN_AMBIGUOUS),
        ("ffff", ErrorCode.RUN_NOT_FOUND),
        ("0", ErrorCode.RUN_NOT_FOUND),
        ("", ErrorCode.RUN_NOT_FOUND),
        ("%%%%", ErrorCode.RUN_NOT_FOUND),
    ):
        with pytest.raises(BearAgentError) as refused:
            query.resolve(name)
        assert refused.value.info.code is code


def test_latest_of_an_empty_store_says_how_to_begin(memory_store: MemoryEventStore) -> None:
    with pytest.raises(BearAgentError, match="bearagent run"):
        QueryService(memory_store).resolve("latest")


def test_driven_is_known_only_where_a_lease_can_be_asked(memory_store: MemoryEventStore) -> None:
    run = SampleRun(CountingIds(), FixedClock())
    run.begin()
    memory_store.append((run.take(),))
    lease = MemoryRunLease()
    assert QueryService(memory_store).inspect(run.run_id).driven is None
    assert QueryService(memory_store, lease).inspect(run.run_id).driven is False
    with lease.hold(run.run_id):
        assert QueryService(memory_store, lease).inspect(run.run_id).driven is True


def test_the_five_questions_have_answers() -> None:
    scene = Scene()
    view = scene.play(ScriptedTurn(calls=(ScriptedCall("fake.echo", {"text": "x"}),)), ScriptedTurn(text="Done."))
    assert [activity.name for activity in view.activities] == ["script", "fake.echo", "script"]
    assert view.activities[1].decision is not None and view.activities[1].decision.reason
    assert view.usage.model_calls == 2 and view.limits.model_calls == 200
    assert view.artifacts == () and view.final_text == "Done."
    assert view.head_hash == scene.records(RunId(view.run_id))[-1].hash.hex()
