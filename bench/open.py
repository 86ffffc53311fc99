"""How long it takes to open a run of 10,000 events, against bare reading and decoding of the same bytes.

Run `uv run python bench/open.py [ROUNDS]`. One round times each way once, in turns:

- bare: apsw reads all bodies, msgspec decodes each into its event; nothing is checked;
- read: the store opens the file and reads page by page: every hash, the chain, the place of each event;
- fold: the same, and `evolve` makes the run's state of it;
- status: the store opens the file and reads the projection row.

Asked for: fold at most 3 times bare, status at most a fifth of bare.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from statistics import median

import apsw
import msgspec

from bearagent_domain.budgets import RunLimits
from bearagent_domain.ids import RunId
from bearagent_domain.records import RecordBody, RecordedEvent
from bearagent_domain.runs import RunState
from bearagent_domain.snapshots import sealed_snapshot
from bearagent_domain.upcasters import decoded_event
from bearagent_reducer import NEW_RUN, evolved_record
from bearagent_runtime import stored_records
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, SampleRun

EVENTS = 10_000
RESULT_CHARS = 1_024


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record.db"
        run_id = stored_run(path)
        ways: dict[str, Callable[[], object]] = {
            "bare": lambda: bare_events(path),
            "read": lambda: sum(1 for _ in verified(path, run_id)),
            "fold": lambda: folded(path, run_id),
            "status": lambda: status(path, run_id),
        }
        taken: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(rounds):
            for name, way in ways.items():
                begin = time.perf_counter()
                way()
                taken[name].append((time.perf_counter() - begin) * 1e3)
    bare = median(taken["bare"])
    print(f"{'way':>8} {'ms':>9} {'of bare':>8}   ({EVENTS:,} events, median of {rounds})")
    for name in ways:
        print(f"{name:>8} {median(taken[name]):>9.2f} {median(taken[name]) / bare:>8.3f}")


def stored_run(path: Path) -> RunId:
    """A run of `EVENTS` events or a few more, in a new record."""
    run = SampleRun(CountingIds(), FixedClock())
    snapshot = msgspec.structs.replace(run.created.snapshot, limits=RunLimits())
    run.created = msgspec.structs.replace(run.created, snapshot=sealed_snapshot(snapshot))
    run.begin()
    with closing(SqliteEventStore.open(path)) as store:
        while len(run.records) < EVENTS:
            run.turn("fake.read")
            run.answer(content="x" * RESULT_CHARS)
            store.append((run.take(),))
    return run.run_id


def bare_events(path: Path) -> int:
    decoder = msgspec.json.Decoder(RecordBody)
    with closing(apsw.Connection(str(path))) as db:
        count = 0
        for (body,) in db.execute("SELECT body FROM events ORDER BY run_number, sequence"):
            stored = decoder.decode(body)
            decoded_event(stored.type, stored.version, bytes(stored.payload))
            count += 1
    return count


def verified(path: Path, run_id: RunId) -> Iterator[RecordedEvent]:
    with closing(SqliteEventStore.open_existing(path)) as store:
        yield from stored_records(store, run_id)


def folded(path: Path, run_id: RunId) -> RunState:
    state = NEW_RUN
    for record in verified(path, run_id):
        state = evolved_record(state, record)
    return state


def status(path: Path, run_id: RunId) -> str:
    with closing(SqliteEventStore.open_existing(path)) as store:
        return store.run(run_id).status


if __name__ == "__main__":
    main()
