"""What `doctor` is told of a database."""

from pathlib import Path

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_ports import StoreError
from bearagent_sqlite_store import SqliteEventStore, check_database
from bearagent_testkit import CountingIds, FixedClock, sample_run

PAGE_BYTES = 4_096


def test_a_sound_database_is_counted_and_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    run = sample_run(CountingIds(), FixedClock())
    store = SqliteEventStore.open(path)
    store.append((run.take(),))
    store.close()
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    health = check_database(path)
    assert (health.schema, health.runs, health.events, health.problems) == (1, 1, len(run.records), ())
    assert health.size == path.stat().st_size
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before


def test_a_run_whose_head_is_kept_and_which_an_older_copy_lacks_is_lost(tmp_path: Path) -> None:
    path, ids = tmp_path / "record.db", CountingIds()
    first, second = sample_run(ids, FixedClock()), sample_run(ids, FixedClock())
    copies = []
    for run in (first, second):
        store = SqliteEventStore.open(path)
        store.append((run.take(),))
        assert store.keep_head(run.run_id, run.head)
        store.close()
        copies.append(path.read_bytes())
    (tmp_path / "record.db.heads" / "notes.txt").write_text("no head")
    assert check_database(path).lost_runs == ()
    path.write_bytes(copies[0])
    assert check_database(path).lost_runs == (second.run_id,)


def test_the_log_ahead_counts_as_well(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    store = SqliteEventStore.open(path)
    store.append((sample_run(CountingIds(), FixedClock()).take(),))
    assert check_database(path).size == path.stat().st_size + path.with_name("record.db-wal").stat().st_size
    store.close()


def test_pages_that_forget_their_cells_are_problems(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    store = SqliteEventStore.open(path)
    store.append((sample_run(CountingIds(), FixedClock()).take(),))
    store.close()
    whole = path.read_bytes()
    problems: list[str] = []
    for start in range(PAGE_BYTES, len(whole), PAGE_BYTES):
        path.write_bytes(whole[: start + 3] + b"\0\1" + whole[start + 5 :])  # the page's count of cells
        problems += check_database(path).problems
    assert any("wrong # of entries" in problem for problem in problems)
    path.write_bytes(whole)
    assert check_database(path).problems == ()


def test_a_file_cut_short_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    store = SqliteEventStore.open(path)
    store.append((sample_run(CountingIds(), FixedClock()).take(),))
    store.close()
    path.write_bytes(path.read_bytes()[:-PAGE_BYTES])
    with pytest.raises(StoreError) as refused:
        assert check_database(path).problems == ()
    assert refused.value.info.code is ErrorCode.STORE_CORRUPT
