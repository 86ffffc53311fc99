"""Bad input, each kind once: one clear sentence, the documented exit code, no traceback, nothing created."""

import json
import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.installed_command import COMMAND, Machine


def refused(machine: Machine, code: int, *words: str | Path, stdin: bytes = b"") -> str:
    """The sentence of a refused command that has created nothing."""
    before = machine.files()
    done = machine.bearagent(*words, stdin=stdin)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert machine.files() == before
    (sentence,) = done.stderr.splitlines()
    assert sentence.endswith(".") and "Traceback" not in sentence
    return sentence


def test_a_workspace_that_is_not_there(machine: Machine) -> None:
    assert "--workspace" in refused(machine, 3, "run", "x", "--workspace", "nowhere")


def test_a_file_as_workspace(machine: Machine) -> None:
    assert "--workspace" in refused(machine, 3, "run", "x", "--workspace", "docs/bears.md")


@pytest.mark.parametrize("objective", ["", " \n\t"])
def test_an_empty_objective(objective: str, machine: Machine) -> None:
    assert "objective is empty" in refused(machine, 2, "run", objective)


def test_an_objective_that_is_too_long(machine: Machine) -> None:
    assert "262,144" in refused(machine, 2, "run", "-", stdin=b"x" * 262_145)


def test_an_objective_longer_than_half_of_a_small_context(machine: Machine) -> None:
    assert "4,096" in refused(machine, 2, "run", "-", "--context-chars", "8192", stdin=b"x" * 4_097)


def test_invalid_utf_8_on_stdin(machine: Machine) -> None:
    assert "not UTF-8" in refused(machine, 2, "run", "-", stdin=b"caf\xe9")


def test_an_objective_with_a_nul(machine: Machine) -> None:
    assert "NUL" in refused(machine, 2, "run", "-", stdin=b"a\0b")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('{"schema_version": 1, "speed": 9}', "speed"),
        ('{"schema_version": 1, "agent": {"api_key": "sk-canary"}}', "api_key"),
        ('{"schema_version": 2}', "schema_version"),
        ("{}", "schema_version"),
        ('{"schema_version": 1, "schema_version": 1}', "twice"),
        ('{"schema_version": 1, "limits": {"model_calls": "many"}}', "model_calls"),
        ('{"schema_version": 1, "tools": ["workspace.delete"]}', "workspace.delete"),
        ("[" * 5_000, "nesting"),
        ("not json", "JSON"),
    ],
)
def test_a_profile_that_does_not_fit(content: str, named: str, machine: Machine) -> None:
    (machine.workspace / "p.json").write_text(content)
    sentence = refused(machine, 3, "run", "x", "--profile", "p.json")
    assert named in sentence
    assert "canary" not in sentence


def test_a_limit_below_zero(machine: Machine) -> None:
    assert "at least 0" in refused(machine, 2, "run", "x", "--max-model-calls", "-1")


def test_a_limit_beyond_its_cap(machine: Machine) -> None:
    assert "between 0 and 20,000" in refused(machine, 2, "run", "x", "--max-tool-calls", "20001")


def test_a_provider_that_is_not_there(machine: Machine) -> None:
    assert "offline" in refused(machine, 3, "run", "x", "--provider", "nobody", "--model", "m")


@pytest.mark.parametrize("database", ["runs.db", "sub/runs.db", "docs/../runs.db"])
def test_a_database_inside_the_workspace(database: str, machine: Machine) -> None:
    sentence = refused(machine, 3, "run", "x", "--db", database)
    assert "--db" in sentence and "--workspace" in sentence


def test_a_database_that_leads_into_the_workspace_by_a_link(machine: Machine) -> None:
    (machine.home / "link").symlink_to(machine.workspace)
    assert "--db" in refused(machine, 3, "run", "x", "--db", machine.home / "link" / "runs.db")


@pytest.mark.parametrize("workspace", ["/", ".."])
def test_a_workspace_that_holds_the_data_folder(workspace: str, machine: Machine) -> None:
    assert "--workspace" in refused(machine, 3, "run", "x", "--workspace", workspace)


def test_a_config_file_that_is_wrong(machine: Machine) -> None:
    (machine.home / "bearagent").mkdir()
    (machine.home / "bearagent/config.toml").write_text('api_key = "sk-canary"\n')
    sentence = refused(machine, 3, "run", "x")
    assert "api_key" in sentence and "canary" not in sentence


@pytest.mark.parametrize("command", ["list", "inspect", "events"])
def test_a_query_before_there_is_a_database(command: str, machine: Machine) -> None:
    words = (command,) if command == "list" else (command, "latest")
    assert "bearagent run" in refused(machine, 4, *words)


@pytest.mark.parametrize("words", [("run", "x"), ("list",), ("inspect", "latest")])
def test_a_database_that_is_a_text_file(words: tuple[str, ...], machine: Machine) -> None:
    text = machine.home / "notes.txt"
    text.write_text("These are notes, not a database.\n" * 100)
    refused(machine, 4, *words, "--db", text)
    assert text.read_text() == "These are notes, not a database.\n" * 100


@pytest.fixture
def recorded(machine: Machine) -> Machine:
    """A machine with one run on record, all of it in the database file itself."""
    assert machine.bearagent("run", "Read docs/", "--quiet").returncode == 0
    with closing(sqlite3.connect(machine.database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return machine


def refused_on_record(machine: Machine, *words: str) -> None:
    """The command refuses the database, in one sentence, and leaves its bytes alone."""
    before = machine.database.read_bytes()
    done = machine.bearagent(*words)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (4, "", 1), done.stderr
    assert str(machine.home) not in done.stderr
    assert machine.database.read_bytes() == before


@pytest.mark.parametrize("words", [("run", "x"), ("list",), ("inspect", "latest")])
def test_a_database_of_a_newer_schema(words: tuple[str, ...], recorded: Machine) -> None:
    with closing(sqlite3.connect(recorded.database)) as connection:
        connection.execute("PRAGMA user_version = 999")
    refused_on_record(recorded, *words)


def test_a_database_with_a_damaged_page(recorded: Machine) -> None:
    data = recorded.database.read_bytes()
    place = data.index(b'"type":"run.created"')
    recorded.database.write_bytes(data[:place] + b"X" * 64 + data[place + 64 :])
    for query in ("inspect", "events"):
        refused_on_record(recorded, query, "latest")


def test_a_database_that_was_cut_short(recorded: Machine) -> None:
    os.truncate(recorded.database, recorded.database.stat().st_size // 2)
    refused_on_record(recorded, "inspect", "latest")


def test_a_failure_with_json_is_one_object(machine: Machine) -> None:
    done = machine.bearagent("run", "x", "--workspace", "nowhere", "--json")
    shown = json.loads(done.stdout)
    assert (done.returncode, shown["run_id"], shown["status"]) == (3, None, None)
    assert shown["error"]["message"] == done.stderr.strip()


def in_a_shell(machine: Machine, script: str) -> subprocess.CompletedProcess[str]:
    """Carry out `script`, in which "$0" is the command."""
    return machine.bearagent(program=("sh", "-c", script, COMMAND))


def test_a_closed_stdout(machine: Machine) -> None:
    before = machine.files()
    done = in_a_shell(machine, 'exec "$0" run x >&-')
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)
    assert "closed" in done.stderr
    assert machine.files() == before


def test_a_closed_stdin(machine: Machine) -> None:
    done = in_a_shell(machine, 'exec "$0" run - <&-')
    assert (done.returncode, done.stderr) == (2, "The objective is empty. Say what should be done.\n")


def test_a_full_stderr_hides_nothing_else(machine: Machine) -> None:
    done = in_a_shell(machine, 'exec "$0" run "" --json 2> /dev/full')
    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "objective_invalid")


def test_a_full_stdout(machine: Machine) -> None:
    done = in_a_shell(machine, 'exec "$0" schema > /dev/full')
    assert (done.returncode, done.stderr) == (3, "The system refused: No space left on device.\n")
