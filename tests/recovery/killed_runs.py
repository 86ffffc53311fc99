"""Runs that are killed, and what a new process sees of them: commands and files, nothing else."""

import hashlib
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bearagent_sqlite_store import SqliteEventStore
from tests.e2e.installed_command import SECONDS_MAX, Machine, machine_in

RUN = Path(__file__).with_name("dying_run.py")
STRACE = shutil.which("strace")
needs_strace = pytest.mark.needs("strace")


WRITTEN_BEFORE = "# Before\n"


def machine_to_die_on(folder: Path) -> Machine:
    """An empty record, documents, and an older file where the run writes."""
    machine = machine_in(folder)
    (machine.workspace / "outputs").mkdir()
    written(machine).write_text(WRITTEN_BEFORE)
    SqliteEventStore.open(machine.database).close()
    return machine


def written(machine: Machine) -> Path:
    """The file that the run writes."""
    return machine.workspace / "outputs/a.md"


@dataclass(frozen=True)
class Passed:
    """A boundary that the run reached, and how many events the store had acknowledged by then."""

    events: int
    boundary: str


def passed_by(machine: Machine) -> list[Passed]:
    """All boundaries of a run that nobody kills."""
    done = _run(machine, ())
    assert done.returncode == 0, done.stderr
    return _passed(done)


def killed(machine: Machine, boundary: str) -> Passed:
    """Play the run until it kills itself at `boundary`, the last one it reaches."""
    done = _run(machine, (), boundary)
    assert done.returncode == -signal.SIGKILL, done.stderr
    last = _passed(done)[-1]
    assert last.boundary == boundary
    return last


def killed_in_call(machine: Machine, path: Path, injection: str) -> Passed:
    """Play the run until it enters the system call of `injection` on `path`; the call is not carried out."""
    done = _run(machine, strace([path], injection))
    assert done.returncode == -signal.SIGKILL, done.stderr
    return _passed(done)[-1]


def strace(places: Sequence[Path], *injections: str) -> tuple[str, ...]:
    """The command under which a program meets `injections`, as strace spells them, in calls on `places` only."""
    assert STRACE is not None
    calls = ",".join(injection.partition(":")[0] for injection in injections)
    words = [STRACE, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}"]
    for place in places:
        words += ["-P", str(place)]
    for injection in injections:
        words += ["-e", f"inject={injection}"]
    return tuple(words)


@dataclass(frozen=True)
class Seen:
    """A run as `inspect --json`, its events as `events --jsonl`, and its line as `list` gives it."""

    run: dict[str, Any]
    events: list[dict[str, Any]]
    line: str


def inspected(machine: Machine) -> dict[str, Any]:
    """The newest run, as `inspect` gives it after it has verified and folded the log."""
    done = machine.bearagent("inspect", "latest", "--json")
    assert done.returncode == 0, done.stderr
    run: dict[str, Any] = json.loads(done.stdout)
    return run


def seen(machine: Machine) -> Seen:
    """The newest run, the only one, as three new processes show it."""
    run = inspected(machine)
    events = [json.loads(line) for line in machine.bearagent("events", "latest", "--jsonl").stdout.splitlines()]
    (line,) = machine.bearagent("list").stdout.splitlines()
    assert [event["sequence"] for event in events] == list(range(1, run["last_sequence"] + 1))
    assert events[-1]["hash"] == run["head_hash"]
    return Seen(run, events, line)


def activities_of(run: dict[str, Any]) -> list[tuple[str, str]]:
    """Name and status of each activity of an inspected run."""
    return [(activity["name"], activity["status"]) for activity in run["activities"]]


def require_on_disk(machine: Machine, artifacts: list[dict[str, Any]]) -> None:
    """Each claimed artifact is there, byte for byte."""
    for artifact in artifacts:
        data = (machine.workspace / artifact["path"]).read_bytes()
        assert (len(data), hashlib.sha256(data).hexdigest()) == (artifact["size"], artifact["sha256"])


def _run(machine: Machine, before: tuple[str, ...], *last_boundary: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, sys.executable, RUN, machine.database, machine.workspace, *last_boundary],
        env=machine.environment,
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )


def _passed(done: subprocess.CompletedProcess[str]) -> list[Passed]:
    lines = (line.split(" ", 1) for line in done.stdout.splitlines())
    return [Passed(int(events), boundary) for events, boundary in lines]
