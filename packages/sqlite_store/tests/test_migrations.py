"""Tables that are newer or altered are refused; nothing is guessed about them."""

from pathlib import Path

import apsw
import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.times import Time, parsed_time
from bearagent_ports import StoreError
from bearagent_sqlite_store import SqliteEventStore


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
def test_a_newer_or_altered_schema_is_refused(database: Path, statement: str) -> None:
    connection = apsw.Connection(str(database))
    connection.execute(statement)
    connection.close()
    for opened in (SqliteEventStore.open, SqliteEventStore.open_existing):
        with pytest.raises(StoreError) as refused:
            opened(database)
        assert refused.value.info.code is ErrorCode.STORE_SCHEMA_UNKNOWN
