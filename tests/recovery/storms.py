"""One record through any number of killed writers, and what each of them leaves: every lie of the record is counted."""

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import IO

from bearagent_domain.ids import RunId
from bearagent_domain.views import RunInspection
from bearagent_ports import RunNotFound
from bearagent_runtime import QueryService
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from tests.recovery.storm_writer import STRIKE

WRITER = Path(__file__).with_name("storm_writer.py")
SECONDS_MAX = 60
POLL_SECONDS = 0.002
LIFE_SECONDS_MAX = 0.08  # of a writer that is killed at a random instant, once it has begun


@dataclass
class Writer:
    """One process that writes, and what it said."""

    process: subprocess.Popen[bytes]
    output: Path
    effects: Path

    def words(self) -> list[list[str]]:
        """Its whole lines so far; that file outlives the process."""
        *whole, _ = self.output.read_text().split("\n")
        return [line.split(" ") for line in whole]

    def wait_for(self, word: str) -> None:
        """Wait until it has said `word`."""
        deadline = time.monotonic() + SECONDS_MAX
        while not any(line[0] == word for line in self.words()):
            assert self.process.poll() is None and time.monotonic() < deadline, f"the writer never said {word!r}"
            time.sleep(POLL_SECONDS)

    def kill(self) -> None:
        """Kill it, whatever it does now."""
        self.process.kill()
        self.require_killed()

    def require_killed(self) -> None:
        """Wait for its end, which must be a SIGKILL."""
        assert self.process.wait(SECONDS_MAX) == -signal.SIGKILL, self.output.read_text()[-2_000:]

    def struck(self) -> list[str]:
        """The activities whose effect happened."""
        return self.effects.read_text().split() if self.effects.exists() else []


@dataclass
class Storm:
    """A record and a workspace in `folder`; the number of killed writers so far."""

    folder: Path
    killed: int = 0
    _files: list[IO[bytes]] = field(default_factory=list)

    @property
    def database(self) -> Path:
        """The one file that all write to."""
        return self.folder / "data/record.db"

    @property
    def workspace(self) -> Path:
        """Where all writers write their reports."""
        return self.folder / "workspace"

    def writer(self, last_boundary: int = 0, fault: str = "") -> Writer:
        """Start a writer, which kills itself at a boundary, or lives until it is killed."""
        self.killed += 1
        self.workspace.mkdir(exist_ok=True)
        output, effects = self.folder / f"{self.killed}.out", self.folder / f"{self.killed}.effects"
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, WRITER, self.database, self.workspace, effects, str(last_boundary), fault],
                stdout=stream,
                stderr=stream,
                cwd=Path(__file__).parents[2],
                env=os.environ | {"PYTHONPATH": "."},
            )
        return Writer(process, output, effects)

    def killed_at_boundary(self, last_boundary: int, fault: str = "") -> Counter[str]:
        """Let a writer end at that boundary; what the record then says that is not so."""
        writer = self.writer(last_boundary, fault)
        writer.require_killed()
        return self.lies(writer)

    def killed_at_random(self, random: Random) -> Counter[str]:
        """Kill a writer at a random instant; what the record then says that is not so."""
        writer = self.writer()
        writer.wait_for("trying")
        time.sleep(random.uniform(0, LIFE_SECONDS_MAX))
        writer.kill()
        return self.lies(writer)

    def lies(self, writer: Writer) -> Counter[str]:
        """What is wrong with the record of the runs of a dead writer, whoever else writes meanwhile."""
        stored = {RunId(run_id): int(sequence) for word, run_id, sequence in writer.words() if word == "stored"}
        tried = {RunId(run_id): int(sequence) for word, run_id, sequence in writer.words() if word == "trying"}
        found: Counter[str] = Counter()
        struck, started = Counter(writer.struck()), set[str]()
        found["struck twice"] += sum(count - 1 for count in struck.values())
        with closing(SqliteEventStore.open(self.database)) as store:
            queries = QueryService(store, FileRunLease(self.database))
            for run_id, end in tried.items():
                try:
                    run = queries.inspect(run_id)
                except RunNotFound:
                    found["lost"] += run_id in stored
                    continue
                found.update(self._lies_of(run, struck))
                found["lost"] += run.last_sequence < stored.get(run_id, 0)
                found["half a commit"] += run.last_sequence not in (stored.get(run_id, 0), end)
                found["does not hold"] += not queries.verify(run_id).ok
                started |= {
                    str(event.activity_id)
                    for event in queries.events(run_id, limit=1_000).events
                    if event.type == "activity.started"
                }
        found["struck unannounced"] += len(struck.keys() - started)
        return +found

    def _lies_of(self, run: RunInspection, struck: Counter[str]) -> Iterator[str]:
        if run.driven:
            yield "driven by the dead"
        for activity in run.activities:
            if (activity.name, activity.status) == (STRIKE, "completed") and activity.activity_id not in struck:
                yield "effect claimed"
        for artifact in run.artifacts:
            path = self.workspace / artifact.path
            if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != artifact.sha256:
                yield "file claimed"

    def whole_record_holds(self) -> int:
        """How many runs there are; each verifies."""
        with closing(SqliteEventStore.open_existing(self.database)) as store:
            queries, run_ids = QueryService(store), store.matching("", limit=1_000_000)
            assert all(queries.verify(run_id).ok for run_id in run_ids)
        return len(run_ids)
