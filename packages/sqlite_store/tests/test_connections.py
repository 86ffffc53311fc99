"""Opening: what is made, how private it is, and the refusal of files that are not what they should be."""

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_ports import StoreError
from bearagent_sqlite_store import SqliteEventStore, check_database
from bearagent_testkit import CountingIds, FixedClock, sample_run

OPENERS = [SqliteEventStore.open, SqliteEventStore.open_existing, check_database]
NOBODY = 65_534

# Prints the code with which an unprivileged process is refused.
OPEN_AS_NOBODY = f"""
import os, sys
from bearagent_ports import StoreError
from bearagent_sqlite_store import SqliteEventStore
if os.geteuid() == 0:
    os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
try:
    SqliteEventStore.open(sys.argv[1])
except StoreError as error:
    print(error.info.code)
"""

# Takes the bytes that each connection locks for sharing while it has the database in use.
LOCK_AS_UNUSED = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)
"""


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


def refused(opened: Callable[[Path], object], path: Path) -> ErrorCode:
    with pytest.raises(StoreError) as caught:
        opened(path)
    assert str(path.parent) not in caught.value.info.message
    return caught.value.info.code


def test_a_new_record_is_private_with_all_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "record.db"
    store = SqliteEventStore.open(path)
    run = sample_run(CountingIds(), FixedClock())
    store.append((run.take(),))
    assert store.keep_head(run.run_id, run.head)
    made = [found for found in tmp_path.rglob("*")]
    assert {stat.S_IMODE(found.stat().st_mode) for found in made if found.is_dir()} == {0o700}
    assert {stat.S_IMODE(found.stat().st_mode) for found in made if found.is_file()} == {0o600}
    assert {found.name for found in made if found.is_dir()} == {"deep", "er", "record.db.locks", "record.db.heads"}
    store.close()


def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    SqliteEventStore.open(folder / "record.db").close()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_the_file_says_whose_it_is_and_logs_ahead(database: Path) -> None:
    connection = apsw.Connection(str(database))
    assert connection.pragma("application_id") == int.from_bytes(b"BEAR", "big")
    assert connection.pragma("user_version") == check_database(database).schema == 1
    assert connection.pragma("journal_mode") == "wal"
    connection.close()


@pytest.mark.parametrize("opened", [SqliteEventStore.open_existing, check_database])
def test_a_query_never_creates_anything(tmp_path: Path, opened: Callable[[Path], object]) -> None:
    assert refused(opened, tmp_path / "deep" / "record.db") is ErrorCode.STORE_MISSING
    assert list(tmp_path.iterdir()) == []


def text_file(path: Path) -> None:
    path.write_text("These are my notes.\n" * 500)


def short_text_file(path: Path) -> None:
    path.write_text("x")


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def database_of_another_program(path: Path) -> None:
    altered(path, "CREATE TABLE notes (text TEXT)")


def database_with_another_application_id(path: Path) -> None:
    altered(path, "PRAGMA application_id = 7", "CREATE TABLE notes (text TEXT)")


@pytest.mark.parametrize(
    "make",
    [text_file, short_text_file, folder, pipe, database_of_another_program, database_with_another_application_id],
)
@pytest.mark.parametrize("opened", OPENERS)
def test_what_is_no_record_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], opened: Callable[[Path], object]
) -> None:
    path = tmp_path / "record.db"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    assert refused(opened, path) is ErrorCode.STORE_NOT_A_DATABASE
    assert (path.read_bytes() if path.is_file() else None) == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_where_the_path_needs_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert refused(SqliteEventStore.open, tmp_path / "file" / "record.db") is ErrorCode.STORE_NOT_A_DATABASE


def test_a_file_name_never_means_anything_else_to_sqlite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:record.db?mode=memory"):
        SqliteEventStore.open(name).close()
        assert check_database(tmp_path / name).size > 0


def nothing_yet(path: Path) -> None:
    path.touch()


def no_tables_yet(path: Path) -> None:
    altered(path, "PRAGMA journal_mode = wal")


@pytest.mark.parametrize("make", [nothing_yet, no_tables_yet])
def test_a_file_whose_maker_was_killed_is_no_record_yet_and_is_finished(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "record.db"
    make(path)
    assert refused(SqliteEventStore.open_existing, path) is ErrorCode.STORE_MISSING
    SqliteEventStore.open(path).close()
    assert check_database(path).schema == 1


def test_a_record_whose_journal_was_changed_logs_ahead_again(database: Path) -> None:
    altered(database, "PRAGMA journal_mode = delete")
    SqliteEventStore.open_existing(database).close()
    connection = apsw.Connection(str(database))
    assert connection.pragma("journal_mode") == "wal"
    connection.close()


def test_a_second_connection_of_the_process_leaves_the_first_its_locks(database: Path) -> None:
    """Opening and closing the file by hand would end them, and others would take the database for unused."""
    store = SqliteEventStore.open(database)
    assert store.runs().runs == ()
    SqliteEventStore.open_existing(database).close()
    tried = subprocess.run([sys.executable, "-c", LOCK_AS_UNUSED, database], capture_output=True, text=True)
    store.close()
    assert "BlockingIOError" in tried.stderr


def unreadable_file(path: Path) -> None:
    path.chmod(0o000)
    path.parent.chmod(0o777)


def file_that_may_be_read_only(path: Path) -> None:
    path.chmod(0o444)
    path.parent.chmod(0o777)


def folder_that_may_be_read_only(path: Path) -> None:
    path.chmod(0o666)
    path.parent.chmod(0o555)


def folder_that_may_not_be_entered(path: Path) -> None:
    path.parent.chmod(0o000)


@pytest.mark.parametrize(
    "close",
    [unreadable_file, file_that_may_be_read_only, folder_that_may_be_read_only, folder_that_may_not_be_entered],
)
def test_without_the_right_to_read_and_write_there_is_one_code(close: Callable[[Path], None]) -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders can't be entered by others
        path = Path(name) / "record.db"
        SqliteEventStore.open(path).close()
        close(path)
        child = subprocess.run(
            [sys.executable, "-c", OPEN_AS_NOBODY, path], capture_output=True, text=True, cwd="/", check=True
        )
        Path(name).chmod(0o700)
    assert child.stdout.strip() == ErrorCode.STORE_READ_ONLY
