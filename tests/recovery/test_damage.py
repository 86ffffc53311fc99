"""A damaged record: each damage is noticed and named by a code, or nothing else is read because of it.

Bits are flipped, files are cut and mixed up, pages are lost; then the record is read through everything that reads
one. The controls leave out the chain or the kept heads, and miss most of it.
"""

import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bearagent_domain.ids import RunId
from bearagent_domain.records import Head
from bearagent_runtime import QueryService
from bearagent_sqlite_store import SqliteEventStore
from tests.recovery.damaged_records import HEADS, NAME, Effect, Finding, Record, record_in

PAGE_BYTES = 4_096


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Everything stands in the database file."""
    return record_in(tmp_path_factory.mktemp("settled"), is_checkpointed=True)


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """The second run stands in the write-ahead log."""
    return record_in(tmp_path_factory.mktemp("logged"), is_checkpointed=False)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A place in memory where there is one: thousands of copies are made."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        yield Path(name) / "copy"


def flips(data: bytes, step: int) -> Iterator[bytes]:
    """One bit of each `step`-th byte flipped in turn."""
    for place in range(0, len(data), step):
        changed = bytearray(data)
        changed[place] ^= 1 << (place // step + place) % 8
        yield bytes(changed)


def cuts(data: bytes, step: int) -> Iterator[bytes]:
    """Cut to each multiple of `step`."""
    for size in range(0, len(data), step):
        yield data[:size]


def counted(findings: Iterable[Finding]) -> Counter[str]:
    """How often what was found; every way of noticing for itself. A silent effect fails the test."""
    found = Counter(finding.by or finding.effect.value for finding in findings)
    print(f"{found.total()} times: {dict(found.most_common())}")
    assert found[Effect.SILENT] == 0
    return found


@pytest.mark.rounds(short=131, full=1)
def test_a_flipped_bit_of_the_database_is_noticed_or_has_no_effect(settled: Record, folder: Path, rounds: int) -> None:
    found = counted(
        settled.finding(settled.laid_out(folder, database=data)) for data in flips(settled.files[NAME], rounds)
    )
    assert found["record_corrupt"] > 0 and found[Effect.NONE] > 0


@pytest.mark.rounds(short=131, full=1)
def test_a_flipped_bit_of_the_log_ahead_is_noticed_or_has_no_effect(logged: Record, folder: Path, rounds: int) -> None:
    wal = logged.files[f"{NAME}-wal"]
    found = counted(logged.finding(logged.laid_out(folder, wal=data)) for data in flips(wal, rounds))
    assert found["record_truncated"] > 0


@pytest.mark.rounds(short=1_024, full=64)
def test_a_log_ahead_that_was_cut_is_noticed_or_has_no_effect(logged: Record, folder: Path, rounds: int) -> None:
    wal = logged.files[f"{NAME}-wal"]
    found = counted(logged.finding(logged.laid_out(folder, wal=data)) for data in cuts(wal, rounds))
    assert found["record_truncated"] > found.total() / 2


@pytest.mark.rounds(short=4_096, full=512)
def test_a_database_that_was_cut_is_noticed_or_has_no_effect(settled: Record, folder: Path, rounds: int) -> None:
    database = settled.files[NAME]
    found = counted(settled.finding(settled.laid_out(folder, database=data)) for data in cuts(database, rounds))
    assert found.total() - found[Effect.NONE] >= found.total() - PAGE_BYTES / rounds


@pytest.mark.parametrize("content", ["zeros", "ones", "the page before", "text"])
def test_a_page_that_holds_something_else_is_noticed_or_has_no_effect(
    settled: Record, folder: Path, content: str
) -> None:
    database = settled.files[NAME]

    def damaged() -> Iterator[bytes]:
        for start in range(0, len(database), PAGE_BYTES):
            page = {
                "zeros": bytes(PAGE_BYTES),
                "ones": b"\xff" * PAGE_BYTES,
                "the page before": database[start - PAGE_BYTES : start] or bytes(PAGE_BYTES),
                "text": b"lorem ipsum " * 341 + b"....",
            }[content]
            yield database[:start] + page + database[start + PAGE_BYTES :]

    found = counted(settled.finding(settled.laid_out(folder, database=data)) for data in damaged())
    assert found.total() - found[Effect.NONE] > found.total() / 2


@pytest.mark.parametrize("content", [b"", bytes(32_768), b"\xff" * 32_768, b"garbage"])
def test_a_damaged_index_of_the_log_ahead_has_no_effect(logged: Record, folder: Path, content: bytes) -> None:
    assert logged.finding(logged.laid_out(folder, shm=content)).effect is Effect.NONE
    assert logged.finding(logged.laid_out(folder, shm=None)).effect is Effect.NONE


def test_a_lost_log_ahead_and_that_of_another_record_are_noticed(logged: Record, settled: Record, folder: Path) -> None:
    assert logged.finding(logged.laid_out(folder, wal=None)).by == "record_truncated"
    assert logged.finding(logged.laid_out(folder, wal=b"")).by == "record_truncated"
    foreign = settled.laid_out(folder, wal=logged.files[f"{NAME}-wal"])
    assert settled.finding(foreign).effect is not Effect.SILENT


def test_an_older_copy_of_the_database_is_noticed(settled: Record, logged: Record, folder: Path) -> None:
    """In the database file of the other record the second run does not stand yet; its head is kept."""
    assert settled.finding(settled.laid_out(folder, database=logged.files[NAME])).by == "record_truncated"


def kept_file(folder: Path, run_id: RunId) -> Path:
    return folder / HEADS / run_id


def a_folder(path: Path) -> None:
    path.mkdir()


def a_link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.parametrize(
    "put",
    [
        lambda path: None,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"no head\n"),
        lambda path: path.write_bytes(b"1:" + b"0" * 10_000_000),
        a_folder,
        os.mkfifo,
        a_link_to_itself,
    ],
    ids=["nothing", "an empty file", "garbage", "a huge file", "a folder", "a pipe", "a link to itself"],
)
def test_without_a_readable_head_verify_says_so_and_goes_by_the_chain(
    settled: Record, folder: Path, put: Callable[[Path], object]
) -> None:
    settled.laid_out(folder)
    run_id = settled.run_ids[0]
    kept_file(folder, run_id).unlink()
    put(kept_file(folder, run_id))
    with closing(SqliteEventStore.open_existing(folder / NAME)) as store:
        found = QueryService(store).verify(run_id)
    assert found.ok
    assert {check.name: check.outcome.value for check in found.checks}["kept_head"] == "not_checked"


def test_an_older_head_is_contained_and_another_one_is_not(settled: Record, folder: Path) -> None:
    run_id, run = settled.run_ids[0], settled.whole.runs[0]
    events = settled.whole.events[0].events
    for sequence, hash_, by in (
        (3, events[2].hash, ""),
        (3, events[3].hash, "record_truncated"),
        (run.last_sequence + 1, run.head_hash, "record_truncated"),
    ):
        settled.laid_out(folder)
        kept_file(folder, run_id).write_text(f"{Head(sequence, bytes.fromhex(hash_)).text}\n")
        found = settled.finding(folder)
        assert found.by == by
        if not by:
            assert found.effect is Effect.SILENT, "that the head is not kept any more is told"


# Controls


@pytest.mark.rounds(short=131, full=11)
def test_control_what_sqlite_itself_notices_is_little_beside_the_chain(
    settled: Record, folder: Path, rounds: int
) -> None:
    by_us, by_sqlite = 0, 0
    for data in flips(settled.files[NAME], rounds):
        settled.laid_out(folder, database=data)
        by_us += settled.finding(folder).effect is Effect.NOTICED
        by_sqlite += sqlite_notices(folder / NAME)
    print(f"{by_us} noticed, {by_sqlite} by SQLite alone")
    assert by_sqlite < by_us / 2


def sqlite_notices(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(path)) as db:
            db.execute("SELECT * FROM runs").fetchall()
            db.execute("SELECT * FROM events").fetchall()
            return db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]
    except (sqlite3.Error, UnicodeDecodeError):
        return True


def test_control_without_kept_heads_a_log_ahead_that_was_cut_gives_a_shorter_history(
    logged: Record, folder: Path
) -> None:
    found: Counter[Effect] = Counter()
    for data in cuts(logged.files[f"{NAME}-wal"], 1_024):
        logged.laid_out(folder, wal=data)
        for run_id in logged.run_ids:
            kept_file(folder, run_id).unlink()
        found[logged.finding(folder).effect] += 1
    print(dict(found))
    assert found[Effect.SILENT] > 0
