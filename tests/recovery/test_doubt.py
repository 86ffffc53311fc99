"""A write in doubt while its process lives: settled by evidence at once, else unknown; never by guess (R2)."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import new_id
from bearagent_domain.json_values import JsonObject
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolResult, ToolSpec
from bearagent_ports import CallContext, OutcomeUnknown
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from bearagent_testkit import ScriptedCall, ScriptedModel, ScriptedTurn
from bearagent_workspace_tools import workspace_tools
from tests.driving import Scene
from tests.e2e.installed_command import Machine
from tests.recovery.killed_runs import WRITTEN_BEFORE, inspected, needs_strace, require_on_disk, strace, written

WRITTEN = "# After\n"
SCRIPT = (
    ScriptedTurn(calls=(ScriptedCall("workspace.write", {"path": "outputs/a.md", "content": WRITTEN}),)),
    ScriptedTurn(text="Done."),
)
SCRIPTED_COMMAND = Path(__file__).parent.parent / "e2e" / "scripted_command.py"


@dataclass
class DoubtfulWrite:
    """The write tool of `machine`, whose call does not come back as it should: `ending` follows on the effect.

    With `happens` false there is no effect: the tool is not asked. `in_doubt` is set when the ending begins.
    """

    machine: Machine
    ending: Callable[[], Awaitable[None]]
    happens: bool = True
    in_doubt: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.tool, self.reconciler = workspace_tools(self.machine.workspace, new_id)[-1]

    @property
    def spec(self) -> ToolSpec:
        """That of the tool, but with a timeout that a test can wait for."""
        return msgspec.structs.replace(self.tool.spec, timeout_ms=200)

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """That of the tool."""
        return self.tool.prepare(arguments)

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """That of the tool."""
        return await self.tool.intend(prepared, call)

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """The real effect, perhaps; then the ending."""
        result = ToolResult(content="")
        if self.happens:
            result = await self.tool.execute(prepared, call, intent)
        self.in_doubt.set()
        await self.ending()
        return result


async def io_error() -> None:
    raise OutcomeUnknown(failure(ErrorCode.IO_ERROR, "The disk said no."))


async def io_error_of_a_living_worker() -> None:
    raise OutcomeUnknown(failure(ErrorCode.IO_ERROR, "The disk says nothing.", worker_ended=False))


async def silence() -> None:
    await asyncio.Event().wait()


ENDINGS = {"io error": io_error, "timeout": silence, "cancel": silence}
ERRORS = {"io error": "io_error", "timeout": "tool_timeout", "cancel": "interrupted"}


def played(write: DoubtfulWrite, cancelled_at: Sequence[asyncio.Event] = ()) -> dict[str, Any]:
    """Play the script with a doubtful write, cancelled at each of these events; the run as a new process sees it."""
    database = write.machine.database

    async def play(scene: Scene) -> None:
        run = asyncio.ensure_future(scene.start(ScriptedModel(SCRIPT)))
        for event in cancelled_at:
            await event.wait()
            run.cancel()
        with suppress(asyncio.CancelledError):
            await run

    with closing(SqliteEventStore.open(database)) as store:
        asyncio.run(play(Scene(tools=[(write, write.reconciler)], store=store, lease=FileRunLease(database))))
    return inspected(write.machine)


@pytest.mark.parametrize("cause", list(ENDINGS))
def test_a_write_that_is_there_is_reconciled_as_done_at_once(cause: str, machine: Machine) -> None:
    write = DoubtfulWrite(machine, ENDINGS[cause])
    run = played(write, [write.in_doubt] if cause == "cancel" else [])
    assert write_of(run)["status"] == "completed"
    assert [artifact["path"] for artifact in run["artifacts"]] == ["outputs/a.md"]
    require_on_disk(machine, run["artifacts"])
    require_goes_on_or_interrupted(run, cause)


@pytest.mark.parametrize("cause", list(ENDINGS))
def test_a_write_that_is_not_there_is_reconciled_as_not_done_at_once(cause: str, machine: Machine) -> None:
    write = DoubtfulWrite(machine, ENDINGS[cause], happens=False)
    run = played(write, [write.in_doubt] if cause == "cancel" else [])
    status, error = write_of(run)["status"], write_of(run)["error"]
    if cause == "cancel":
        assert (status, error) == ("cancelled", None)
    else:
        assert (status, error["code"]) == ("failed", ERRORS[cause])
    assert (run["artifacts"], written(machine).read_text()) == ([], WRITTEN_BEFORE)
    require_goes_on_or_interrupted(run, cause)


@pytest.mark.parametrize("cause", list(ENDINGS))
def test_a_write_that_nobody_can_tell_of_stays_unknown_and_suspends_the_run(cause: str, machine: Machine) -> None:
    async def somebody_else_writes() -> None:
        written(machine).write_text("# Somebody else's\n")
        await ENDINGS[cause]()

    write = DoubtfulWrite(machine, somebody_else_writes)
    run = played(write, [write.in_doubt] if cause == "cancel" else [])
    require_suspended_in_doubt(run, ERRORS[cause])


def test_a_write_that_may_still_be_going_on_is_not_looked_at(machine: Machine) -> None:
    run = played(DoubtfulWrite(machine, io_error_of_a_living_worker))
    assert written(machine).read_text() == WRITTEN
    require_suspended_in_doubt(run, "io_error")


def test_a_second_cancellation_leaves_the_write_started_and_claims_nothing(machine: Machine) -> None:
    heard = asyncio.Event()

    async def deaf() -> None:
        with suppress(asyncio.CancelledError):
            await silence()
        heard.set()
        await silence()

    write = DoubtfulWrite(machine, deaf)
    run = played(write, [write.in_doubt, heard])
    assert (run["status"], run["driven"], run["artifacts"]) == ("running", False, [])
    assert write_of(run)["status"] == "started"


@needs_strace
def test_a_failed_sync_of_a_written_file_is_reconciled_by_the_command(machine: Machine) -> None:
    code, run = commanded(machine, "fsync:error=EIO")
    assert (code, run["status"], write_of(run)["status"]) == (0, "succeeded", "completed")
    require_on_disk(machine, run["artifacts"])


@needs_strace
def test_a_failed_rename_is_reconciled_as_not_done_by_the_command(machine: Machine) -> None:
    code, run = commanded(machine, "/^rename:error=EIO")
    write = write_of(run)
    assert (code, run["status"], write["status"], write["error"]["code"]) == (0, "succeeded", "failed", "io_error")
    assert (run["artifacts"], written(machine).read_text()) == ([], WRITTEN_BEFORE)


@needs_strace
def test_a_written_file_that_can_not_be_read_back_ends_the_command_with_5(machine: Machine) -> None:
    written(machine).unlink()  # so that the first who reads it is the reconciler
    code, run = commanded(machine, "fsync:error=EIO", "read:error=EIO")
    assert code == 5
    require_suspended_in_doubt(run, "io_error")


@needs_strace
def test_ctrl_c_within_the_rename_waits_for_it_and_claims_what_is_there(machine: Machine) -> None:
    code, run = commanded(machine, "/^rename:signal=SIGINT:delay_exit=300000")
    assert (code, run["status"], run["reason"]) == (130, "suspended", "interrupted")
    assert (write_of(run)["status"], len(run["artifacts"])) == ("completed", 1)
    require_on_disk(machine, run["artifacts"])


@needs_strace
def test_a_deadline_within_the_rename_waits_for_it_and_claims_what_is_there(machine: Machine) -> None:
    code, run = commanded(machine, "/^rename:delay_enter=4500000", limits=("--max-seconds", "4"))
    assert (code, run["status"], run["reason"]) == (6, "suspended", "budget")
    assert (write_of(run)["status"], len(run["artifacts"])) == ("completed", 1)
    require_on_disk(machine, run["artifacts"])


def commanded(machine: Machine, *injections: str, limits: tuple[str, ...] = ()) -> tuple[int, dict[str, Any]]:
    """Exit code of `bearagent run` with these faults in the system calls on its output, and the run."""
    places = (machine.workspace / "outputs", written(machine))
    program: tuple[str | Path, ...] = (*strace(places, *injections), sys.executable, SCRIPTED_COMMAND, "writes")
    done = machine.bearagent("run", "Write a report.", *limits, program=program)
    assert "Traceback" not in done.stderr
    return done.returncode, inspected(machine)


def write_of(run: dict[str, Any]) -> dict[str, Any]:
    """The first write of an inspected run."""
    activity: dict[str, Any] = next(found for found in run["activities"] if found["name"] == "workspace.write")
    return activity


def require_goes_on_or_interrupted(run: dict[str, Any], cause: str) -> None:
    expected = ("suspended", "interrupted") if cause == "cancel" else ("succeeded", None)
    assert (run["status"], run["reason"]) == expected


def require_suspended_in_doubt(run: dict[str, Any], code: str) -> None:
    """The run waits for a person; the write is neither failed nor done, and no artifact is claimed."""
    assert (run["status"], run["reason"], run["error"]["code"]) == ("suspended", "outcome_unknown", code)
    assert (write_of(run)["status"], run["artifacts"]) == ("outcome_unknown", [])
    assert len([activity for activity in run["activities"] if activity["kind"] == "model"]) == 1
