"""Surroundings that turn against a run: full disks, quotas, locks, other versions, clocks that jump.

Each has a stable code and its exit code, one sentence, and costs nothing that was acknowledged; and once the cause is
gone, the same record verifies and takes the next run.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from bearagent.system_sources import SystemClock
from bearagent_domain.errors import ErrorCode
from bearagent_domain.profiles import Timeouts
from bearagent_domain.runs import RunStatus
from bearagent_domain.times import Time, time_text
from bearagent_domain.tools import Effect
from bearagent_ports import Append, StoreError
from bearagent_runtime import QueryService
from bearagent_sqlite_store import SqliteEventStore, connections
from bearagent_testkit import ScriptedCall, ScriptedModel, ScriptedTurn
from bearagent_testkit.fake_tools import FakeTool
from tests.driving import Scene
from tests.e2e.installed_command import COMMAND, SECONDS_MAX, Machine, machine_in
from tests.recovery.full_disk import OBJECTIVE

ROOT = Path(__file__).parents[2]
FULL_DISK = Path(__file__).with_name("full_disk.py")
DISK_KIB = 700
SHIM = Path(__file__).with_name("clock_shim.c")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with one finished run on record."""
    machine = machine_in(tmp_path)
    assert machine.bearagent("run", OBJECTIVE).returncode == 0
    return machine


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON object that a command printed, whose words hold no raw exception."""
    for words in (done.stdout, done.stderr):
        assert "Traceback" not in words and "database is locked" not in words and "apsw" not in words
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


def require_usable(machine: Machine, runs_before: int) -> None:
    """Every run of the record verifies, and one more can be made."""
    for line in listed(machine):
        done = machine.bearagent("verify", line["run"]["run_id"], "--json")
        assert done.returncode == 0, done.stdout
    assert machine.bearagent("run", OBJECTIVE, "--quiet").returncode == 0
    assert len(listed(machine)) >= runs_before + 1


def listed(machine: Machine) -> list[dict[str, Any]]:
    """The runs, newest first."""
    runs: list[dict[str, Any]] = json.loads(machine.bearagent("list", "--json").stdout)["runs"]
    return runs


# Disks


def on_a_full_disk(machine: Machine, disk: Path, kib_left: int) -> dict[str, Any]:
    """What `full_disk.py` reports, in a mount namespace of its own where `disk` is a small file system."""
    disk.mkdir(exist_ok=True)
    mounted = f'mount -t tmpfs -o size={DISK_KIB}k none "$1" && shift && exec "$@"'
    child = (sys.executable, FULL_DISK, machine.home.parent, disk, str(kib_left))
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", mounted, "-", disk, *child],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": "."},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@pytest.mark.needs("namespaces")
@pytest.mark.parametrize("kib_left", [0, 8, 40, 80, 120])
def test_a_disk_that_is_full_under_the_record_ends_the_run_and_loses_nothing(machine: Machine, kib_left: int) -> None:
    seen = on_a_full_disk(machine, machine.home.parent / "record", kib_left)
    assert (seen["code"], seen["shown"]["error"]["code"]) == (4, "store_full")
    assert seen["told"].startswith("The disk or a quota is full. ")
    assert set(seen["verified"]) == {0}
    assert seen["next_code"] == 0


@pytest.mark.needs("namespaces")
def test_a_disk_that_is_full_under_the_outputs_fails_the_run_and_leaves_the_old_report(machine: Machine) -> None:
    (machine.workspace / "outputs").mkdir(exist_ok=True)
    seen = on_a_full_disk(machine, machine.workspace / "outputs", 0)
    assert (seen["code"], seen["shown"]["status"]) == (1, "failed")
    write = next(activity for activity in seen["shown"]["activities"] if activity["name"] == "workspace.write")
    assert (write["status"], write["error"]["code"]) == ("failed", "disk_full")
    assert seen["files"] == ["filler", "report.md"], "the old report, and no temporary file"
    assert set(seen["verified"]) == {0}
    assert seen["next_code"] == 0


def test_a_limit_on_the_size_of_files_ends_the_run_and_loses_nothing(machine: Machine) -> None:
    bytes_max = machine.database.stat().st_size
    limit = f'ulimit -f {bytes_max // 1_024} && exec "$@"'
    done = machine.bearagent("run", OBJECTIVE, "--json", "--quiet", program=("bash", "-c", limit, "-", COMMAND))
    assert done.returncode == 4
    assert document(done)["error"]["code"] == "store_full"
    require_usable(machine, runs_before=1)


@pytest.mark.needs("namespaces")
@pytest.mark.parametrize("words", [("run", OBJECTIVE), ("list",), ("verify", "latest")], ids=lambda words: words[0])
def test_a_file_system_that_may_only_be_read_is_named(machine: Machine, words: tuple[str, ...]) -> None:
    mounted = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'
    program = ("unshare", "-Urm", "sh", "-c", mounted, "-", machine.database.parent, COMMAND)
    before = machine.files()
    done = machine.bearagent(*words, "--json", program=program)
    assert (done.returncode, document(done)["error"]["code"]) == (4, "store_read_only")
    assert machine.files() == before
    require_usable(machine, runs_before=1)


# Other processes


HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """Another process keeps the right to write."""
    with subprocess.Popen([sys.executable, "-c", HOLD, database], stdin=PIPE, stdout=PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        yield
        other.kill()


def test_a_lock_that_is_held_for_long_is_named_and_nothing_begins(machine: Machine) -> None:
    with locked(machine.database):
        done = machine.bearagent("run", OBJECTIVE, "--json", "--quiet")
        assert (done.returncode, document(done)["error"]["code"]) == (4, "store_busy")
        assert machine.bearagent("list").returncode == 0, "who only reads does not wait"
    require_usable(machine, runs_before=1)


@pytest.mark.parametrize("commit", range(2, 6))
def test_a_lock_that_is_held_for_long_at_any_commit_stops_the_run_and_repeats_no_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commit: int
) -> None:
    """One commit after the other meets a lock: of the intent, of the outcome, of the next request, of the end."""
    monkeypatch.setattr(connections, "BUSY_MILLISECONDS", 100)
    database = tmp_path / "record.db"
    tool = FakeTool(effect=Effect.WORKSPACE_WRITE)

    class LateStore(SqliteEventStore):
        commits = 0

        def append(self, parts: Sequence[Append]) -> None:
            LateStore.commits += 1
            with locked(database) if LateStore.commits == commit else nullcontext():
                super().append(parts)

    call = ScriptedCall("fake.echo", {"text": "x"})
    with closing(LateStore.open(database)) as store:
        scene = Scene(tools=[(tool, None)], store=store)
        with pytest.raises(StoreError) as refused:
            scene.play(ScriptedTurn(calls=(call,)), ScriptedTurn(text="Done."))
        assert refused.value.info.code is ErrorCode.STORE_BUSY
        run_id = store.matching("")[0]
        assert scene.events(run_id)[-1].TYPE in ("run.started", "activity.started")
        assert len(tool.executed) == (commit >= 4)
        verified = QueryService(store).verify(run_id)
        assert verified.ok and LateStore.commits == commit, "nothing is tried again"
        assert scene.play(ScriptedTurn(text="Hello.")).status is RunStatus.SUCCEEDED


def test_eight_processes_that_begin_at_once_have_eight_whole_runs(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    words = (COMMAND, "run", "Say hi, and write outputs/report.md", "--quiet", "--json")
    processes = [
        subprocess.Popen(words, cwd=machine.workspace, env=machine.environment, stdout=PIPE, stderr=PIPE, text=True)
        for _ in range(8)
    ]
    ended = [(process.communicate(timeout=SECONDS_MAX), process.returncode) for process in processes]
    shown = []
    for (out, err), code in ended:
        done = subprocess.CompletedProcess(words, code, out, err)
        shown.append(document(done))
        assert code in (0, 1), err  # all write one report: one that another process changed meanwhile is refused
    assert {run["status"] for run in shown} <= {"succeeded", "failed"}
    assert sorted(line["run"]["run_id"] for line in listed(machine)) == sorted(run["run_id"] for run in shown)
    require_usable(machine, runs_before=8)


# Places


@pytest.mark.parametrize(
    ("place", "code", "exit_code"),
    [("no/such/folder/x.db", "", 0), ("folder", "store_not_a_database", 4), ("/dev/full", "store_not_a_database", 4)],
    ids=["a folder that is not there", "a folder", "a device"],
)
def test_a_record_in_an_odd_place_is_made_or_refused(tmp_path: Path, place: str, code: str, exit_code: int) -> None:
    machine = machine_in(tmp_path)
    (machine.home / "folder").mkdir()
    database = machine.home / place
    done = machine.bearagent("run", OBJECTIVE, "--json", "--quiet", "--db", database)
    assert done.returncode == exit_code
    assert (document(done)["error"] or {"code": ""})["code"] == code
    if not code:
        assert database.parent.stat().st_mode & 0o777 == 0o700


def test_without_a_home_a_run_is_made_or_refused_in_a_sentence(tmp_path: Path) -> None:
    machine = machine_in(tmp_path)
    done = machine.bearagent(
        "run", OBJECTIVE, "--json", "--quiet", "--db", machine.home / "r.db", program=("env", "-u", "HOME", COMMAND)
    )
    assert done.returncode in (0, 3), done.stderr
    document(done)


# Clocks


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wall clock that jumps, compiled."""
    library = tmp_path_factory.mktemp("shim") / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True)
    return library


@pytest.mark.needs("compiler", "Linux")
@pytest.mark.parametrize(
    "seconds", [-3_600, -1_765_000_000, 1_700_000_000], ids=["an hour back", "to 1970", "far ahead"]
)
def test_a_wall_clock_that_jumps_during_a_run_changes_times_and_nothing_else(
    machine: Machine, shim: Path, seconds: int
) -> None:
    machine.variables |= {"LD_PRELOAD": str(shim), "JUMP_AFTER": "12", "JUMP_SECONDS": str(seconds)}
    run = document(machine.bearagent("run", OBJECTIVE, "--json", "--quiet"))
    machine.variables.clear()
    assert run["status"] == "succeeded"
    assert 0 <= run["usage"]["active_ms"] < 1_000 * SECONDS_MAX
    events = [json.loads(line) for line in machine.bearagent("events", "latest", "--jsonl").stdout.splitlines()]
    times = [datetime.fromisoformat(event["recorded_at"]) for event in events]
    jumps = [(later - earlier).total_seconds() for earlier, later in pairwise(times)]
    assert any(abs(jump - seconds) < SECONDS_MAX for jump in jumps), "the clock did jump"
    assert listed(machine)[0]["run"]["run_id"] == run["run_id"], "newest is what was begun last, whatever its time"
    require_usable(machine, runs_before=2)


@pytest.mark.parametrize("jump_ms", [-3_600_000, 1_700_000_000_000])
def test_time_limits_go_by_a_clock_that_does_not_jump(jump_ms: int) -> None:
    clock = JumpingClock(jump_ms)
    scene = Scene(clock=clock)
    timeouts = Timeouts(model_total=1)
    run_id = asyncio.run(scene.start(ScriptedModel([ScriptedTurn(hangs=True)]), timeouts=timeouts))
    run = scene.inspect(run_id)
    assert run.error is not None and run.error.code is ErrorCode.MODEL_TIMEOUT
    assert 1_000 <= run.usage.active_ms < 1_000 * SECONDS_MAX


class JumpingClock(SystemClock):
    """The clock of the machine, whose wall time begins in 1970 and jumps with each question."""

    def __init__(self, jump_ms: int) -> None:
        self._now_ms, self._jump_ms = 4_000_000, jump_ms

    def now(self) -> Time:
        self._now_ms = max(0, self._now_ms + self._jump_ms) % 4_000_000_000_000
        return time_text(datetime.fromtimestamp(self._now_ms / 1_000, UTC))
