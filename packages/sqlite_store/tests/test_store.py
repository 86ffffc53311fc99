"""What the store notices when it reads, what it refuses when it writes, and what it loses when rows are lost."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import msgspec
import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.json_values import JsonRefused
from bearagent_ports import RunNotFound, StoreError
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, SampleRun, sample_run

PAGE_BYTES = 4_096
replace = msgspec.structs.replace


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "record.db"


@pytest.fixture
def run(database: Path) -> SampleRun:
    """A whole run, stored by a store that is closed again."""
    run = sample_run(CountingIds(), FixedClock())
    store = SqliteEventStore.open(database)
    store.append((run.take(),))
    store.close()
    return run


@pytest.fixture
def store(database: Path) -> Iterator[SqliteEventStore]:
    store = SqliteEventStore.open(database)
    yield store
    store.close()


def altered(path: Path, *statements: str) -> None:
    connection = apsw.Connection(str(path))
    for statement in statements:
        list(connection.execute(statement))
    connection.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), 'started', 'stopped') AS BLOB) WHERE sequence = 2",
        "UPDATE events SET body = zeroblob(10) WHERE sequence = 3",
        "UPDATE events SET hash = zeroblob(32) WHERE sequence = 5",
        "UPDATE events SET sequence = sequence + 100 WHERE sequence = 4",
        "DELETE FROM events WHERE sequence = 1",
        "DELETE FROM events WHERE sequence = 6",
        "DELETE FROM events",
        "UPDATE bindings SET run_id = '00000099-0000-4000-8000-000000000099'",
    ],
)
def test_a_changed_log_is_noticed_when_it_is_read(
    run: SampleRun, database: Path, store: SqliteEventStore, statement: str
) -> None:
    altered(database, statement)
    run_id = store.matching("0000")[0]
    with pytest.raises(BearAgentError) as refused:
        store.read(run_id)
    assert refused.value.info.code is ErrorCode.RECORD_CORRUPT


def test_a_lost_event_before_the_page_is_noticed(run: SampleRun, database: Path, store: SqliteEventStore) -> None:
    altered(database, "DELETE FROM events WHERE sequence = 4")
    assert len(store.read(run.run_id, limit=3)) == 3
    for after in (3, 4):
        with pytest.raises(BearAgentError) as refused:
            store.read(run.run_id, after=after)
        assert refused.value.info.code is ErrorCode.RECORD_CORRUPT


def test_a_page_of_zeros_is_noticed_or_loses_the_end_alone(run: SampleRun, database: Path) -> None:
    whole = database.read_bytes()
    noticed = 0
    for start in range(0, len(whole), PAGE_BYTES):
        database.write_bytes(whole[: start + 100] + bytes(3_996) + whole[start + PAGE_BYTES :])
        noticed += what_is_read(database, run) != "whole"
    assert noticed >= 3


def test_a_value_whose_type_is_damaged_is_noticed(run: SampleRun, database: Path) -> None:
    whole = database.read_bytes()
    record = next(record for record in run.records if whole.count(record.hash) == 1)  # no copy in a free part of a page
    values = whole.index(record.hash)  # before it stand its type, that of the body, and the sequence
    for place in (values - 4, values - 2):
        flipped = bytearray(whole)
        flipped[place] ^= 1
        database.write_bytes(flipped)
        store = SqliteEventStore.open_existing(database)
        for after in (0, record.sequence):
            with pytest.raises(BearAgentError):
                store.read(run.run_id, after=after)
        store.close()


def test_a_flipped_bit_is_noticed_or_harmless(run: SampleRun, database: Path) -> None:
    whole = database.read_bytes()
    answers = []
    for place in range(0, len(whole), 211):
        flipped = bytearray(whole)
        flipped[place] ^= 0x10
        database.write_bytes(flipped)
        answers.append(what_is_read(database, run))
    assert {"whole", "record_corrupt"} <= set(answers)


def what_is_read(database: Path, run: SampleRun) -> str:
    """`whole`, `lost end` (which a head kept outside shows) or a code; never another log, never another error."""
    try:
        store = SqliteEventStore.open_existing(database)
    except StoreError as error:
        return error.info.code
    try:
        found = list(store.read(run.run_id))
    except BearAgentError as error:
        return error.info.code
    finally:
        store.close()
    assert found == run.records[: len(found)]
    return "whole" if len(found) == len(run.records) else "lost end"


@pytest.mark.parametrize(
    "statement",
    ["UPDATE runs SET status = 'odd'", "UPDATE runs SET objective = CAST(x'ff' AS TEXT) || 'x'", "DELETE FROM runs"],
)
def test_a_damaged_row_hides_no_other_run(
    run: SampleRun, database: Path, store: SqliteEventStore, statement: str
) -> None:
    others = [sample_run(CountingIds(start=start), FixedClock()) for start in (1_000, 2_000)]
    altered(database, statement)
    for other in others:
        store.append((other.take(),))
    page = store.runs()
    assert [row.run_id for row in page.runs] == [other.run_id for other in reversed(others)]
    assert page.damaged == (run.run_id,)
    assert store.runs(limit=2).damaged == ()
    assert store.runs(cursor=store.runs(limit=2).next_cursor).damaged == (run.run_id,)
    assert list(store.read(run.run_id)) == run.records


def test_an_id_that_is_no_text_any_more_hides_no_other_run_and_is_named(run: SampleRun, database: Path) -> None:
    types = types_of_binding(database)
    with_byte(database, types, old=13 + 2 * len(run.run_id), new=12 + 2 * len(run.run_id))
    other = sample_run(CountingIds(start=1_000), FixedClock())
    with closing(SqliteEventStore.open_existing(database)) as store:
        store.append((other.take(),))
        page = store.runs()
        assert ([row.run_id for row in page.runs], page.damaged) == ([other.run_id], (run.run_id,))
        assert store.matching("") == (other.run_id, run.run_id)
        assert store.matching("00000001") == (run.run_id,)


def test_a_binding_that_is_damaged_or_lost_is_refused_by_a_code(run: SampleRun, database: Path) -> None:
    whole, types = database.read_bytes(), types_of_binding(database)
    cells = types // PAGE_BYTES * PAGE_BYTES + 4
    for place, old, new in ((types + 1, 33, 32), (cells, 1, 0)):  # no text; lost, though an index knows of it
        database.write_bytes(whole)
        with_byte(database, place, old=old, new=new)
        with closing(SqliteEventStore.open_existing(database)) as store, pytest.raises(StoreError) as refused:
            store.binding(run.run_id)
        assert refused.value.info.code is ErrorCode.STORE_CORRUPT


def types_of_binding(database: Path) -> int:
    """Where, in the file, the types of the columns of the only binding stand: of its id, its workspace and so on."""
    id_and_workspace = re.search(rb"[0-9a-f-]{36}/workspace", database.read_bytes())
    assert id_and_workspace is not None
    return id_and_workspace.start() - 5


def with_byte(database: Path, place: int, *, old: int, new: int) -> None:
    data = bytearray(database.read_bytes())
    assert data[place] == old
    data[place] = new
    database.write_bytes(data)


def test_rows_that_are_lost_cost_no_event_and_can_be_put_back(
    run: SampleRun, database: Path, store: SqliteEventStore
) -> None:
    before = store.rows(run.run_id)
    altered(database, "DELETE FROM runs", "DELETE FROM activities", "DELETE FROM artifacts")
    assert store.runs().runs == ()
    assert store.runs().damaged == (run.run_id,)
    with pytest.raises(StoreError) as refused:
        store.run(run.run_id)
    assert refused.value.info.code is ErrorCode.STORE_CORRUPT
    assert list(store.read(run.run_id)) == run.records
    store.replace_rows(run.run_id, before)
    assert msgspec.json.encode(store.rows(run.run_id)) == msgspec.json.encode(before)
    assert store.runs().runs == (before.run,)


def test_rows_of_an_unknown_run_are_not_stored(run: SampleRun, store: SqliteEventStore) -> None:
    other = sample_run(CountingIds(start=1_000), FixedClock())
    with pytest.raises(RunNotFound):
        store.replace_rows(other.run_id, other.take().rows)
    assert len(store.runs().runs) == 1


def test_a_binding_that_is_no_text_is_refused_whole(store: SqliteEventStore) -> None:
    run = sample_run(CountingIds(), FixedClock())
    part = run.take()
    assert part.binding is not None
    with pytest.raises(JsonRefused):
        store.append((replace(part, binding=replace(part.binding, workspace="/home/\udcff")),))
    assert store.runs().runs == ()
    store.append((part,))
    assert store.binding(run.run_id) == part.binding


def test_a_prefix_that_has_no_utf_8_form_fits_nothing(run: SampleRun, store: SqliteEventStore) -> None:
    assert store.matching("\udcff") == ()
    assert store.matching("0000\0") == ()


def test_each_event_is_stored_as_the_bytes_that_were_sealed(run: SampleRun, database: Path) -> None:
    connection = apsw.Connection(str(database))
    stored = connection.execute("SELECT body, hash FROM events ORDER BY run_number, sequence").fetchall()
    connection.close()
    assert stored == [(record.body, record.hash) for record in run.records]
