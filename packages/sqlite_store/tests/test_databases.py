"""Files that are not what they should be: each is refused with its code, and nothing is created or changed."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_ports import StoreError
from bearagent_sqlite_store import SqliteEventStore, check_database
from bearagent_testkit import CountingIds, FixedClock, SampleRun, sample_run


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "record.db"
    SqliteEventStore.open(path).close()
    return path


def altered(path: Path, *statements: str) -> None:
    connection = apsw.Connection(str(path))
    for statement in statements:
        list(connection.execute(statement))
    connection.close()


def test_a_new_database_is_private_and_complete(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "record.db"
    store = SqliteEventStore.open(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "deep" / "er" / "record.db.locks").stat().st_mode) == 0o700
    store.close()
    health = check_database(path)
    assert health.problems == () and health.runs == 0 and health.schema == 1


def test_a_query_never_creates_a_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as refused:
        SqliteEventStore.open_existing(tmp_path / "record.db")
    assert refused.value.info.code is ErrorCode.STORE_MISSING
    assert list(tmp_path.iterdir()) == []


def text_file(path: Path) -> None:
    path.write_text("These are my notes.\n" * 500)


def short_text_file(path: Path) -> None:
    path.write_text("x")


def folder(path: Path) -> None:
    path.mkdir()


def database_of_another_program(path: Path) -> None:
    altered(path, "CREATE TABLE notes (text TEXT)")


def database_with_another_application_id(path: Path) -> None:
    altered(path, "PRAGMA application_id = 7", "CREATE TABLE notes (text TEXT)")


@pytest.mark.parametrize(
    "make",
    [text_file, short_text_file, folder, database_of_another_program, database_with_another_application_id],
)
@pytest.mark.parametrize("opened", [SqliteEventStore.open, SqliteEventStore.open_existing, check_database])
def test_what_is_no_record_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], opened: Callable[[Path], object]
) -> None:
    path = tmp_path / "record.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError) as refused:
        opened(path)
    assert refused.value.info.code is ErrorCode.STORE_NOT_A_DATABASE
    assert str(tmp_path) not in refused.value.info.message
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_file_whose_maker_was_killed_at_once_is_no_record_yet(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    path.touch()
    with pytest.raises(StoreError) as refused:
        SqliteEventStore.open_existing(path)
    assert refused.value.info.code is ErrorCode.STORE_MISSING
    SqliteEventStore.open(path).close()
    assert check_database(path).problems == ()


@pytest.mark.parametrize(
    "statements",
    [
        ("PRAGMA user_version = 2",),
        ("UPDATE migrations SET sha256 = 'x'",),
        ("DELETE FROM migrations",),
        ("DROP TABLE migrations",),
        ("ALTER TABLE runs ADD COLUMN note TEXT",),
        ("CREATE TRIGGER spy AFTER INSERT ON events BEGIN DELETE FROM runs; END",),
        ("INSERT INTO migrations VALUES (2, 'later', 'x', 'x', 'x')",),
    ],
)
def test_a_newer_or_altered_schema_is_refused(database: Path, statements: tuple[str, ...]) -> None:
    altered(database, *statements)
    with pytest.raises(StoreError) as refused:
        SqliteEventStore.open(database)
    assert refused.value.info.code is ErrorCode.STORE_SCHEMA_UNKNOWN


def stored(database: Path) -> SampleRun:
    run = sample_run(CountingIds(), FixedClock())
    store = SqliteEventStore.open(database)
    store.append((run.take(),))
    store.close()
    return run


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET body = CAST(replace(CAST(body AS TEXT), 'started', 'stopped') AS BLOB) WHERE sequence = 2",
        "UPDATE events SET hash = zeroblob(32) WHERE sequence = 5",
        "DELETE FROM events WHERE sequence = 1",
        "DELETE FROM events WHERE sequence = 6",
        "UPDATE events SET sequence = sequence + 100 WHERE sequence = 4",
        "UPDATE events SET body = zeroblob(10) WHERE sequence = 3",
    ],
)
def test_a_changed_log_is_noticed_when_it_is_read(database: Path, statement: str) -> None:
    run = stored(database)
    altered(database, statement)
    store = SqliteEventStore.open_existing(database)
    with pytest.raises(BearAgentError) as refused:
        store.read(run.run_id)
    assert refused.value.info.code is ErrorCode.RECORD_CORRUPT
    store.close()


def test_a_lost_event_before_the_page_is_noticed(database: Path) -> None:
    run = stored(database)
    altered(database, "DELETE FROM events WHERE sequence = 4")
    store = SqliteEventStore.open_existing(database)
    assert len(store.read(run.run_id, limit=3)) == 3
    with pytest.raises(BearAgentError):
        store.read(run.run_id, after=4)
    store.close()


@pytest.mark.parametrize("statement", ["UPDATE runs SET status = 'odd'", "UPDATE runs SET objective = x'ff' || 'x'"])
def test_a_damaged_row_is_an_error_of_the_list_only(database: Path, statement: str) -> None:
    run = stored(database)
    altered(database, statement)
    store = SqliteEventStore.open_existing(database)
    with pytest.raises(StoreError) as refused:
        store.runs()
    assert refused.value.info.code is ErrorCode.STORE_CORRUPT
    assert list(store.read(run.run_id)) == run.records
    store.close()


def test_every_damaged_page_is_noticed_or_harmless(database: Path) -> None:
    run = stored(database)
    whole = database.read_bytes()
    seen = 0
    for page in range(len(whole) // 4096):
        damaged = bytearray(whole)
        damaged[page * 4096 + 100 : page * 4096 + 4096] = bytes(3_996)
        database.write_bytes(damaged)
        try:
            store = SqliteEventStore.open_existing(database)
        except BearAgentError:
            seen += 1
            continue
        try:
            found = list(store.read(run.run_id))
            assert found == run.records[: len(found)], "what is read is what was written"
            seen += len(found) < run.head.sequence  # a lost end: whoever keeps the head outside sees it
        except BearAgentError as error:
            assert error.info.code in (ErrorCode.RECORD_CORRUPT, ErrorCode.STORE_CORRUPT, ErrorCode.RUN_NOT_FOUND)
            seen += 1
        finally:
            store.close()
    assert seen >= 3


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_folder_that_may_not_be_written_has_its_code(database: Path) -> None:
    database.parent.chmod(0o500)
    try:
        with pytest.raises(StoreError) as refused:
            SqliteEventStore.open_existing(database)
        assert refused.value.info.code is ErrorCode.STORE_READ_ONLY
    finally:
        database.parent.chmod(0o700)


def test_a_file_where_the_folder_should_be_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError) as refused:
        SqliteEventStore.open(tmp_path / "file" / "record.db")
    assert refused.value.info.code is ErrorCode.STORE_NOT_A_DATABASE
