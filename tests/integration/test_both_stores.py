"""The same run with the same clock and ids gives the same sealed bytes and rows in every store (R4)."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from bearagent_domain.ids import RunId
from bearagent_domain.tools import Effect
from bearagent_ports import EventStore
from bearagent_reducer import NEW_RUN, RowProjection, evolved_record
from bearagent_runtime import QueryService
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import (
    CountingIds,
    FakeTool,
    FixedClock,
    MemoryEventStore,
    ScriptedCall,
    ScriptedTurn,
    sample_run,
)
from tests.driving import Scene

CALLS = (
    ScriptedCall("fake.echo", {"text": "hello"}),
    ScriptedCall("fake.echo", "{"),
    ScriptedCall("fake.upload", {"text": "secrets"}),
    ScriptedCall("nobody.knows", {}),
)


def played(store: EventStore) -> RunId:
    """One run with a good, a broken, a denied and an unknown call."""
    scene = Scene(store=store, tools=[(FakeTool(), None), (FakeTool("fake.upload", effect=Effect.NETWORK), None)])
    return scene.play(ScriptedTurn(text="I look.", calls=CALLS), ScriptedTurn(text="Done.")).run_id


def sealed(store: EventStore, run_id: RunId) -> list[tuple[bytes, bytes, bytes]]:
    return [(record.body, record.prev_hash, record.hash) for record in store.read(run_id)]


def test_events_and_rows_are_equal_byte_for_byte(tmp_path: Path) -> None:
    memory, sqlite = MemoryEventStore(), SqliteEventStore.open(tmp_path / "record.db")
    run_id = played(memory)
    assert played(sqlite) == run_id
    assert sealed(memory, run_id) == sealed(sqlite, run_id)
    assert len(sealed(sqlite, run_id)) > 15
    assert msgspec.json.encode(memory.rows(run_id)) == msgspec.json.encode(sqlite.rows(run_id))
    assert memory.kept_head(run_id) == sqlite.kept_head(run_id) is not None
    assert QueryService(memory).inspect(run_id) == QueryService(sqlite).inspect(run_id)
    sqlite.close()


def test_rows_that_were_lost_come_back_byte_for_byte(tmp_path: Path) -> None:
    store = SqliteEventStore.open(tmp_path / "record.db")
    run_id = played(store)
    before = msgspec.json.encode(store.rows(run_id))
    inspected = QueryService(store).inspect(run_id)
    bare = store.rows(run_id)
    store.replace_rows(run_id, msgspec.structs.replace(bare, activities=(), artifacts=()))
    assert QueryService(store).inspect(run_id) == inspected
    projection, state = RowProjection(), NEW_RUN
    for record in store.read(run_id):
        state = evolved_record(state, record)
        projection.add(record, state)
    store.replace_rows(run_id, projection.take())
    assert msgspec.json.encode(store.rows(run_id)) == before
    store.close()


def test_latest_is_the_newest_run_whatever_the_rows_say(tmp_path: Path) -> None:
    store = SqliteEventStore.open(tmp_path / "record.db")
    ids, clock = CountingIds(), FixedClock()
    runs = [sample_run(ids, clock) for _ in range(2)]
    for run in runs:
        store.append((run.take(),))
    with closing(sqlite3.connect(tmp_path / "record.db")) as other, other:
        other.execute("DELETE FROM runs WHERE run_number = 2")
    assert QueryService(store).resolve("latest") == runs[1].run_id
    store.close()
