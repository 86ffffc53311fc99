"""Tables that are newer or altered are refused; nothing is guessed about them."""

from pathlib import Path

import apsw
import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.times import Time, parsed_time
from bearagent_ports import StoreError
from bearagent_sqlite_store import SqliteEventStore, connections, migrations
from bearagent_sqlite_store.migrations import Migration
from bearagent_testkit import CountingIds, FixedClock, sample_run


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "record.db"
    SqliteEventStore.open(path).close()
    return path


def test_the_ledger_tells_what_was_applied_and_when(database: Path) -> None:
    connection = apsw.Connection(str(database))
    number, name, sha256, schema_sha256, applied_at = connection.execute("SELECT * FROM migrations").get
    connection.close()
    assert (number, name) == (1, "record")
    assert len(bytes.fromhex(sha256)) == len(bytes.fromhex(schema_sha256)) == 32
    parsed_time(Time(applied_at))  # refuses what is no time


def test_a_schema_of_a_newer_version_is_called_so(database: Path) -> None:
    connection = apsw.Connection(str(database))
    connection.execute("INSERT INTO migrations VALUES (2, 'later', 'x', 'x', 'x')")
    connection.execute("ALTER TABLE runs ADD COLUMN note TEXT")
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    assert refusals(database) == [ErrorCode.STORE_SCHEMA_UNKNOWN] * 2


def test_a_schema_of_an_older_version_is_brought_up_to_date_and_that_is_recorded(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = sample_run(CountingIds(), FixedClock())
    store = SqliteEventStore.open(database)
    store.append((run.take(),))
    store.close()
    later = Migration("notes", "CREATE TABLE notes (text TEXT) STRICT;")
    for module in (migrations, connections):
        monkeypatch.setattr(module, "MIGRATIONS", (*migrations.MIGRATIONS, later))
    store = SqliteEventStore.open_existing(database)
    assert list(store.read(run.run_id)) == run.records
    store.close()
    connection = apsw.Connection(str(database))
    assert connection.execute("SELECT number, name FROM migrations").fetchall() == [(1, "record"), (2, "notes")]
    assert connection.pragma("user_version") == 2
    connection.close()
    monkeypatch.undo()
    assert refusals(database) == [ErrorCode.STORE_SCHEMA_UNKNOWN] * 2, "the version before refuses it"


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA user_version = 2",
        "PRAGMA user_version = -1",
        "UPDATE migrations SET sha256 = 'x'",
        "UPDATE migrations SET schema_sha256 = 'x'",
        "INSERT INTO migrations VALUES (2, 'later', 'x', 'x', 'x')",
        "DELETE FROM migrations",
        "DROP TABLE migrations",
        "ALTER TABLE migrations DROP COLUMN schema_sha256",
        "DROP TABLE artifacts",
        "ALTER TABLE runs ADD COLUMN note TEXT",
        "CREATE INDEX fast ON events (hash)",
        "CREATE TRIGGER spy AFTER INSERT ON events BEGIN DELETE FROM runs; END",
    ],
)
def test_an_altered_schema_is_refused(database: Path, statement: str) -> None:
    connection = apsw.Connection(str(database))
    connection.execute(statement)
    connection.close()
    assert refusals(database) == [ErrorCode.STORE_SCHEMA_ALTERED] * 2


def refusals(database: Path) -> list[ErrorCode]:
    """The codes by which the record is refused."""
    codes = []
    for opened in (SqliteEventStore.open, SqliteEventStore.open_existing):
        with pytest.raises(StoreError) as refused:
            opened(database)
        codes.append(refused.value.info.code)
    return codes
