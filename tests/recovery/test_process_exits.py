"""A process that is killed: what a new process sees is exactly what was committed, and what is on disk (R1, R2)."""

import asyncio
import re
import time

import pytest

from bearagent_domain.ids import ActivityId, RunId, new_id
from bearagent_ports import CallContext
from bearagent_workspace_tools import workspace_tools
from tests.e2e.installed_command import Machine
from tests.recovery.dying_run import WRITTEN
from tests.recovery.killed_runs import (
    WRITTEN_BEFORE,
    Seen,
    activities_of,
    inspected,
    killed,
    killed_in_call,
    machine_to_die_on,
    needs_strace,
    passed_by,
    require_on_disk,
    seen,
    written,
)

BEFORE_THE_WRITE = [("script", "completed"), ("workspace.list", "completed"), ("workspace.read", "completed")]
FIRST_ID = "00000001-0000-4000-8000-000000000001"  # that of the run
TOOLS = ("workspace.list", "workspace.read", "workspace.write")
BOUNDARIES = [
    *(f"{side} commit {number}" for number in range(1, 8) for side in ("before", "after")),
    *(f"{side} model {number}" for number in (1, 2) for side in ("before", "within", "after")),
    *(f"{side} {tool} 1" for tool in TOOLS for side in ("before", "after")),
    "before head",
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Seen]:
    """The boundaries of the run that nobody kills, and what is seen of it."""
    machine = machine_to_die_on(tmp_path_factory.mktemp("whole"))
    return [passed.boundary for passed in passed_by(machine)], seen(machine)


def require_interrupted(run: Seen) -> None:
    """Nobody drives it; the record says `running`, the list says so in words."""
    assert (run.run["status"], run.run["reason"], run.run["driven"]) == ("running", None, False)
    assert "  interrupted  " in run.line


def types_of(run: Seen) -> list[str]:
    return [event["type"] for event in run.events]


def test_k1_a_kill_before_the_request_commit_leaves_no_trace_of_the_call(machine: Machine) -> None:
    killed(machine, "before commit 2")
    run = seen(machine)
    assert types_of(run) == ["run.created", "run.started"]
    assert activities_of(run.run) == []
    assert run.run["usage"]["model_calls"] == 0
    require_interrupted(run)


def test_k1_a_kill_before_the_commit_of_a_write_touches_no_file(machine: Machine) -> None:
    killed(machine, "before commit 5")
    run = seen(machine)
    assert activities_of(run.run) == [*BEFORE_THE_WRITE[:2], ("workspace.read", "started")]
    assert written(machine).read_text() == WRITTEN_BEFORE
    require_interrupted(run)


def test_k2_a_kill_after_started_shows_a_started_write_and_the_old_file(machine: Machine) -> None:
    killed(machine, "before workspace.write 1")
    run = seen(machine)
    require_started_write(run)
    assert files_in(machine) == {"a.md": WRITTEN_BEFORE}


@needs_strace
def test_k3_a_kill_before_the_replace_leaves_the_old_file_and_a_temporary_that_no_tool_lists(machine: Machine) -> None:
    killed_in_call(machine, machine.workspace / "outputs", "/^rename:signal=SIGKILL")
    run = seen(machine)
    require_started_write(run)
    activity_id = run.run["activities"][-1]["activity_id"]
    assert files_in(machine) == {"a.md": WRITTEN_BEFORE, f".bearagent-{activity_id}-1-0.part": WRITTEN}
    assert listed_outputs(machine) == ["a.md"]


def test_k4_a_kill_after_the_replace_claims_no_artifact_and_retries_nothing(machine: Machine) -> None:
    killed(machine, "after workspace.write 1")
    run = seen(machine)
    require_started_write(run)
    assert files_in(machine) == {"a.md": WRITTEN}
    assert inspected(machine) == run.run
    assert files_in(machine) == {"a.md": WRITTEN}


@needs_strace
def test_k4_a_kill_between_the_replace_and_its_sync_is_the_same(machine: Machine) -> None:
    killed_in_call(machine, machine.workspace / "outputs", "fsync:signal=SIGKILL")
    require_started_write(seen(machine))
    assert files_in(machine) == {"a.md": WRITTEN}


@needs_strace
@pytest.mark.parametrize("write", [28, 36, 47, 55, 63])
def test_k5_a_kill_inside_the_transaction_leaves_the_commit_before(write: int, machine: Machine) -> None:
    log = machine.database.with_name("bearagent.db-wal")
    last = killed_in_call(machine, log, f"pwrite64:signal=SIGKILL:when={write}")
    assert re.fullmatch("before commit [2-7]", last.boundary)
    run = seen(machine)
    assert run.run["last_sequence"] == last.events
    require_interrupted(run)


@needs_strace
def test_k5_a_kill_inside_the_first_transaction_leaves_no_run(machine: Machine) -> None:
    log = machine.database.with_name("bearagent.db-wal")
    last = killed_in_call(machine, log, "pwrite64:signal=SIGKILL:when=8")
    assert last.boundary == "before commit 1"
    assert machine.bearagent("inspect", "latest").returncode == 4
    assert machine.bearagent("list").stdout.startswith("No runs yet.")


@needs_strace
def test_k5_a_kill_at_the_sync_of_a_commit_leaves_it_whole_though_nobody_heard_of_it(
    machine: Machine, whole: tuple[list[str], Seen]
) -> None:
    log = machine.database.with_name("bearagent.db-wal")
    last = killed_in_call(machine, log, "fdatasync:signal=SIGKILL:when=5")
    assert re.fullmatch("before commit [2-7]", last.boundary)
    run = seen(machine)
    assert last.events < run.run["last_sequence"]
    assert run.events == whole[1].events[: len(run.events)]
    assert run.events[-1]["type"] == "activity.started"
    require_interrupted(run)


def test_k6_a_kill_after_the_model_call_started_shows_a_started_call_and_nothing_else(machine: Machine) -> None:
    killed(machine, "within model 1")
    run = seen(machine)
    assert types_of(run) == ["run.created", "run.started", "activity.requested", "activity.started"]
    assert activities_of(run.run) == [("script", "started")]
    assert (run.run["final_text"], run.run["error"]) == (None, None)
    assert files_in(machine) == {"a.md": WRITTEN_BEFORE}
    require_interrupted(run)


@needs_strace
def test_a_kill_while_the_head_is_kept_leaves_the_run_as_it_ended(machine: Machine) -> None:
    heads = machine.database.with_name("bearagent.db.heads")
    staged = heads / f"{FIRST_ID}.new"
    last = killed_in_call(machine, staged, "/^rename:signal=SIGKILL")
    assert last.boundary == "before head"
    run = inspected(machine)
    assert (run["run_id"], run["status"], run["last_sequence"]) == (FIRST_ID, "succeeded", last.events)
    assert list(heads.iterdir()) == [staged]


def test_the_sweep_knows_every_boundary(whole: tuple[list[str], Seen]) -> None:
    assert sorted(whole[0]) == sorted(BOUNDARIES)


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_kill_at_any_boundary_leaves_what_was_acknowledged(
    boundary: str, machine: Machine, whole: tuple[list[str], Seen]
) -> None:
    last = killed(machine, boundary)
    if last.events == 0:
        assert machine.bearagent("inspect", "latest").returncode == 4
        return
    run = inspected(machine)
    assert (run["last_sequence"], run["head_hash"]) == (last.events, whole[1].events[last.events - 1]["hash"])
    assert run["driven"] is (None if run["status"] == "succeeded" else False)
    has_replaced = whole[0].index(boundary) >= whole[0].index("after workspace.write 1")
    assert files_in(machine) == {"a.md": WRITTEN if has_replaced else WRITTEN_BEFORE}
    assert len(run["artifacts"]) == activities_of(run).count(("workspace.write", "completed"))
    require_on_disk(machine, run["artifacts"])


def require_started_write(run: Seen) -> None:
    """The intent is the last fact: no outcome, no artifact, no second attempt."""
    assert activities_of(run.run) == [*BEFORE_THE_WRITE, ("workspace.write", "started")]
    write = run.run["activities"][-1]
    assert (write["attempt"], write["ended_sequence"], write["error"]) == (1, None, None)
    assert types_of(run)[-1] == "activity.started"
    assert run.events[-1]["payload"]["intent"]["path"] == "outputs/a.md"
    assert run.run["artifacts"] == []
    require_interrupted(run)


def files_in(machine: Machine) -> dict[str, str]:
    """Every file of the run's own folder, by name."""
    assert sorted(path.name for path in machine.workspace.iterdir()) == ["docs", "outputs"]
    return {path.name: path.read_text() for path in (machine.workspace / "outputs").iterdir()}


def listed_outputs(machine: Machine) -> list[str]:
    """What `workspace.list` shows of `outputs`."""
    tool = next(tool for tool, _ in workspace_tools(machine.workspace, new_id) if tool.spec.name == "workspace.list")
    deadline_ms = int(time.monotonic() * 1_000) + 60_000
    call = CallContext(run_id=RunId(new_id()), activity_id=ActivityId(new_id()), attempt=1, deadline_ms=deadline_ms)

    async def content() -> str:
        prepared = tool.prepare({"path": "outputs"})
        return (await tool.execute(prepared, call, await tool.intend(prepared, call))).content

    return re.findall(r'"name":"([^"]*)"', asyncio.run(content()))
