"""Runs for power cuts: the same each time, with small and large events, and with the store closed in between.

`python powered_runs.py DATABASE` plays them into a real store, and says on stdout what is safe as soon as it is.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path

from bearagent_domain.ids import RunId
from bearagent_domain.records import Head
from bearagent_ports import Append, EventStore
from bearagent_sqlite_store import SqliteEventStore
from bearagent_sqlite_store.connections import connect_or_create
from bearagent_sqlite_store.folders import beside
from bearagent_sqlite_store.heads import KeptHeads
from bearagent_testkit import CountingIds, FixedClock, MemoryEventStore, ScriptedCall, ScriptedModel, ScriptedTurn
from bearagent_testkit.sample_runs import SampleRun
from tests.driving import Scene

COMMIT, HEAD = "commit", "head"
CHECKPOINT_PAGES = 60  # so few that checkpoints fall between commits

Opened = Callable[[], AbstractContextManager[EventStore]]


def play(opened: Opened) -> None:
    """All runs: through the runtime, and two that grow by turns, in appends of one, several and many events."""
    ids, clock = CountingIds(), FixedClock()
    with opened() as store:
        scene = Scene(store=store, ids=ids, clock=clock)
        _drive(scene, "A small run.", sizes=(20, 300), answer="Done.")
        _drive(scene, "A large run. " * 400, sizes=(9_000, 70_000), answer="It is written. " * 600)
    with opened() as store:
        first, second = SampleRun(ids, clock), SampleRun(ids, clock, objective="Write another.")
        first.begin()
        second.begin()
        store.append((first.take(), second.take()))
        first.turn("fake.echo", text="é" * 3_000)
        store.append((first.take(),))
        store.keep_head(first.run_id, first.head)
        first.answer(content="x" * 20_000)
        second.finish()
        store.append((second.take(), first.take()))
        first.finish()
        store.append((first.take(),))
        store.keep_head(first.run_id, first.head)


def _drive(scene: Scene, objective: str, *, sizes: Sequence[int], answer: str) -> None:
    calls = tuple(ScriptedCall("fake.echo", {"text": "t" * size}) for size in sizes)
    script = (ScriptedTurn(calls=calls), ScriptedTurn(calls=calls[:1]), ScriptedTurn(text=answer))
    asyncio.run(scene.start(ScriptedModel(script), objective=objective))


class ToldStore(SqliteEventStore):
    """The real store; `tell` hears of each commit and each head that is safe."""

    tell: Callable[[str], None]

    def append(self, parts: Sequence[Append]) -> None:
        """As ever, and told."""
        super().append(parts)
        self.tell(COMMIT)

    def keep_head(self, run_id: RunId, head: Head) -> bool:
        """As ever, and told."""
        assert super().keep_head(run_id, head)
        self.tell(HEAD)
        return True


def told_store(database: Path, tell: Callable[[str], None], *, synchronous: str = "FULL") -> Opened:
    """Opens the real store in `database`, with little room before a checkpoint; `synchronous` for controls."""

    def opened() -> AbstractContextManager[EventStore]:
        db = connect_or_create(database)
        db.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        db.pragma("synchronous", synchronous)
        store = ToldStore(db, KeptHeads(beside(database, ".heads")))
        store.tell = tell
        return closing(store)

    return opened


class Played(MemoryEventStore):
    """What the runs store, in order, as a store in memory hears of it."""

    def __init__(self) -> None:
        super().__init__()
        self.appended: list[Sequence[Append]] = []
        self.heads: list[tuple[RunId, Head]] = []

    def append(self, parts: Sequence[Append]) -> None:
        """As ever, and noted down."""
        super().append(parts)
        self.appended.append(parts)

    def keep_head(self, run_id: RunId, head: Head) -> bool:
        """As ever, and noted down."""
        self.heads.append((run_id, head))
        return super().keep_head(run_id, head)

    def close(self) -> None:
        """Nothing to close."""


def tell_on_stdout(what: str) -> None:
    """One system call."""
    os.write(sys.stdout.fileno(), f"{what}\n".encode())


if __name__ == "__main__":
    play(told_store(Path(sys.argv[1]), tell_on_stdout))
