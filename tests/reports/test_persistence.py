"""Faults that users met in the stores of other systems: here each comes out right."""

import json
import os
import shutil
import sqlite3
import subprocess
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from bearagent_domain.budgets import RunLimits
from bearagent_domain.ids import RunId, new_id
from bearagent_domain.snapshots import sealed_snapshot
from bearagent_runtime import QueryService
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, SampleRun, ScriptedCall, ScriptedTurn
from bearagent_workspace_tools import workspace_tools
from tests.driving import Scene
from tests.e2e.installed_command import COMMAND, SECONDS_MAX, Machine
from tests.recovery.killed_runs import inspected, killed, machine_to_die_on

OBJECTIVE = "Read docs/ and write a report to outputs/report.md"
PAGE_BYTES, BLOCK_BYTES, CUT_BYTES = 4_096, 512, 1_206
RUNS_AT_ONCE = 8
TURNS = (*[62] * 42, 29)  # how many calls the model makes in each
EVENTS, PAYLOAD_BYTES, LARGEST_PAYLOAD_BYTES = 10_667, 2_000, 1_689_631
MEMORY_BYTES_MAX = 12 * 1024 * 1024  # to read a record of more than that whole, event by event
PAGE_MEMORY_BYTES_MAX = 1024 * 1024
SEPARATORS = "head\u2028tail\u2029end\u0085"

# A root without its privileges is an owner like any other.
UNPRIVILEGED = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if os.geteuid() == 0 else ()

replace = msgspec.structs.replace


def recorded(machine: Machine, objective: str) -> str:
    """A finished run, by its id."""
    done = machine.bearagent("run", objective, "--json")
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["run_id"])


def code_of(machine: Machine, *words: str) -> str:
    """The stable code with which a command is refused; there is one message."""
    done = machine.bearagent(*words, "--json")
    assert done.returncode == 4, done.stdout
    assert len(done.stderr.splitlines()) == 1
    return str(json.loads(done.stdout)["error"]["code"])


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def overwritten(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def test_line_separators_of_unicode_end_no_line_of_the_events_and_are_read_back(machine: Machine) -> None:
    (machine.workspace / "docs/a.md").write_text(f"{SEPARATORS}x\v\f", encoding="utf-8", newline="")
    read = ScriptedTurn(calls=(ScriptedCall("workspace.read", {"path": "docs/a.md"}),))
    machine.database.parent.mkdir()
    with closing(SqliteEventStore.open(machine.database)) as store:
        scene = Scene(tools=workspace_tools(machine.workspace, new_id), store=store)
        run = scene.play(read, ScriptedTurn(text="done\u2028ok"))
    lines = machine.bearagent("events", run.run_id, "--jsonl").stdout.removesuffix("\n").split("\n")
    events = [json.loads(line) for line in lines]
    assert len(events) == run.last_sequence
    assert sum(SEPARATORS in json.dumps(event, ensure_ascii=False) for event in events) == 1
    assert json.loads(machine.bearagent("inspect", "latest", "--json").stdout)["final_text"] == "done\u2028ok"
    assert machine.bearagent("verify", "latest").returncode == 0


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_block_of_zeros_in_the_log_ahead_never_gives_a_silently_shorter_history(
    machine: Machine, tmp_path: Path, share: float
) -> None:
    recorded(machine, "An older one.")
    with closing(SqliteEventStore.open(machine.database)):  # so that nobody folds the log into the file
        run_id = recorded(machine, OBJECTIVE)
        shutil.copytree(machine.database.parent, tmp_path / "kept")
    shutil.rmtree(machine.database.parent)
    shutil.move(tmp_path / "kept", machine.database.parent)
    log = machine.database.with_name("bearagent.db-wal")
    overwritten(log, block_in_use(log.read_bytes(), share), bytes(BLOCK_BYTES))
    done = machine.bearagent("verify", run_id, "--json")
    told = json.loads(done.stdout)
    codes = [told["error"]["code"]] if done.returncode == 4 else [check["code"] for check in told["checks"]]
    assert "record_truncated" in codes
    assert code_of(machine, "inspect", run_id) == "record_truncated"


def block_in_use(data: bytes, share: float) -> int:
    """Where the block at this share of the data begins, or one before it that is not all zeros already."""
    block = int(len(data) * share) // BLOCK_BYTES * BLOCK_BYTES
    while not any(data[block : block + BLOCK_BYTES]):
        block -= BLOCK_BYTES
    return block


def test_a_large_record_is_opened_and_paged_in_bounded_memory(machine: Machine) -> None:
    run_id = large_record(machine.database)
    run = json.loads(machine.bearagent("inspect", "latest", "--json").stdout)
    assert (run["run_id"], run["status"], run["last_sequence"]) == (run_id, "succeeded", EVENTS)
    page = json.loads(
        machine.bearagent("events", run_id, "--after-sequence", "10600", "--limit", "20", "--json").stdout
    )
    assert [event["sequence"] for event in page["events"]] == list(range(10_601, 10_621))
    with closing(SqliteEventStore.open_existing(machine.database)) as store:
        queries = QueryService(store)
        assert machine.database.stat().st_size > MEMORY_BYTES_MAX
        assert peak_bytes(lambda: queries.events(run_id, after=10_600, limit=20)) < PAGE_MEMORY_BYTES_MAX
        assert peak_bytes(lambda: queries.verify(run_id)) < MEMORY_BYTES_MAX


def large_record(database: Path) -> RunId:
    """One finished run with ten thousand events and a huge one."""
    run = SampleRun(CountingIds(), FixedClock())
    limits = RunLimits(model_calls=1_000, tool_calls=5_000)
    run.created = replace(run.created, snapshot=sealed_snapshot(replace(run.created.snapshot, limits=limits)))
    database.parent.mkdir()
    with closing(SqliteEventStore.open(database)) as store:
        run.begin()
        for calls in TURNS:
            run.turn(*["fake.echo"] * calls)
            for _ in range(calls):
                is_last = len(run.records) > EVENTS - 12
                run.answer(content="x" * (LARGEST_PAYLOAD_BYTES if is_last else PAYLOAD_BYTES))
            store.append((run.take(),))
        run.finish()
        store.append((run.take(),))
    assert len(run.records) == EVENTS
    return run.run_id


def peak_bytes(work: Callable[[], object]) -> int:
    """The most memory that Python objects took while `work` was done."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_damaged_event_is_named_with_its_run_and_hides_no_other(machine: Machine) -> None:
    damaged, *others = [recorded(machine, f"Job {number}.") for number in range(3)]
    with closing(sqlite3.connect(machine.database)) as db, db:
        db.execute(
            "UPDATE events SET body = CAST('{' AS BLOB) WHERE sequence = 5 AND run_number ="
            " (SELECT run_number FROM bindings WHERE run_id = ?)",
            (damaged,),
        )
    listed = machine.bearagent("list")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert all(run_id in listed.stdout for run_id in (damaged, *others))
    refused = machine.bearagent("inspect", damaged)
    assert (refused.returncode, "Event 5 " in refused.stderr) == (4, True)
    for run_id in others:
        assert machine.bearagent("inspect", run_id).returncode == 0
        assert machine.bearagent("verify", run_id).returncode == 0


@pytest.mark.needs("another user")
def test_a_record_that_may_only_be_read_is_refused_by_a_code_that_says_why_and_nothing_is_made(
    machine: Machine,
) -> None:
    recorded(machine, OBJECTIVE)
    folder = machine.home / "given"
    folder.mkdir()
    database = Path(shutil.copy(machine.database, folder / "record.db"))
    database.chmod(0o444)
    folder.chmod(0o555)
    for words in (("inspect", "latest"), ("events", "latest"), ("list",), ("verify", "latest"), ("run", "x")):
        done = machine.bearagent(*words, "--json", "--db", database, program=(*UNPRIVILEGED, COMMAND))
        assert done.returncode == 4
        error = json.loads(done.stdout)["error"]
        assert (error["code"], "writable" in error["message"]) == ("store_read_only", True)
    assert list(folder.iterdir()) == [database]
    folder.chmod(0o755)


def test_runs_that_start_at_once_on_one_record_are_all_there_and_whole(machine: Machine) -> None:
    started = [
        subprocess.Popen(
            [COMMAND, "run", f"Read docs/ and write a report to outputs/{number}.md", "--json"],
            cwd=machine.workspace,
            env=machine.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(RUNS_AT_ONCE)
    ]
    ended = [(*process.communicate(timeout=SECONDS_MAX), process.returncode) for process in started]
    assert [(code, b"locked" in err) for _, err, code in ended] == [(0, False)] * RUNS_AT_ONCE
    for out, _, _ in ended:
        assert machine.bearagent("verify", json.loads(out)["run_id"]).returncode == 0
    assert len(json.loads(machine.bearagent("list", "--json").stdout)["runs"]) == RUNS_AT_ONCE


def test_a_page_of_zeros_is_one_message_with_a_code_and_nothing_is_written(machine: Machine) -> None:
    recorded(machine, OBJECTIVE)
    overwritten(machine.database, 2 * PAGE_BYTES, bytes(PAGE_BYTES))
    before = machine.database.read_bytes()
    for words in (("list",), ("inspect", "latest"), ("run", "x")):
        assert code_of(machine, *words) == "store_corrupt"
    doctor = machine.bearagent("doctor")
    assert (doctor.returncode, "damaged" in doctor.stdout, "copy" in doctor.stdout) == (3, True, True)
    assert machine.database.read_bytes() == before


def test_nothing_is_repaired_by_reading(machine: Machine) -> None:
    run_id = recorded(machine, OBJECTIVE)
    with closing(sqlite3.connect(machine.database)) as db, db:
        db.execute("UPDATE runs SET status = 'odd'")
        db.execute("DELETE FROM activities")
    before = contents(machine.home)
    assert machine.bearagent("inspect", "latest").returncode == 0
    assert machine.bearagent("events", "latest").returncode == 0
    assert machine.bearagent("verify", run_id).returncode == 7
    assert run_id in machine.bearagent("list").stdout
    assert contents(machine.home) == before


def test_a_header_of_text_is_refused_and_the_file_stays_byte_for_byte(machine: Machine) -> None:
    recorded(machine, OBJECTIVE)
    overwritten(machine.database, 0, b"Dear diary, today I have overwritten it.")
    before = contents(machine.home)
    for words in (("run", "x"), ("list",), ("inspect", "latest"), ("verify", "latest")):
        assert code_of(machine, *words) == "store_not_a_database"
    assert machine.bearagent("doctor").returncode == 3
    assert contents(machine.home) == before


def test_what_a_dead_driver_and_a_power_loss_leave_blocks_nothing(tmp_path: Path) -> None:
    machine = machine_to_die_on(tmp_path)
    last = killed(machine, "before commit 6")
    log, index = (machine.database.with_name(f"bearagent.db-{name}") for name in ("wal", "shm"))
    assert list(machine.database.with_name("bearagent.db.locks").glob("*.lock"))
    os.truncate(log, log.stat().st_size - CUT_BYTES)
    index.write_bytes(bytes(index.stat().st_size))
    listed = machine.bearagent("list")
    assert (listed.returncode, "  interrupted  " in listed.stdout) == (0, True)
    run = inspected(machine)
    assert 0 < run["last_sequence"] < last.events  # the last whole commit; the one behind it was cut
    assert machine.bearagent("verify", "latest").returncode == 0
    recorded(machine, OBJECTIVE)
