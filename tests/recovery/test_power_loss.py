"""The power goes at any moment: what the store acknowledged is there, whole, and nothing else.

The real store writes several runs while everything that SQLite does is recorded; after each step, disks are made of
what a power cut could leave then, and opened as ever. The controls show that the disks are bad enough: a store that
does not wait for the disk, or a disk that lies, loses acknowledged events.
"""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.ids import RunId
from bearagent_runtime import QueryService
from bearagent_sqlite_store import SqliteEventStore
from bearagent_sqlite_store.connections import connect_or_create
from bearagent_sqlite_store.folders import beside
from bearagent_sqlite_store.heads import KeptHeads
from bearagent_testkit import CountingIds, FixedClock, SampleRun
from tests.recovery.lossy_disk import Acknowledged, Disk, Mode, Step, recording

CHECKPOINT_PAGES = 40
IMAGES = (Mode.NOTHING, Mode.EVERYTHING, Mode.SOME, Mode.SOME, Mode.SOME_OUT_OF_ORDER)
NAME = "record.db"


class History:
    """What was stored, in the order in which it was: the steps of SQLite, and the hash of each event of each run."""

    def __init__(self, folder: Path, synchronous: str) -> None:
        self.hashes: dict[RunId, list[str]] = {}
        self._runs: list[SampleRun] = []
        self._acknowledged: dict[str, int] = {}
        with recording(checkpoint_pages=CHECKPOINT_PAGES) as self.steps:
            ids, clock = CountingIds(), FixedClock()
            for life in range(3):
                db = connect_or_create(folder / NAME)
                db.pragma("synchronous", synchronous)
                with closing(SqliteEventStore(db, KeptHeads(beside(folder / NAME, ".heads")))) as store:
                    self._live(
                        store, [SampleRun(ids, clock, objective=f"Life {life}. " + "x" * 3_000) for _ in range(2)]
                    )

    def _live(self, store: SqliteEventStore, runs: Sequence[SampleRun]) -> None:
        """Two runs, commit by commit, small ones and large ones."""
        for run in runs:
            run.begin()
            self._commit(store, run)
        for turn in range(3):
            for run in runs:
                run.turn("fake.echo", "fake.write")
                self._commit(store, run)
                run.answer(content="y" * 9_000 * turn)
                self._commit(store, run)
                run.answer(path=f"outputs/{turn}.md", content="z" * 700)
        self._commit(store, *runs)
        for run in runs:
            run.finish()
            self._commit(store, run)

    def _commit(self, store: SqliteEventStore, *runs: SampleRun) -> None:
        """One transaction, and the acknowledgement of it."""
        for run in runs:
            self.hashes[run.run_id] = [record.hash.hex() for record in run.records]
        store.append([run.take() for run in runs])
        self._acknowledged |= {run.run_id: len(run.records) for run in runs}
        self.steps.append(Acknowledged(dict(self._acknowledged)))


def broken_promises(history: History, random: Random, *, is_lying: bool = False, cuts: int) -> Counter[str]:
    """How many disks were looked at, as `images`, and how often which promise was broken."""
    moments = range(len(history.steps))
    chosen = set(random.sample(moments, min(cuts, len(moments))))
    found: Counter[str] = Counter()
    for number, disk, acknowledged in moments_of(history.steps, is_lying=is_lying):
        if number in chosen:
            for mode in IMAGES:
                found["images"] += 1
                found.update(broken_on(disk.after_power_cut(mode, random), history, acknowledged))
    return found


def moments_of(steps: Sequence[Step], *, is_lying: bool) -> Iterator[tuple[int, Disk, dict[str, int]]]:
    """The disk after each step, and what was acknowledged by then."""
    disk, acknowledged = Disk(is_lying=is_lying), dict[str, int]()
    for number, step in enumerate(steps):
        if isinstance(step, Acknowledged):
            acknowledged = dict(step.events)
        else:
            disk.take(step)
        yield number, disk, acknowledged


def broken_on(files: dict[str, bytes], history: History, acknowledged: dict[str, int]) -> Iterator[str]:
    """Which promises the store breaks over these files."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    try:
        for name, data in files.items():
            (folder / name).write_bytes(data)
        with closing(SqliteEventStore.open_existing(folder / NAME)) as store:
            yield from broken_in(store, history, acknowledged)
    except BearAgentError as error:
        if acknowledged or error.info.code is not ErrorCode.STORE_MISSING:
            yield f"unreadable: {error.info.code}"
    finally:
        shutil.rmtree(folder)


def broken_in(store: SqliteEventStore, history: History, acknowledged: dict[str, int]) -> Iterator[str]:
    query = QueryService(store)
    listed = {line.run.run_id for line in query.runs(limit=100).runs}
    if not listed >= acknowledged.keys():
        yield "a run is lost"
    for run_id in listed:
        found = query.verify(run_id)
        if not found.ok:
            yield "a log does not hold"
        elif found.last_sequence < acknowledged.get(run_id, 0):
            yield "an event is lost"
        elif found.head_hash != history.hashes[run_id][found.last_sequence - 1]:
            yield "an event is another"


@pytest.fixture
def history(tmp_path: Path, request: pytest.FixtureRequest) -> History:
    return History(tmp_path, getattr(request, "param", "FULL"))


@pytest.mark.rounds(short=120, full=1_000_000)
def test_after_a_power_cut_everything_acknowledged_is_there_and_whole(history: History, rounds: int) -> None:
    found = broken_promises(history, Random(1), cuts=rounds)
    print(f"{len(history.steps)} steps, {found['images']} images")
    assert found == {"images": len(IMAGES) * min(rounds, len(history.steps))}


@pytest.mark.rounds(short=60, full=1_000)
@pytest.mark.parametrize("history", ["NORMAL", "OFF"], indirect=True)
def test_control_a_store_that_does_not_wait_for_the_disk_breaks_its_promises(history: History, rounds: int) -> None:
    found = broken_promises(history, Random(2), cuts=rounds)
    print(dict(found))
    assert found.total() > found["images"]


@pytest.mark.rounds(short=60, full=1_000)
def test_control_a_disk_that_lies_breaks_the_promises_of_the_store(history: History, rounds: int) -> None:
    found = broken_promises(history, Random(3), is_lying=True, cuts=rounds)
    print(dict(found))
    assert found.total() > found["images"]
