"""`bearagent verify` on real records: whole ones, and ones that someone or something has changed."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.installed_command import Machine, machine_in

OBJECTIVE = "Read docs/ and write a report to outputs/report.md"
TAMPERED = 9


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with one finished run."""
    machine = machine_in(tmp_path)
    assert machine.bearagent("run", OBJECTIVE).returncode == 0
    return machine


def verified(machine: Machine, *words: str, code: int) -> dict[str, Any]:
    """What `verify latest --json` tells, and the code of each check that failed under `failed`."""
    done = machine.bearagent("verify", "latest", "--json", *words)
    assert done.returncode == code, done.stderr
    shown: dict[str, Any] = json.loads(done.stdout)
    assert shown["ok"] == (code == 0)
    failed = {check["name"]: check["code"] for check in shown["checks"] if check["outcome"] == "failed"}
    return shown | {"failed": failed}


def changed(machine: Machine, statement: str) -> None:
    """Carry out one statement on the database, as someone does who knows SQLite."""
    with closing(sqlite3.connect(machine.database)) as db, db:
        db.execute(statement)


def head_of(machine: Machine) -> str:
    run = json.loads(machine.bearagent("inspect", "latest", "--json").stdout)
    return f"{run['last_sequence']}:{run['head_hash']}"


def test_a_finished_run_holds_and_so_does_the_head_that_it_printed(machine: Machine) -> None:
    done = machine.bearagent("run", OBJECTIVE)
    printed = done.stdout.splitlines()[-1].removeprefix("Head ")
    shown = verified(machine, "--head", printed, code=0)
    assert {check["outcome"] for check in shown["checks"]} == {"holds"}
    assert f"{shown['last_sequence']}:{shown['head_hash']}" == printed


def test_a_changed_event_is_named_and_the_log_before_it_holds(machine: Machine) -> None:
    text = "CAST(REPLACE(CAST(body AS TEXT), 'docs', 'dogs') AS BLOB)"
    changed(machine, f"UPDATE events SET body = {text} WHERE sequence = {TAMPERED}")
    shown = verified(machine, code=7)
    assert shown["failed"] == {"chain": "record_corrupt"}
    assert f"Event {TAMPERED} " in shown["checks"][0]["detail"]
    assert shown["last_sequence"] == TAMPERED - 1
    done = machine.bearagent("inspect", "latest")
    assert (done.returncode, f"Event {TAMPERED} " in done.stderr) == (4, True)


def test_a_changed_row_fails_the_rows_and_nothing_else(machine: Machine) -> None:
    changed(machine, "UPDATE runs SET status = 'failed'")
    assert verified(machine, code=7)["failed"] == {"rows": "store_corrupt"}
    assert machine.bearagent("inspect", "latest").returncode == 0


def test_a_lost_end_is_noticed_beside_the_database_and_by_a_head_that_was_noted_down(machine: Machine) -> None:
    head = head_of(machine)
    last = int(head.partition(":")[0])
    for table in ("events", "artifacts"):
        changed(machine, f"DELETE FROM {table} WHERE sequence >= {last - 1}")
    assert verified(machine, code=7)["failed"].pop("kept_head") == "record_truncated"
    (kept,) = machine.database.with_name("bearagent.db.heads").iterdir()
    kept.unlink()
    assert "kept_head" not in verified(machine, code=7)["failed"]
    for given in (head, head.partition(":")[2]):
        assert verified(machine, "--head", given, code=7)["failed"].pop("given_head") == "record_truncated"


def test_a_run_that_an_older_copy_of_the_database_lacks_is_called_lost(machine: Machine) -> None:
    older = machine.database.read_bytes()
    run_id = json.loads(machine.bearagent("run", OBJECTIVE, "--json").stdout)["run_id"]
    machine.database.write_bytes(older)
    done = machine.bearagent("verify", run_id, "--json")
    assert done.returncode == 4
    assert json.loads(done.stdout)["error"]["code"] == "record_truncated"
    doctor = machine.bearagent("doctor")
    assert (doctor.returncode, run_id in doctor.stdout) == (3, True)


def test_a_head_that_is_none_is_wrong_usage(machine: Machine) -> None:
    done = machine.bearagent("verify", "latest", "--head", "12")
    assert (done.returncode, "SEQUENCE:HASH" in done.stderr) == (2, True)


def test_verify_changes_nothing(machine: Machine) -> None:
    before = {path: Path(path).read_bytes() for path in machine.files() if Path(path).is_file()}
    verified(machine, code=0)
    assert {path: Path(path).read_bytes() for path in machine.files() if Path(path).is_file()} == before
