"""A small record, copies of it to damage, and what readers make of a damaged one."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import msgspec

from bearagent_domain.errors import BearAgentError, ErrorInfo
from bearagent_domain.ids import RunId
from bearagent_domain.views import CheckOutcome, RunPage, Verification
from bearagent_runtime import QueryService
from bearagent_sqlite_store import FileRunLease, SqliteEventStore, check_database
from bearagent_testkit import CountingIds, FixedClock, SampleRun, sample_run

NAME = "record.db"
HEADS = f"{NAME}.heads"


class Effect(StrEnum):
    """What damage does to a reader; anything but the first two is a fault of ours."""

    NONE = "nothing else is read"
    NOTICED = "noticed"
    SILENT = "something else is read, and nobody says so"
    UNHANDLED = "a reader fails without a code"


@dataclass(frozen=True)
class Refused:
    """An answer that a reader did not get: the code, or the failed checks, or the name of an exception of ours."""

    by: str
    is_handled: bool = True


Answers = Mapping[tuple[str, str], object]
"""What readers are told, by question and run; a question about no run in particular has an empty one."""


@dataclass(frozen=True)
class Finding:
    """The effect; for damage that was noticed, by which code or failed check. And whether a binding is another one."""

    effect: Effect
    by: str = ""
    has_another_binding: bool = False


@dataclass(frozen=True)
class Record:
    """The files of a record, the runs that it holds, and what is read of it while it is whole."""

    files: dict[str, bytes]
    run_ids: tuple[RunId, ...]
    whole: Answers

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
        """What comes of asking the record in `folder` everything that it was asked when it was whole."""
        return _finding(self.whole, answers(folder / NAME, self.run_ids))


def record_in(folder: Path, *, is_checkpointed: bool, first_id: int = 1) -> Record:
    """A record of two finished runs with their heads. Not checkpointed, the second stands in the write-ahead log."""
    ids, clock = CountingIds(start=first_id), FixedClock()
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
    return Record(files, run_ids, answers(folder / NAME, run_ids))


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


def answers(database: Path, run_ids: tuple[RunId, ...]) -> Answers:
    """What `inspect`, `events`, `list`, `verify`, `doctor` and whoever drives a run are told, each for itself."""
    try:
        store = SqliteEventStore.open_existing(database)
    except BearAgentError as error:
        return {("open", ""): Refused(error.info.code)}
    with closing(store):
        questions = _questions(store, QueryService(store, FileRunLease(database)), database, run_ids)
        return {key: _answer(ask) for key, ask in questions}


def _questions(
    store: SqliteEventStore, query: QueryService, database: Path, run_ids: tuple[RunId, ...]
) -> Iterator[tuple[tuple[str, str], Callable[[], object]]]:
    yield ("list", ""), lambda: _listed(query.runs())
    yield ("latest", ""), lambda: query.inspect(query.resolve("latest")).run_id
    yield ("matching", ""), lambda: store.matching("0000")
    yield ("doctor", ""), lambda: check_database(database).problems
    for run_id in run_ids:
        for question, ask in _questions_about(store, query, run_id):
            yield (question, run_id), ask
    yield ("append", ""), lambda: _reads_what_it_appends(store)


def _questions_about(
    store: SqliteEventStore, query: QueryService, run_id: RunId
) -> Iterator[tuple[str, Callable[[], object]]]:
    yield "inspect", lambda: query.inspect(query.resolve(run_id))
    yield "events", lambda: query.events(query.resolve(run_id))
    yield "end", lambda: query.events(query.resolve(run_id), after=5)
    yield "verify", lambda: _checked(query.verify(query.resolve(run_id)))
    yield "rows", lambda: store.rows(run_id)
    yield "run", lambda: store.run(run_id)
    yield "binding", lambda: store.binding(run_id)


def _reads_what_it_appends(store: SqliteEventStore) -> bool:
    run = sample_run(CountingIds(start=1_000_000), FixedClock())
    store.append((run.take(),))
    return list(store.read(run.run_id)) == run.records


def _answer(ask: Callable[[], object]) -> object:
    try:
        return ask()
    except BearAgentError as error:
        return Refused(msgspec.json.decode(msgspec.json.encode(error.info), type=ErrorInfo).code)  # it can be shown
    except Exception as error:  # whatever has no code is what is looked for
        return Refused(type(error).__name__, is_handled=False)


def _listed(page: RunPage) -> object:
    return Refused("damaged in the list") if page.damaged else page


def _checked(found: Verification) -> object:
    failed = [check.name for check in found.checks if check.outcome is CheckOutcome.FAILED]
    assert found.ok == (not failed)
    return Refused(f"verify: {failed[0]}") if failed else found


def _finding(whole: Answers, found: Answers) -> Finding:
    refused = {key: answer for key, answer in found.items() if isinstance(answer, Refused)}
    unhandled = [answer.by for answer in refused.values() if not answer.is_handled]
    if unhandled:
        return Finding(Effect.UNHANDLED, unhandled[0])
    others = {key[0] for key, answer in found.items() if key not in refused and answer != whole[key]}
    is_named = any(question in ("open", "list", "verify") for question, _ in refused)
    if others & READ or (others & FOUND and not is_named):
        return Finding(Effect.SILENT, ", ".join(sorted(others)))
    by = next((answer.by for answer in refused.values()), "")
    return Finding(Effect.NOTICED if by else Effect.NONE, by, has_another_binding="binding" in others)


READ = {"inspect", "events", "end", "append"}  # from the log of a run
FOUND = {"list", "latest", "matching"}  # which runs there are
