"""Several processes at one database: races for its making and for one run, a busy writer, a kill, a full disk."""

import fcntl
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.ids import RunId
from bearagent_ports import StoreError
from bearagent_sqlite_store import SqliteEventStore, check_database
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

APPEND_OFTEN = """
import sys
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, SampleRun
run = SampleRun(CountingIds(start=int(sys.argv[2])), FixedClock())
run.begin()
store = SqliteEventStore.open_existing(sys.argv[1])
sys.stdin.readline()
for _ in range(150):
    run.turn("fake.echo")
    store.append((run.take(),))
    run.answer()
print("done")
"""

# Appends one step after the other, tells the sequence of each that is stored, and the code when one is refused.
WRITE_ON = """
import sys
from bearagent_ports import StoreError
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, SampleRun
run = SampleRun(CountingIds(), FixedClock())
run.begin()
store = SqliteEventStore.open(sys.argv[1])
try:
    while True:
        run.turn("fake.echo")
        store.append((run.take(),))
        print(run.head.sequence, flush=True)
        run.answer(content="x" * 2_000)
except StoreError as error:
    print(error.info.code)
"""
EVENTS_A_STEP = 7


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
    children = [started(CREATE, path, 1_000 * number) for number in range(1, 5)]
    assert released(children) == ["done"] * 4
    health = check_database(path)
    assert health.problems == () and health.runs == 4


def test_of_two_appends_at_one_place_one_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    run = SampleRun(CountingIds(), FixedClock())
    run.begin()
    store = SqliteEventStore.open(path)
    store.append((run.take(),))
    answers = released([started(APPEND, path, number) for number in range(3)])
    assert sorted(answers) == ["conflict"] * 2 + ["stored"]
    assert len(store.read(run.run_id)) == 5
    store.close()


def test_processes_that_write_to_different_runs_dont_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    SqliteEventStore.open(path).close()
    assert released([started(APPEND_OFTEN, path, 1_000), started(APPEND_OFTEN, path, 2_000)]) == ["done"] * 2
    assert check_database(path).runs == 2


def test_a_record_is_made_by_one_process_at_a_time(tmp_path: Path) -> None:
    """On a new file SQLite changes to write-ahead logging without waiting for others."""
    locks = tmp_path / "record.db.locks"
    locks.mkdir()
    with (locks / "create").open("wb") as making:
        fcntl.flock(making, fcntl.LOCK_EX)
        with pytest.raises(StoreError) as refused:
            SqliteEventStore.open(tmp_path / "record.db")
        assert refused.value.info.code is ErrorCode.STORE_BUSY
    SqliteEventStore.open(tmp_path / "record.db").close()


def test_a_writer_that_holds_on_is_waited_for_and_then_named(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    run = SampleRun(CountingIds(), FixedClock())
    run.begin()
    part = run.take()
    store = SqliteEventStore.open(path)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as refused:
        store.append((part,))
    assert refused.value.info.code is ErrorCode.STORE_BUSY and refused.value.info.retryable
    other.execute("ROLLBACK")
    store.append((part,))
    assert list(store.read(run.run_id)) == run.records
    other.close()
    store.close()


def test_a_killed_writer_leaves_whole_appends(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    child = started(WRITE_ON, path)
    assert child.stdout is not None
    acknowledged = [int(child.stdout.readline()) for _ in range(20)][-1]
    child.kill()
    child.communicate()
    assert_whole(path, acknowledged)


@pytest.mark.needs("namespaces")
def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    # The small disk is gone with its namespace, so the record is copied out before.
    mounted = 'mount -t tmpfs -o size=1m none disk && shift && "$0" -c "$@"; cp -r disk kept'
    command = ["unshare", "-Urm", "sh", "-c", mounted, sys.executable, "-c", WRITE_ON, "disk/record.db"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    *acknowledged, code = done.stdout.split()
    assert code == ErrorCode.STORE_FULL
    assert_whole(tmp_path / "kept" / "record.db", int(acknowledged[-1]))


def assert_whole(path: Path, acknowledged: int) -> None:
    """What was acknowledged is there, then at most one more append; rows and events are of one transaction."""
    store = SqliteEventStore.open_existing(path)
    records = store.read(RUN_ID, limit=10_000)
    assert acknowledged <= len(records) <= acknowledged + EVENTS_A_STEP
    assert records[-1].event.TYPE == "activity.completed"
    assert store.run(RUN_ID).last_sequence == len(records)
    assert store.rows(RUN_ID).activities[-1].ended_sequence == len(records)
    store.close()
