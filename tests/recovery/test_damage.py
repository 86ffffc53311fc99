"""A damaged record: each damage is noticed and named by a code, or nothing else is read because of it.

Bits are flipped, files are cut and mixed up, pages are lost; then the record is read through everything that reads
one. The controls leave out the chain or the kept heads, and miss most of it.
"""

import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from bearagent_domain.ids import RunId
from bearagent_domain.records import Head
from bearagent_domain.views import EventView
from bearagent_ports import RunNotFound
from bearagent_runtime import QueryService
from bearagent_sqlite_store import SqliteEventStore
from tests.recovery.damaged_records import HEADS, NAME, Effect, Finding, Record, record_in

PAGE_BYTES, BLOCK_BYTES = 4_096, 512
WAL = f"{NAME}-wal"


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Everything stands in the database file."""
    return record_in(tmp_path_factory.mktemp("settled"), is_checkpointed=True)


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """The second run stands in the write-ahead log."""
    return record_in(tmp_path_factory.mktemp("logged"), is_checkpointed=False)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Record:
    """Another record, of the same shape, with other runs."""
    return record_in(tmp_path_factory.mktemp("other"), is_checkpointed=False, first_id=500)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A place in memory where there is one: thousands of copies are made."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        yield Path(name) / "copy"


def flips(data: bytes, step: int, seed: int = 0) -> Iterator[bytes]:
    """One bit of each `step`-th byte flipped in turn; which bit, and where to begin, follows from the seed."""
    for place in range(seed % step, len(data), step):
        changed = bytearray(data)
        changed[place] ^= 1 << (place * 7 // 3 + seed) % 8
        yield bytes(changed)


def cuts(data: bytes, step: int) -> Iterator[bytes]:
    """Cut to each multiple of `step`."""
    for size in range(0, len(data), step):
        yield data[:size]


def counted(findings: Iterable[Finding]) -> Counter[str]:
    """How often what was found; every way of noticing for itself. A silent effect or one without a code fails."""
    found: Counter[str] = Counter()
    bindings = 0
    for finding in findings:
        assert finding.effect in (Effect.NONE, Effect.NOTICED), finding
        found[finding.by or finding.effect] += 1
        bindings += finding.has_another_binding
    print(f"{found.total():,} times: {dict(found.most_common())}; {bindings} times another binding")
    return found


@pytest.mark.rounds(short=401, full=1)
@pytest.mark.parametrize("seed", [0, 3])
def test_a_flipped_bit_of_the_database_is_noticed_or_has_no_effect(
    settled: Record, folder: Path, rounds: int, seed: int
) -> None:
    damaged = flips(settled.files[NAME], rounds, seed)
    found = counted(settled.finding(settled.laid_out(folder, database=data)) for data in damaged)
    assert found["record_corrupt"] > 0 and found[Effect.NONE] > 0


@pytest.mark.rounds(short=401, full=1)
def test_a_flipped_bit_of_the_log_ahead_is_noticed_or_has_no_effect(logged: Record, folder: Path, rounds: int) -> None:
    wal = logged.files[WAL]
    found = counted(logged.finding(logged.laid_out(folder, wal=data)) for data in flips(wal, rounds))
    assert found["record_truncated"] > 0


@pytest.mark.rounds(short=1_024, full=64)
def test_a_log_ahead_that_was_cut_is_noticed_or_has_no_effect(logged: Record, folder: Path, rounds: int) -> None:
    wal = logged.files[WAL]
    found = counted(logged.finding(logged.laid_out(folder, wal=data)) for data in cuts(wal, rounds))
    assert found["record_truncated"] > found.total() / 2


@pytest.mark.rounds(short=8, full=1)
def test_a_block_of_zeros_in_the_log_ahead_is_noticed_or_has_no_effect(
    logged: Record, folder: Path, rounds: int
) -> None:
    wal = logged.files[WAL]
    starts = range(0, len(wal), BLOCK_BYTES * rounds)
    zeroed = (wal[:start] + bytes(BLOCK_BYTES) + wal[start + BLOCK_BYTES :] for start in starts)
    found = counted(logged.finding(logged.laid_out(folder, wal=data)) for data in zeroed)
    assert found["record_truncated"] > found.total() / 2


@pytest.mark.rounds(short=4_096, full=512)
def test_a_database_that_was_cut_is_noticed_or_has_no_effect(settled: Record, folder: Path, rounds: int) -> None:
    database = settled.files[NAME]
    found = counted(settled.finding(settled.laid_out(folder, database=data)) for data in cuts(database, rounds))
    assert found.total() - found[Effect.NONE] >= found.total() - PAGE_BYTES / rounds


@pytest.mark.parametrize("page", [bytes(PAGE_BYTES), b"\xff" * PAGE_BYTES, b"My notes" * 512], ids=["0", "1", "text"])
def test_a_page_that_holds_something_else_is_noticed_or_has_no_effect(
    settled: Record, folder: Path, page: bytes
) -> None:
    database = settled.files[NAME]
    damaged = (with_page(database, start, page) for start in pages(database))
    found = counted(settled.finding(settled.laid_out(folder, database=data)) for data in damaged)
    assert found.total() - found[Effect.NONE] > found.total() / 2


@pytest.mark.rounds(short=3, full=1)
def test_a_page_in_the_place_of_another_is_noticed_or_has_no_effect(settled: Record, folder: Path, rounds: int) -> None:
    database = settled.files[NAME]
    damaged = (
        with_page(database, start, database[other : other + PAGE_BYTES])
        for start in pages(database)
        for other in pages(database)[start // PAGE_BYTES % rounds :: rounds]
        if other != start
    )
    found = counted(settled.finding(settled.laid_out(folder, database=data)) for data in damaged)
    assert found.total() - found[Effect.NONE] > found.total() / 2


def pages(database: bytes) -> range:
    """Where each page begins."""
    return range(0, len(database), PAGE_BYTES)


def with_page(database: bytes, start: int, page: bytes) -> bytes:
    return database[:start] + page + database[start + PAGE_BYTES :]


@pytest.mark.parametrize("content", [b"", bytes(32_768), b"\xff" * 32_768, b"garbage"])
def test_a_damaged_index_of_the_log_ahead_has_no_effect(logged: Record, folder: Path, content: bytes) -> None:
    assert logged.finding(logged.laid_out(folder, shm=content)).effect is Effect.NONE
    assert logged.finding(logged.laid_out(folder, shm=None)).effect is Effect.NONE


def test_a_log_ahead_that_is_lost_or_that_of_another_record_is_noticed(
    logged: Record, settled: Record, other: Record, folder: Path
) -> None:
    for wal in (None, b""):
        assert logged.finding(logged.laid_out(folder, wal=wal)).by == "record_truncated"
    for record, foreign in ((logged, other), (other, logged), (settled, logged), (settled, other)):
        found = record.finding(record.laid_out(folder, wal=foreign.files[WAL]))
        assert found.effect in (Effect.NOTICED, Effect.NONE), "SQLite may see by its salts that it does not belong here"


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
    assert outcome_of_kept_head(folder, run_id) == "not_checked"
    assert len(events_of(folder, run_id)) > 0


def test_an_older_head_is_contained_and_another_one_is_not(settled: Record, folder: Path) -> None:
    run_id, other_id = settled.run_ids
    hashes = [event.hash for event in events_of(settled.laid_out(folder), run_id)]
    kept = kept_file(folder, run_id)
    for sequence, hash_, outcome in (
        (3, hashes[2], "holds"),
        (len(hashes), hashes[-1], "holds"),
        (3, hashes[3], "failed"),
        (len(hashes) + 1, hashes[-1], "failed"),
    ):
        kept.write_text(f"{Head(sequence, bytes.fromhex(hash_)).text}\n")
        assert outcome_of_kept_head(folder, run_id) == outcome
        assert (settled.finding(folder).by == "record_truncated") == (outcome == "failed")
    kept.unlink()
    kept.symlink_to(kept_file(folder, other_id))
    assert settled.finding(folder).by == "record_truncated"


def events_of(folder: Path, run_id: RunId) -> tuple[EventView, ...]:
    with closing(SqliteEventStore.open_existing(folder / NAME)) as store:
        return QueryService(store).events(run_id).events


def outcome_of_kept_head(folder: Path, run_id: RunId) -> str:
    with closing(SqliteEventStore.open_existing(folder / NAME)) as store:
        checks = QueryService(store).verify(run_id).checks
    return next(check.outcome.value for check in checks if check.name == "kept_head")


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


@pytest.mark.rounds(short=1_024, full=64)
def test_control_without_kept_heads_a_log_ahead_that_was_cut_gives_a_shorter_history(
    logged: Record, folder: Path, rounds: int
) -> None:
    run_id = logged.run_ids[1]
    whole = len(events_of(logged.laid_out(folder), run_id))
    shorter = 0
    for data in cuts(logged.files[WAL], rounds):
        kept_file(logged.laid_out(folder, wal=data), run_id).unlink()
        with closing(SqliteEventStore.open_existing(folder / NAME)) as store, suppress(RunNotFound):
            found = QueryService(store).verify(run_id)
            shorter += found.ok and found.last_sequence < whole
    print(f"{shorter} shorter histories that hold")
    assert shorter > 0
