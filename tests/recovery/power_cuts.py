"""What a user finds after a power cut: images of a recording, opened by the real store and held against the truth."""

import random
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path

from bearagent_domain.errors import BearAgentError
from bearagent_domain.ids import RunId
from bearagent_ports import EventStore
from bearagent_runtime import QueryService, stored_records
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, sample_run
from tests.recovery.lossy_disk import Image, Left, Recording, Told, moments
from tests.recovery.powered_runs import COMMIT, HEAD, Played, play

IMAGES_OF_A_CUT = (Left.NOTHING, Left.EVERYTHING, *[Left.SOME] * 4, *[Left.SOME_IN_ANY_ORDER] * 3)
WHOLE = "whole"

Counts = dict[RunId, int]
"""How many events each run has."""


class Truth:
    """What the runs store, commit by commit."""

    def __init__(self) -> None:
        self._played = Played()
        play(lambda: closing(self._played))

    @cached_property
    def counts(self) -> Sequence[Counts]:
        """After each number of commits: the length of the log of each run."""
        counts: list[Counts] = [{}]
        for parts in self._played.appended:
            grown = {part.run_id: part.expected_sequence + len(part.events) for part in parts}
            counts.append(counts[-1] | grown)
        return counts

    def fault_in(self, database: Path, told: Sequence[str]) -> str:
        """What is wrong with the record that a power cut left, after all that was `told`; `whole` when nothing is."""
        acknowledged = told.count(COMMIT)
        try:
            with closing(SqliteEventStore.open(database)) as store:
                found = {run_id: _length(store, run_id) for run_id in store.matching("", limit=100)}
                return (
                    self._fault_of_counts(found, acknowledged)
                    or self._fault_of_events(store, found)
                    or self._fault_of_heads(store, told.count(HEAD))
                    or _fault_of_answers(store, found)
                    or _fault_of_going_on(store)
                    or WHOLE
                )
        except BearAgentError as error:
            return error.info.code

    def _fault_of_counts(self, found: Counts, acknowledged: int) -> str | None:
        """The commit that was under way may be there, or not."""
        if found in self.counts[acknowledged : acknowledged + 2]:
            return None
        if found not in self.counts:
            return "half a commit"
        return "lost" if found in self.counts[:acknowledged] else "invented"

    def _fault_of_events(self, store: EventStore, found: Counts) -> str | None:
        for run_id, count in found.items():
            if list(stored_records(store, run_id)) != list(stored_records(self._played, run_id))[:count]:
                return "other events"
        return None

    def _fault_of_heads(self, store: EventStore, acknowledged: int) -> str | None:
        """Each kept head is the one acknowledged last, or the one that was just being kept."""
        heads = self._played.heads
        safe, begun = dict(heads[:acknowledged]), dict(heads[: acknowledged + 1])
        wrong = [run_id for run_id in begun if store.kept_head(run_id) not in (safe.get(run_id), begun[run_id])]
        return "another head" if wrong else None


def _length(store: EventStore, run_id: RunId) -> int:
    return sum(1 for _ in stored_records(store, run_id))


def _fault_of_answers(store: EventStore, found: Counts) -> str | None:
    """Chain, fold, rows and kept head of each run; and the list, newest run first."""
    queries = QueryService(store)
    if not all(queries.verify(run_id).ok for run_id in found):
        return "not verified"
    listed = [(line.run.run_id, line.run.last_sequence) for line in queries.runs(limit=100).runs]
    return None if listed == list(found.items()) else "another list"


def _fault_of_going_on(store: EventStore) -> str | None:
    run = sample_run(CountingIds(start=1_000_000), FixedClock())
    store.append((run.take(),))
    return None if list(store.read(run.run_id)) == run.records else "not writable"


def cuts(
    recording: Recording, root: Path, moments_max: int, seed: int, *, lies: bool = False
) -> Iterator[tuple[Image, list[str]]]:
    """Images of power cuts, at each operation or at a sample of `moments_max` of them, and what was told by then."""
    chance = random.Random(seed)
    count = 1 + sum(not isinstance(step, Told) for step in recording)
    chosen = set(chance.sample(range(count), min(moments_max, count)))
    for number, (disk, told) in enumerate(moments(recording, root, lies=lies)):
        if number in chosen:
            for left in IMAGES_OF_A_CUT:
                yield disk.image(left, chance), told


def faults_after(found: Iterator[tuple[Image, list[str]]], root: Path, database: Path, truth: Truth) -> Counter[str]:
    """How many images of each kind there are; each is laid into the folder `root` and opened there."""
    kinds: Counter[str] = Counter()
    for image, told in found:
        _lay(image, root)
        kinds[truth.fault_in(database, told)] += 1
    return kinds


def _lay(image: Image, root: Path) -> None:
    shutil.rmtree(root)
    root.mkdir()
    for path, content in image.items():
        if content is None:
            path.mkdir()
        else:
            path.write_bytes(content)
