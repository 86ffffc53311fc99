"""Faults that users met in the command lines of other systems and that no other test of ours looks at."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import new_id
from bearagent_domain.views import RunInspection
from bearagent_ports import ProviderFailed
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import ScriptedCall, ScriptedTurn
from bearagent_workspace_tools import workspace_tools
from tests.driving import Scene
from tests.e2e import scripted_command
from tests.e2e.installed_command import Machine

SCRIPTED = (sys.executable, scripted_command.__file__)
Play = Callable[..., RunInspection]

MARKUP = "explain [/q 7] [link=x] and [bold]x[/red]"
HINT = "pip install 'tool[extra]' and list[str] [/]"
QUESTION = "Proceed? [y/N]"


@pytest.fixture
def play(machine: Machine) -> Iterator[Play]:
    """Plays turns as a run into the database that the machine's commands read; the ids count."""
    machine.database.parent.mkdir()
    with closing(SqliteEventStore.open(machine.database)) as store:
        yield Scene(tools=workspace_tools(machine.workspace, new_id), store=store).play


def test_square_brackets_are_shown_as_they_are_in_every_view(machine: Machine, play: Play) -> None:
    (machine.workspace / "docs/[").mkdir()
    (machine.workspace / "docs/[/x].md").write_text("[/b][[c]] [/]\n")
    read = ScriptedTurn(calls=(ScriptedCall("workspace.read", {"path": "docs/[/x].md"}),))
    answered = play(read, ScriptedTurn(text=HINT), objective=MARKUP)
    failed = play(ScriptedTurn(error=ProviderFailed(failure(ErrorCode.PROVIDER_ERROR, QUESTION))), objective=MARKUP)
    shown = machine.bearagent("inspect", answered.run_id).stdout
    assert MARKUP in shown and HINT in shown and "docs/[/x].md" in shown
    assert QUESTION in machine.bearagent("inspect", failed.run_id).stdout
    assert machine.bearagent("list").stdout.count(MARKUP) == 2
    events = machine.bearagent("events", answered.run_id)
    assert (events.returncode, events.stderr) == (0, "")


@pytest.mark.parametrize("query", ["inspect", "events"])
def test_a_part_of_an_id_that_fits_two_runs_is_refused_with_both(machine: Machine, play: Play, query: str) -> None:
    runs = [play(ScriptedTurn(text="Done.")).run_id for _ in range(2)]
    done = machine.bearagent(query, "0000")
    assert (done.returncode, done.stdout) == (4, "")
    assert all(run_id in done.stderr for run_id in runs)


@pytest.mark.parametrize(
    ("script", "code", "status", "last_type"),
    [
        ("writes", 0, "succeeded", "run.succeeded"),
        ("broken", 1, "failed", "run.failed"),
        ("unavailable", 5, "suspended", "run.suspended"),
    ],
)
def test_exit_code_document_and_record_tell_the_same_end(
    machine: Machine, script: str, code: int, status: str, last_type: str
) -> None:
    done = machine.bearagent("run", "x", "--json", program=(*SCRIPTED, script))
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"], told["error"] is None) == (code, status, code == 0)
    assert json.loads(machine.bearagent("inspect", "latest", "--json").stdout) == told
    last = machine.bearagent("events", "latest", "--jsonl").stdout.splitlines()[-1]
    assert json.loads(last)["type"] == last_type
