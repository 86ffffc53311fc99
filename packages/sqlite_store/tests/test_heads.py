"""Heads beside the database: replaced whole, and never trusted when they can't be read."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bearagent_domain.ids import RunId
from bearagent_domain.records import Head
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds

RUN_ID = RunId(CountingIds().new_id())
HEAD = Head(7, bytes(range(32)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteEventStore]:
    store = SqliteEventStore.open(tmp_path / "record.db")
    yield store
    store.close()


def test_a_head_is_one_line_of_text_in_a_file_of_its_own(tmp_path: Path, store: SqliteEventStore) -> None:
    assert store.keep_head(RUN_ID, Head(3, bytes(32)))
    assert store.keep_head(RUN_ID, HEAD)
    assert store.kept_head(RUN_ID) == HEAD
    files = list((tmp_path / "record.db.heads").iterdir())
    assert [file.name for file in files] == [RUN_ID]
    assert files[0].read_text() == f"{HEAD.text}\n"


def test_a_head_outlives_the_database(tmp_path: Path, store: SqliteEventStore) -> None:
    assert store.keep_head(RUN_ID, HEAD)
    store.close()
    (tmp_path / "record.db").unlink()
    other = SqliteEventStore.open(tmp_path / "record.db")
    assert other.kept_head(RUN_ID) == HEAD
    other.close()


@pytest.mark.parametrize(
    "content",
    [b"", b"7", b"7:00\n", b"0:" + b"0" * 64 + b"\n", HEAD.text.encode(), HEAD.text.encode() + b"\n\n", b"\xff" * 200],
)
def test_what_is_no_head_counts_as_none(tmp_path: Path, store: SqliteEventStore, content: bytes) -> None:
    assert store.keep_head(RUN_ID, HEAD)
    (tmp_path / "record.db.heads" / RUN_ID).write_bytes(content)
    assert store.kept_head(RUN_ID) is None


def test_a_pipe_in_the_place_of_a_head_counts_as_none(tmp_path: Path, store: SqliteEventStore) -> None:
    (tmp_path / "record.db.heads").mkdir()
    os.mkfifo(tmp_path / "record.db.heads" / RUN_ID)
    assert store.kept_head(RUN_ID) is None


def test_a_head_that_cant_be_kept_is_told_and_the_old_one_stays(tmp_path: Path, store: SqliteEventStore) -> None:
    assert store.keep_head(RUN_ID, HEAD)
    (tmp_path / "record.db.heads" / f"{RUN_ID}.new").mkdir()
    assert not store.keep_head(RUN_ID, Head(9, bytes(32)))
    assert store.kept_head(RUN_ID) == HEAD


def test_without_a_folder_no_head_is_kept(tmp_path: Path, store: SqliteEventStore) -> None:
    (tmp_path / "record.db.heads").touch()
    assert not store.keep_head(RUN_ID, HEAD)
    assert store.kept_head(RUN_ID) is None
