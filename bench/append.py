"""How fast the store appends, against bare apsw making the same commits of the same bytes.

Run `uv run python bench/append.py [PAIRS]`. Both sides write one log, commit by commit and in turns, each into its own
file in one folder. The bare side gets its values ready made and checks nothing: no head, no hash, no row read back.
The ratio is the store's rate over the bare rate; at least 2/3 is asked for.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import apsw
import msgspec

from bearagent_domain.documents import Rec
from bearagent_domain.records import RecordedEvent
from bearagent_ports import Append
from bearagent_reducer import NEW_RUN, RowProjection, evolved_record
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, SampleRun
from bearagent_testkit.sample_runs import SAMPLE_BINDING

TURNS_PER_RUN = 20
RESULT_CHARS = 2_048


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    print(f"{'events a commit':>15} {'commits':>8} {'bare µs':>9} {'store µs':>9} {'rate ratio':>11}")
    for events in (1, 2):
        bare, store = timed(events, pairs)
        print(f"{events:>15} {pairs:>8} {bare:>9.0f} {store:>9.0f} {bare / store:>11.2f}")


def timed(events: int, pairs: int) -> tuple[float, float]:
    """Median microseconds of a commit on the bare side and on the store's."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteEventStore.open(Path(folder) / "store.db")
        SqliteEventStore.open(Path(folder) / "bare.db").close()  # the same tables
        bare = apsw.Connection(str(Path(folder) / "bare.db"))
        bare.pragma("synchronous", "FULL")
        taken: dict[str, list[float]] = {"bare": [], "store": []}
        for number, part in zip(range(pairs), appends(events), strict=False):
            commit = bare_commit(bare, part)
            sides: list[tuple[str, Callable[[], None]]] = [
                ("bare", commit),
                ("store", lambda part=part: store.append((part,))),  # type: ignore[misc]
            ]
            for name, work in sides if number % 2 else reversed(sides):
                begin = time.perf_counter()
                work()
                taken[name].append((time.perf_counter() - begin) * 1e6)
        bare.close()
        store.close()
    return median(taken["bare"]), median(taken["store"])


def appends(events: int) -> Iterator[Append]:
    """Logs of many runs, `events` at a time."""
    ids, clock = CountingIds(), FixedClock()
    while True:
        run = SampleRun(ids, clock)
        run.begin()
        for _ in range(TURNS_PER_RUN):
            run.turn("fake.write")
            run.answer(path="outputs/report.md", content="x" * RESULT_CHARS)
        run.finish()
        yield from cut(run.records, events)


def cut(records: list[RecordedEvent], events: int) -> Iterator[Append]:
    rows, state = RowProjection(), NEW_RUN
    for start in range(0, len(records), events):
        part = tuple(records[start : start + events])
        for record in part:
            state = evolved_record(state, record)
            rows.add(record, state)
        yield Append(
            run_id=part[0].run_id,
            expected_sequence=start,
            events=part,
            rows=rows.take(),
            binding=SAMPLE_BINDING if start == 0 else None,
        )


def bare_commit(db: apsw.Connection, part: Append) -> Callable[[], None]:
    """The statements that a program without any check would make of `part`."""
    found = db.execute("SELECT run_number FROM bindings WHERE run_id = ?", (part.run_id,)).get
    number = found or (db.execute("SELECT max(run_number) FROM bindings").get or 0) + 1
    statements: list[tuple[str, tuple[object, ...]]] = []
    if found is None:
        binding = msgspec.structs.astuple(SAMPLE_BINDING)
        statements.append(("INSERT INTO bindings VALUES (?, ?, ?, ?, ?, ?)", (number, part.run_id, *binding)))
    for record in part.events:
        values = (number, record.sequence, record.hash, record.body)
        statements.append(("INSERT INTO events VALUES (?, ?, ?, ?)", values))
    statements.append(put("runs", number, part.rows.run))
    statements.extend(put("activities", number, row) for row in part.rows.activities)
    statements.extend(put("artifacts", number, row) for row in part.rows.artifacts)

    def commit() -> None:
        db.execute("BEGIN IMMEDIATE")
        for sql, values in statements:
            db.execute(sql, values)
        db.execute("COMMIT")

    return commit


def put(table: str, number: int, row: Rec) -> tuple[str, tuple[object, ...]]:
    fields = [field for field in row.__struct_fields__ if field != "run_id"]
    marks = ", ".join("?" * len(fields))
    sql = f"INSERT OR REPLACE INTO {table} (run_number, {', '.join(fields)}) VALUES (?, {marks})"
    return sql, (number, *(getattr(row, field) for field in fields))


if __name__ == "__main__":
    main()
