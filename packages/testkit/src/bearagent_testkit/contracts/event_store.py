"""What every event store must do. Subclass it, override the fixture `store`, and pytest runs it on yours."""

from collections.abc import Iterator

import msgspec
import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.ids import RunId
from bearagent_domain.records import RecordedEvent, chained
from bearagent_ports import Append, EventStore, RunNotFound, SequenceConflict, StoreError
from bearagent_testkit.fixed_sources import CountingIds, FixedClock
from bearagent_testkit.sample_runs import SAMPLE_BINDING, SampleRun, sample_run

replace = msgspec.structs.replace
NO_RUN = RunId("ffffffff-ffff-4fff-8fff-ffffffffffff")


class EventStoreContract:
    """Override `store` with a fixture that yields a fresh, empty store, and closes it."""

    @pytest.fixture
    def store(self) -> Iterator[EventStore]:
        """A fresh store."""
        raise NotImplementedError("override the fixture `store`")

    @pytest.fixture
    def run(self) -> SampleRun:
        """A whole run, not stored yet."""
        return sample_run(CountingIds(), FixedClock())

    def test_a_log_reads_back_byte_for_byte(self, store: EventStore, run: SampleRun) -> None:
        store.append((run.take(),))
        assert list(store.read(run.run_id)) == run.records

    def test_pages_of_any_size_give_the_same_log(self, store: EventStore, run: SampleRun) -> None:
        store.append((run.take(),))
        for limit in (1, 2, 7):
            after = 0
            found: list[RecordedEvent] = []
            while page := store.read(run.run_id, after=after, limit=limit):
                assert len(page) <= limit
                found += page
                after = page[-1].sequence
            assert found == run.records

    def test_behind_the_end_there_is_nothing(self, store: EventStore, run: SampleRun) -> None:
        store.append((run.take(),))
        assert store.read(run.run_id, after=len(run.records)) == ()
        assert store.read(run.run_id, after=10_000) == ()

    def test_a_log_grows_append_by_append(self, store: EventStore) -> None:
        run = SampleRun(CountingIds(), FixedClock())
        run.begin()
        store.append((run.take(),))
        run.turn("fake.write")
        store.append((run.take(),))
        run.answer(path="outputs/a.md")
        run.finish()
        store.append((run.take(),))
        assert list(store.read(run.run_id)) == run.records
        assert store.run(run.run_id).last_sequence == run.records[-1].sequence
        assert [row.status for row in store.rows(run.run_id).activities] == ["completed"] * 3

    def test_nothing_is_known_of_a_run_that_is_not_stored(self, store: EventStore) -> None:
        for ask in (store.read, store.run, store.rows, store.binding):
            with pytest.raises(RunNotFound):
                ask(NO_RUN)

    def test_an_append_at_another_place_is_a_conflict_and_stores_nothing(
        self, store: EventStore, run: SampleRun
    ) -> None:
        part = run.take()
        store.append((part,))
        for expected in (0, 1, len(part.events) + 1):
            with pytest.raises(SequenceConflict) as refused:
                store.append((replace(part, expected_sequence=expected, binding=None),))
            assert refused.value.info.code is ErrorCode.STORE_CONFLICT
        assert list(store.read(run.run_id)) == run.records

    def test_all_parts_are_stored_or_none(self, store: EventStore, run: SampleRun) -> None:
        ids, clock = CountingIds(start=1_000), FixedClock()
        first, second = sample_run(ids, clock), sample_run(ids, clock)
        part = first.take()
        with pytest.raises(SequenceConflict):
            store.append((part, replace(second.take(), expected_sequence=4)))
        with pytest.raises(RunNotFound):
            store.read(first.run_id)
        store.append((part, run.take()))
        assert list(store.read(first.run_id)) == first.records
        assert list(store.read(run.run_id)) == run.records

    @pytest.mark.parametrize("fault", ["gap", "chain", "body", "no events", "no binding", "other run", "other rows"])
    def test_an_append_that_does_not_fit_itself_is_refused_whole(
        self, store: EventStore, run: SampleRun, fault: str
    ) -> None:
        with pytest.raises(BearAgentError):
            store.append((_spoilt(run.take(), fault),))
        with pytest.raises(RunNotFound):
            store.read(run.run_id)

    def test_a_binding_comes_once(self, store: EventStore) -> None:
        run = SampleRun(CountingIds(), FixedClock())
        run.begin()
        store.append((run.take(),))
        run.turn(text="done")
        with pytest.raises(BearAgentError):
            store.append((replace(run.take(), binding=SAMPLE_BINDING),))
        assert store.binding(run.run_id) == SAMPLE_BINDING

    def test_rows_are_those_of_the_append(self, store: EventStore, run: SampleRun) -> None:
        part = run.take()
        store.append((part,))
        assert msgspec.json.encode(store.rows(run.run_id)) == msgspec.json.encode(part.rows)
        assert store.run(run.run_id) == part.rows.run

    def test_replaced_rows_are_read_back_and_no_other(self, store: EventStore, run: SampleRun) -> None:
        part = run.take()
        store.append((part,))
        bare = replace(part.rows, activities=(), artifacts=())
        store.replace_rows(run.run_id, bare)
        assert store.rows(run.run_id) == bare
        store.replace_rows(run.run_id, part.rows)
        assert store.rows(run.run_id) == part.rows

    def test_runs_come_newest_first_page_by_page(self, store: EventStore) -> None:
        ids, clock = CountingIds(), FixedClock()
        runs = [sample_run(ids, clock, objective=f"Objective {number}") for number in range(5)]
        for run in runs:
            store.append((run.take(),))
        found: list[RunId] = []
        cursor = None
        while True:
            page = store.runs(cursor=cursor, limit=2)
            found += [row.run_id for row in page.runs]
            cursor = page.next_cursor
            if cursor is None:
                break
        assert found == [run.run_id for run in reversed(runs)]

    def test_an_empty_store_has_no_runs(self, store: EventStore) -> None:
        page = store.runs()
        assert page.runs == () and page.next_cursor is None

    @pytest.mark.parametrize("cursor", ["", "nonsense", "-1", "1; DROP TABLE runs", "9" * 40, "é"])
    def test_a_foreign_cursor_is_refused(self, store: EventStore, run: SampleRun, cursor: str) -> None:
        store.append((run.take(),))
        with pytest.raises(StoreError) as refused:
            store.runs(cursor=cursor)
        assert refused.value.info.code is ErrorCode.CURSOR_INVALID

    def test_matching_takes_a_prefix_as_text(self, store: EventStore) -> None:
        ids, clock = CountingIds(), FixedClock()
        runs = [sample_run(ids, clock) for _ in range(3)]
        for run in runs:
            store.append((run.take(),))
        assert store.matching("0000") == tuple(run.run_id for run in reversed(runs))
        assert store.matching("0000", limit=2) == (runs[2].run_id, runs[1].run_id)
        assert store.matching(runs[1].run_id) == (runs[1].run_id,)
        for pattern in ("%", "____", "[0-9]", "*", "0000%", "ffff"):
            assert store.matching(pattern) == ()

    def test_the_head_is_kept_outside_the_log(self, store: EventStore, run: SampleRun) -> None:
        store.append((run.take(),))
        assert store.kept_head(run.run_id) is None
        assert store.keep_head(run.run_id, run.head)
        assert store.kept_head(run.run_id) == run.head
        assert store.kept_head(NO_RUN) is None


def _spoilt(part: Append, fault: str) -> Append:
    events = list(part.events)
    second = events[1]
    match fault:
        case "gap":
            del events[1]
        case "chain":
            events[1] = replace(second, prev_hash=bytes(32), hash=chained(bytes(32), second.body))
        case "body":
            events[1] = replace(second, body=second.body.replace(b"run.started", b"run.stopped"))
        case "no events":
            events = []
        case "no binding":
            return replace(part, binding=None)
        case "other run":
            return replace(part, run_id=NO_RUN, rows=replace(part.rows, run=replace(part.rows.run, run_id=NO_RUN)))
        case "other rows":
            return replace(part, rows=replace(part.rows, run=replace(part.rows.run, run_id=NO_RUN)))
    return replace(part, events=tuple(events))
