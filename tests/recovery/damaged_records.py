"""A small record, copies of it to damage, and what readers make of a damaged one."""

import shutil
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from bearagent_domain.errors import BearAgentError
from bearagent_domain.ids import RunId
from bearagent_domain.views import CheckOutcome, EventPage, RunInspection, RunPage
from bearagent_runtime import QueryService
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, SampleRun

NAME = "record.db"
HEADS = f"{NAME}.heads"


class Effect(StrEnum):
    """What damage does to a reader; anything but the first two is a fault of ours."""

    NONE = "nothing else is read"
    NOTICED = "noticed"
    SILENT = "something else is read, and nobody says so"


@dataclass(frozen=True)
class Reading:
    """Everything that readers are told of a record."""

    listed: RunPage
    runs: tuple[RunInspection, ...]
    events: tuple[EventPage, ...]


@dataclass(frozen=True)
class Finding:
    """The effect, and for damage that was noticed, by which code or failed check."""

    effect: Effect
    by: str = ""


@dataclass(frozen=True)
class Record:
    """The files of a record, the runs that it holds, and what is read of it while it is whole."""

    files: dict[str, bytes]
    run_ids: tuple[RunId, ...]
    whole: Reading

    def laid_out(self, folder: Path, **changed: bytes | None) -> Path:
        """A copy of the files in `folder`, where `database`, `wal` or `shm` may be other bytes, or none."""
        shutil.rmtree(folder, ignore_errors=True)
        names = {"database": NAME, "wal": f"{NAME}-wal", "shm": f"{NAME}-shm"}
        files = self.files | {names[part]: data for part, data in changed.items()}
        for name, data in files.items():
            if data is not None:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(data)
        return folder

    def finding(self, folder: Path) -> Finding:
        """What comes of reading the record in `folder`, and of verifying each of its runs."""
        try:
            with closing(SqliteEventStore.open_existing(folder / NAME)) as store:
                query = QueryService(store)
                found = _reading(query, self.run_ids)
                failed = sorted(_failed_checks(query, self.run_ids))
        except BearAgentError as error:
            return Finding(Effect.NOTICED, error.info.code)
        if failed:
            return Finding(Effect.NOTICED, f"verify: {failed[0]}")
        return Finding(Effect.NONE if found == self.whole else Effect.SILENT)


def record_in(folder: Path, *, is_checkpointed: bool) -> Record:
    """A record of two finished runs with their heads. Not checkpointed, the second stands in the write-ahead log."""
    ids, clock = CountingIds(), FixedClock()
    first, second = SampleRun(ids, clock), SampleRun(ids, clock, objective="Write another report.")
    for run in (first, second):
        store = SqliteEventStore.open(folder / NAME)
        _play(store, run)
        if run is first:
            store.close()
    if is_checkpointed:
        store.close()
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".locks" not in str(path)
    }
    if not is_checkpointed:
        store.close()
    run_ids = (first.run_id, second.run_id)
    with closing(SqliteEventStore.open_existing(folder / NAME)) as store:
        return Record(files, run_ids, _reading(QueryService(store), run_ids))


def _play(store: SqliteEventStore, run: SampleRun) -> None:
    """A whole run in three commits."""
    run.begin()
    store.append((run.take(),))
    run.turn("fake.write")
    run.answer(path="outputs/report.md", content="# Report\n")
    store.append((run.take(),))
    run.finish()
    store.append((run.take(),))
    assert store.keep_head(run.run_id, run.head)


def _reading(query: QueryService, run_ids: Iterable[RunId]) -> Reading:
    named = [query.resolve(run_id) for run_id in run_ids]
    return Reading(
        listed=query.runs(),
        runs=tuple(query.inspect(run_id) for run_id in named),
        events=tuple(query.events(run_id) for run_id in named),
    )


def _failed_checks(query: QueryService, run_ids: Iterable[RunId]) -> Iterable[str]:
    for run_id in run_ids:
        for check in query.verify(run_id).checks:
            if check.outcome is CheckOutcome.FAILED:
                yield check.name
