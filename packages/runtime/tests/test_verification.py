"""What `verify` tells: which of chain, fold, rows and heads hold, whatever was done to the store."""

import msgspec
import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.events import RunStarted
from bearagent_domain.ids import RunId
from bearagent_domain.records import Head, RecordedEvent, corrupt, seal
from bearagent_domain.rows import Rows
from bearagent_domain.runs import RunStatus
from bearagent_domain.views import Verification
from bearagent_ports import Append, StoreError
from bearagent_runtime import QueryService
from bearagent_testkit import CountingIds, FixedClock, MemoryEventStore, SampleRun, sample_run

replace = msgspec.structs.replace


class DamagedStore(MemoryEventStore):
    """No page reaches behind `whole_events`, as of a store that finds damage there; rows may be `lies`."""

    whole_events: int | None = None
    lies: Rows | None = None
    read_failure: StoreError | None = None

    def read(self, run_id: RunId, *, after: int = 0, limit: int = 1_000) -> tuple[RecordedEvent, ...]:
        if self.read_failure is not None:
            raise self.read_failure
        if self.whole_events is None:
            return super().read(run_id, after=after, limit=limit)
        if after + limit > self.whole_events:
            corrupt(f"Event {self.whole_events + 1} is damaged.")
        return super().read(run_id, after=after, limit=limit)

    def rows(self, run_id: RunId) -> Rows:
        return self.lies or super().rows(run_id)


@pytest.fixture
def store() -> DamagedStore:
    return DamagedStore()


@pytest.fixture
def run(store: DamagedStore) -> SampleRun:
    run = sample_run(CountingIds(), FixedClock())
    store.append((run.take(),))
    store.keep_head(run.run_id, run.head)
    return run


def outcomes(verification: Verification) -> dict[str, str]:
    return {check.name: check.outcome.value for check in verification.checks}


def codes(verification: Verification) -> dict[str, ErrorCode]:
    return {check.name: check.code for check in verification.checks if check.code is not None}


def test_a_whole_record_holds_in_every_check(store: DamagedStore, run: SampleRun) -> None:
    found = QueryService(store).verify(run.run_id, run.head.text)
    assert found.ok
    assert outcomes(found) == dict.fromkeys(("chain", "fold", "rows", "kept_head", "given_head"), "holds")
    assert f"{found.last_sequence}:{found.head_hash}" == run.head.text


def test_without_a_kept_head_the_chain_decides_and_verify_says_so(store: DamagedStore) -> None:
    run = sample_run(CountingIds(), FixedClock())
    store.append((run.take(),))
    found = QueryService(store).verify(run.run_id)
    assert found.ok
    assert outcomes(found)["kept_head"] == "not_checked"
    assert "--head" in found.checks[-1].detail


def test_a_broken_chain_is_named_and_what_depends_on_it_is_not_checked(store: DamagedStore, run: SampleRun) -> None:
    store.whole_events = 4
    found = QueryService(store).verify(run.run_id)
    assert codes(found) == {"chain": ErrorCode.RECORD_CORRUPT}
    assert outcomes(found)["rows"] == outcomes(found)["kept_head"] == "not_checked"
    assert not found.ok
    assert "Event 5" in found.checks[0].detail
    assert found.last_sequence == 4
    assert found.head_hash == run.records[3].hash.hex()


def test_a_chain_that_breaks_behind_the_kept_head_still_contains_it(store: DamagedStore, run: SampleRun) -> None:
    store.whole_events = 4
    store.keep_head(run.run_id, Head(3, run.records[2].hash))
    found = QueryService(store).verify(run.run_id)
    assert outcomes(found)["kept_head"] == "holds"
    assert not found.ok


def test_a_sealed_log_whose_steps_do_not_follow_fails_the_fold_alone(store: DamagedStore, run: SampleRun) -> None:
    """Someone who can seal can chain nonsense; the rules of what may follow notice it."""
    record = seal(run.run_id, run.head, FixedClock().now(), None, RunStarted())
    part = Append(run_id=run.run_id, expected_sequence=run.head.sequence, events=(record,), rows=store.rows(run.run_id))
    store.append((part,))
    found = QueryService(store).verify(run.run_id, f"{record.sequence}:{record.hash.hex()}")
    assert codes(found) == {"fold": ErrorCode.RECORD_CORRUPT}
    assert outcomes(found) == {
        "chain": "holds",
        "fold": "failed",
        "rows": "not_checked",
        "kept_head": "holds",
        "given_head": "holds",
    }


@pytest.mark.parametrize("wrong", Rows.__struct_fields__)
def test_rows_that_say_something_else_are_named(store: DamagedStore, run: SampleRun, wrong: str) -> None:
    rows = store.rows(run.run_id)
    changed = replace(rows.run, status=RunStatus.FAILED) if wrong == "run" else ()
    assert getattr(rows, wrong) != changed
    store.lies = replace(rows, **{wrong: changed})
    found = QueryService(store).verify(run.run_id)
    assert codes(found) == {"rows": ErrorCode.STORE_CORRUPT}
    assert f" {wrong}. " in found.checks[2].detail


@pytest.mark.parametrize("sequence", [1, 2**53 - 1])
def test_a_row_with_another_last_sequence_is_noticed(store: DamagedStore, run: SampleRun, sequence: int) -> None:
    rows = store.rows(run.run_id)
    store.lies = replace(rows, run=replace(rows.run, last_sequence=sequence))
    assert codes(QueryService(store).verify(run.run_id)) == {"rows": ErrorCode.STORE_CORRUPT}


def test_a_lost_end_is_noticed_by_the_kept_head(store: DamagedStore, run: SampleRun) -> None:
    store.keep_head(run.run_id, Head(run.head.sequence + 1, b"x" * 32))
    found = QueryService(store).verify(run.run_id)
    assert codes(found) == {"kept_head": ErrorCode.RECORD_TRUNCATED}
    assert "its end is lost" in found.checks[3].detail


def test_a_lost_end_is_noticed_by_a_head_from_outside(store: DamagedStore, run: SampleRun) -> None:
    query, end = QueryService(store), run.head
    lost = "f" * 64
    assert codes(query.verify(run.run_id, f"{end.sequence + 1}:{lost}")) == {"given_head": ErrorCode.RECORD_TRUNCATED}
    assert codes(query.verify(run.run_id, lost)) == {"given_head": ErrorCode.RECORD_TRUNCATED}
    assert codes(query.verify(run.run_id, f"2:{lost}")) == {"given_head": ErrorCode.RECORD_TRUNCATED}
    moved = f"{end.sequence - 1}:{end.hash.hex()}"
    assert codes(query.verify(run.run_id, moved)) == {"given_head": ErrorCode.RECORD_TRUNCATED}


def test_a_head_from_outside_may_be_an_earlier_one_and_a_bare_hash(store: DamagedStore, run: SampleRun) -> None:
    query = QueryService(store)
    for text in (f"3:{run.records[2].hash.hex()}", run.records[2].hash.hex().upper(), f" {run.head.text}\n"):
        assert outcomes(query.verify(run.run_id, text))["given_head"] == "holds"


@pytest.mark.parametrize("text", ["", "3", "3:", ":" + "0" * 64, "0" * 63, "0" * 65, "0:" + "0" * 64, "x:" + "0" * 64])
def test_a_head_that_is_none_is_wrong_usage(store: DamagedStore, run: SampleRun, text: str) -> None:
    with pytest.raises(BearAgentError) as refused:
        QueryService(store).verify(run.run_id, text)
    assert refused.value.info.code is ErrorCode.USAGE


def test_a_store_that_is_busy_says_nothing_about_the_record(store: DamagedStore, run: SampleRun) -> None:
    store.read_failure = StoreError(failure(ErrorCode.STORE_BUSY, "Busy."))
    with pytest.raises(StoreError):
        QueryService(store).verify(run.run_id)
    store.read_failure = StoreError(failure(ErrorCode.STORE_CORRUPT, "A page is damaged."))
    assert codes(QueryService(store).verify(run.run_id)) == {"chain": ErrorCode.STORE_CORRUPT}


def test_a_run_that_goes_on_while_it_is_verified_holds() -> None:
    run = SampleRun(CountingIds(), FixedClock())
    run.begin()

    class GrowingStore(MemoryEventStore):
        def rows(self, run_id: RunId) -> Rows:
            """Between log and rows the driver commits a turn."""
            run.turn("fake.echo")
            self.append((run.take(),))
            return super().rows(run_id)

    store = GrowingStore()
    store.append((run.take(),))
    found = QueryService(store).verify(run.run_id)
    assert found.ok, found
    assert f"{found.last_sequence}:{found.head_hash}" == run.head.text


def test_a_run_whose_head_is_kept_but_which_is_not_in_the_record_is_lost() -> None:
    class OlderStore(MemoryEventStore):
        def kept_head(self, run_id: RunId) -> Head:
            return Head(7, b"x" * 32)

    with pytest.raises(BearAgentError) as refused:
        QueryService(OlderStore()).resolve(CountingIds().new_id())
    assert refused.value.info.code is ErrorCode.RECORD_TRUNCATED
