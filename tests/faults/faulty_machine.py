"""A machine on which a run writes one file while system calls fail, and what is found afterwards."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bearagent_domain.json_values import sha256_hex
from bearagent_runtime import QueryService
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from tests.e2e.installed_command import SECONDS_MAX, Machine, machine_in
from tests.faults.writing_run import NEW, write

ROOT = Path(__file__).parents[2]
RUN = Path(__file__).with_name("writing_run.py")
OLD = "# Before\n"
REPLACED = "outputs/a.md"
MADE = "outputs/new/a.md"
_CALL = re.compile(r"^(\d+) +([a-z0-9_]+)(\(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Call:
    """One system call of a run that nobody disturbed: its name, its number among those of its thread, the trace of it.

    strace counts each name for each thread by itself, and a fault may hit but one thread: `when` is null where an
    earlier thread makes so many of these calls as well.
    """

    name: str
    when: int | None
    line: str


@dataclass(frozen=True)
class Found:
    """The target's text (null: none), what else lies in its folder, the write as inspected, and what was printed."""

    target: str | None
    others: tuple[str, ...]
    write: dict[str, Any]
    run: dict[str, Any]
    said: str
    was_hit: bool
    signal: int | None

    @property
    def code(self) -> str:
        """The code of the write's error."""
        return str((self.write.get("error") or {}).get("code", ""))


@dataclass
class FaultyMachine:
    """Runs write to `path`; in `outputs/a.md` stands an older text."""

    machine: Machine
    path: str

    def calls(self, places: Sequence[Path] = ()) -> list[Call]:
        """Every system call of an undisturbed run on `places`; else on target, folders and temporary file."""
        trace = self.machine.home / "trace"
        self._run(("strace", "-f", "-qq", "-y", "-o", trace, "-e", "trace=file,desc", *self._only(places)))
        counts: Counter[tuple[str, str]] = Counter()
        calls = []
        for thread, name, line in _CALL.findall(trace.read_text()):
            counts[thread, name] += 1
            elsewhere = max((count for key, count in counts.items() if key[1] == name and key[0] != thread), default=0)
            number = counts[thread, name]
            calls.append(Call(name, number if number > elsewhere else None, line))
        return calls

    def struck(self, *injections: str, places: Sequence[Path] = ()) -> Found:
        """A run with these injections, as strace spells them, in the calls that `calls` counts."""
        trace = self.machine.home / "trace"
        names = ",".join({injection.partition(":")[0] for injection in injections})
        wanted = tuple(word for injection in injections for word in ("-e", f"inject={injection}"))
        done = self._run(("strace", "-f", "-qq", "-o", trace, "-e", f"trace={names}", *self._only(places), *wanted))
        return self._found(done, was_hit="(INJECTED)" in trace.read_text() or done.returncode < 0)

    def struck_after(self, shim: Path, call: str, part: str, error: int) -> Found:
        """A run in which a call happens and then is said to have failed; with 0, the process dies behind it."""
        hit = self.machine.home / "hit"
        hit.unlink(missing_ok=True)
        variables = {"FAULT_CALL": call, "FAULT_PATH": part, "FAULT_ERRNO": str(error), "FAULT_HIT": str(hit)}
        done = self._run((), LD_PRELOAD=str(shim), **variables)
        return self._found(done, was_hit=hit.exists())

    def within(self, program: tuple[str | Path, ...]) -> Found:
        """A run under another program, which makes its own trouble."""
        return self._found(self._run(program), was_hit=True)

    def require_goes_on(self) -> None:
        """With the fault gone, the next run writes the file; every run verifies."""
        with closing(SqliteEventStore.open(self.machine.database)) as store:
            status = write(store, self.machine.database, self.machine.workspace, self.path)
            assert status == "succeeded"
            assert (self.machine.workspace / self.path).read_text() == NEW
            for run_id in store.matching("", limit=10):
                assert QueryService(store).verify(run_id).ok

    def _only(self, places: Sequence[Path]) -> tuple[str, ...]:
        """What tells strace to look at nothing else."""
        return tuple(word for place in places or self._places() for word in ("-P", str(place)))

    def _places(self) -> list[Path | str]:
        workspace, parts = self.machine.workspace, self.path.split("/")
        part = ".bearagent-00000005-0000-4000-8000-000000000005-1-{}.part"
        names = [*parts[1:], *(part.format(trial) for trial in range(4))]
        folders = [workspace / "/".join(parts[:depth]) for depth in range(1, len(parts))]
        return [*folders, *(folders[-1] / name for name in names[-5:]), *names]

    def _run(self, program: tuple[str | Path, ...], **variables: str) -> subprocess.CompletedProcess[str]:
        words = [*program, sys.executable, RUN, self.machine.database, self.machine.workspace, self.path]
        environment = self.machine.environment | {"PYTHONPATH": str(ROOT)} | variables
        return subprocess.run(words, cwd="/", env=environment, capture_output=True, text=True, timeout=SECONDS_MAX)

    def _found(self, done: subprocess.CompletedProcess[str], *, was_hit: bool) -> Found:
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        with closing(SqliteEventStore.open_existing(self.machine.database)) as store:
            queries = QueryService(store, FileRunLease(self.machine.database))
            run = msgspec.to_builtins(queries.inspect(queries.resolve("latest")))
        write: dict[str, Any] = next(
            (activity for activity in run.get("activities", []) if activity["kind"] == "tool"), {}
        )
        target = self.machine.workspace / self.path
        folder = target.parent
        return Found(
            target=target.read_text() if target.exists() else None,
            others=tuple(sorted(path.name for path in folder.iterdir() if path != target)) if folder.exists() else (),
            write=write,
            run=run,
            said=done.stdout.strip(),
            was_hit=was_hit,
            signal=-done.returncode if done.returncode < 0 else None,
        )


def faulty_machine(folder: Path, path: str = REPLACED) -> FaultyMachine:
    """A fresh one, with an empty record and an older report."""
    machine = machine_in(folder)
    (machine.workspace / "outputs").mkdir()
    (machine.workspace / REPLACED).write_text(OLD)
    return FaultyMachine(machine, path)


def claims_only_what_is_there(found: Found) -> bool:
    """An artifact stands in the record exactly when its bytes are at the target, as the same write's outcome."""
    artifacts = found.run["artifacts"]
    if not artifacts:
        return found.write.get("status") != "completed"
    assert found.target is not None
    return (artifacts[0]["sha256"], found.write["status"]) == (sha256_hex(found.target.encode()), "completed")
