"""Several processes at one database: creation races, appends to one run, leases that end with their holder."""

import subprocess
import sys
from pathlib import Path

import pytest

from bearagent_domain.ids import RunId
from bearagent_ports import RunDrivenElsewhere
from bearagent_sqlite_store import FileRunLease, SqliteEventStore, check_database
from bearagent_testkit import CountingIds, FixedClock, SampleRun

RUN_ID = RunId(CountingIds().new_id())

CREATE = """
import sys
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, sample_run
sys.stdin.readline()
store = SqliteEventStore.open(sys.argv[1])
store.append((sample_run(CountingIds(start=int(sys.argv[2])), FixedClock()).take(),))
print("done")
"""

APPEND = """
import sys
from bearagent_ports import SequenceConflict
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, SampleRun
run = SampleRun(CountingIds(), FixedClock())
run.begin()
run.take()
run.turn(text="answer of " + sys.argv[2])
store = SqliteEventStore.open_existing(sys.argv[1])
sys.stdin.readline()
try:
    store.append((run.take(),))
    print("stored")
except SequenceConflict:
    print("conflict")
"""

HOLD = """
import sys
from bearagent_sqlite_store import FileRunLease
with FileRunLease(sys.argv[1]).hold(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.readline()
"""


def started(script: str, *arguments: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def released(children: "list[subprocess.Popen[str]]") -> list[str]:
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    return [child.communicate()[0].strip() for child in children]


def test_processes_that_make_one_database_at_once_all_succeed(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    children = [started(CREATE, path, 1_000 * number) for number in range(1, 7)]
    assert released(children) == ["done"] * 6
    health = check_database(path)
    assert health.problems == () and health.runs == 6


def test_of_two_appends_at_one_place_one_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    run = SampleRun(CountingIds(), FixedClock())
    run.begin()
    store = SqliteEventStore.open(path)
    store.append((run.take(),))
    answers = released([started(APPEND, path, number) for number in range(4)])
    assert sorted(answers) == ["conflict"] * 3 + ["stored"]
    assert len(store.read(run.run_id)) == 5
    store.close()


def test_a_lease_ends_when_its_holder_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    lease = FileRunLease(path)
    assert not lease.is_held(RUN_ID) and not (tmp_path / "record.db.locks").exists()
    child = started(HOLD, path, RUN_ID)
    assert child.stdout is not None and child.stdout.readline() == "held\n"
    assert lease.is_held(RUN_ID)
    with pytest.raises(RunDrivenElsewhere) as refused, lease.hold(RUN_ID):
        raise AssertionError("two drivers at once")
    assert refused.value.info.details["pid"] == child.pid
    child.kill()
    child.communicate()
    assert not lease.is_held(RUN_ID)
    with lease.hold(RUN_ID):
        pass


def test_a_killed_writer_leaves_whole_appends(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    script = (
        "import os, sys\n"
        "from bearagent_sqlite_store import SqliteEventStore\n"
        "from bearagent_testkit import CountingIds, FixedClock, SampleRun\n"
        "run = SampleRun(CountingIds(), FixedClock())\n"
        "run.begin()\n"
        "store = SqliteEventStore.open(sys.argv[1])\n"
        "store.append((run.take(),))\n"
        "while True:\n"
        "    run.turn('fake.echo')\n"
        "    store.append((run.take(),))\n"
        "    print(run.head.sequence, flush=True)\n"
        "    run.answer()\n"
    )
    child = started(script, path)
    assert child.stdout is not None
    acknowledged = [int(child.stdout.readline()) for _ in range(20)][-1]
    child.kill()
    child.communicate()
    store = SqliteEventStore.open_existing(path)
    records = store.read(RUN_ID)
    assert len(records) >= acknowledged
    assert records[-1].event.TYPE == "activity.completed"
    assert store.run(RUN_ID).last_sequence == len(records)
    store.close()
