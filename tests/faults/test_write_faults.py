"""One system call of a write fails: the file is the old one or the new one, and the record says what is so."""

import errno
import re
import subprocess
from pathlib import Path

import pytest

from tests.faults.fault_rows import COMPLETED, FAILED, ROWS, UNKNOWN, Row
from tests.faults.faulty_machine import (
    MADE,
    OLD,
    REPLACED,
    Call,
    FaultyMachine,
    Found,
    claims_only_what_is_there,
    faulty_machine,
)
from tests.faults.writing_run import NEW

SHIM = Path(__file__).with_name("fault_shim.c")
FAULTS = [(row, fault, code) for row in ROWS for fault, code in zip(row.faults, row.codes, strict=True)]

pytestmark = pytest.mark.needs("strace", "Linux")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Call]]:
    """The calls of a write that replaces a file, and of one that makes a folder first."""
    return {path: faulty_machine(tmp_path_factory.mktemp("calls"), path).calls() for path in (REPLACED, MADE)}


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Calls that happen and fail afterwards, compiled."""
    library = tmp_path_factory.mktemp("shim") / "faults.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-o", library, SHIM, "-ldl"], check=True)
    return library


def injection(row: Row, fault: str, calls: list[Call]) -> str:
    """`fault` in the call that the row means."""
    found = [call for call in calls if call.when is not None and re.search(row.call, f"{call.name}{call.line}")]
    call = found[row.nth if row.nth < 0 else row.nth - 1]
    return f"{call.name}:{fault if '=' in fault else f'error={fault}'}:when={call.when}"


def require_right(found: Found, path: str, status: str, code: str, *, leftovers: int = 0) -> None:
    """Old or new, whole; what is claimed is there; no trace of the rest; the code and no host path."""
    old = OLD if path == REPLACED else None
    assert found.was_hit, "the fault never happened"
    assert found.target == (NEW if status == COMPLETED else old)
    assert (found.write["status"], found.code) == (status, code)
    assert claims_only_what_is_there(found)
    assert len(found.others) <= leftovers, found.others
    assert "/workspace" not in str(found.run)
    if status != UNKNOWN:
        assert found.said == "succeeded", "the model was told, and the run went on"


@pytest.mark.parametrize(("row", "fault", "code"), FAULTS, ids=[f"{row.point}: {fault}" for row, fault, _ in FAULTS])
def test_a_failing_call_has_its_right_answer(
    tmp_path: Path, undisturbed: dict[str, list[Call]], row: Row, fault: str, code: str
) -> None:
    faulty = faulty_machine(tmp_path, row.path)
    second = [f"{row.second}:error=EIO"] if row.second else []
    found = faulty.struck(injection(row, fault, undisturbed[row.path]), *second)
    require_right(found, row.path, row.status, code, leftovers=len(second))
    if row.path == MADE and row.status == FAILED:
        assert not (faulty.machine.workspace / "outputs/new").exists(), "the folder that was made is gone again"
    faulty.require_goes_on()


def test_a_name_that_is_always_taken_is_given_up(tmp_path: Path, undisturbed: dict[str, list[Call]]) -> None:
    faulty = faulty_machine(tmp_path)
    (row,) = (row for row in ROWS if row.faults == ("EEXIST",) and row.path == REPLACED)
    found = faulty.struck(injection(row, "EEXIST", undisturbed[REPLACED]) + "+")
    require_right(found, REPLACED, FAILED, "write_changed")


@pytest.mark.needs("compiler")
@pytest.mark.parametrize("path", [REPLACED, MADE])
@pytest.mark.parametrize(
    ("call", "part", "error", "status", "code"),
    [
        ("renameat", ".part", errno.EIO, COMPLETED, ""),
        ("renameat", ".part", errno.ENOENT, COMPLETED, ""),
        ("fsync", ".part", errno.EIO, FAILED, "io_error"),
        ("close", ".part", errno.EIO, FAILED, "io_error"),
    ],
)
def test_a_call_that_happens_and_fails_afterwards_has_its_right_answer(
    tmp_path: Path, shim: Path, path: str, call: str, part: str, error: int, status: str, code: str
) -> None:
    faulty = faulty_machine(tmp_path, path)
    require_right(faulty.struck_after(shim, call, part, error), path, status, code)
    faulty.require_goes_on()


@pytest.mark.needs("compiler")
@pytest.mark.parametrize(("call", "part", "is_new"), [("fsync", ".part", False), ("renameat", ".part", True)])
def test_a_kill_right_behind_a_call_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, shim: Path, call: str, part: str, is_new: bool
) -> None:
    faulty = faulty_machine(tmp_path)
    require_killed(faulty, faulty.struck_after(shim, call, part, 0), is_new=is_new)


@pytest.mark.parametrize("path", [REPLACED, MADE])
@pytest.mark.rounds(short=8, full=1)
def test_a_kill_between_any_two_calls_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, undisturbed: dict[str, list[Call]], path: str, rounds: int
) -> None:
    calls = [call for call in undisturbed[path] if call.when is not None]
    renamed = next(number for number, call in enumerate(calls) if call.name == "renameat")
    chosen = sorted({*range(0, len(calls), rounds), *range(renamed - 1, len(calls))})
    for number in chosen:
        (tmp_path / str(number)).mkdir()
        faulty = faulty_machine(tmp_path / str(number), path)
        found = faulty.struck(f"{calls[number].name}:signal=SIGKILL:when={calls[number].when}")
        require_killed(faulty, found, is_new=number > renamed)
    print(f"{len(chosen)} kills at {len(calls)} calls")


def require_killed(faulty: FaultyMachine, found: Found, *, is_new: bool) -> None:
    """The write is open in the record, nothing is claimed, at most one temporary file is left, and all goes on."""
    old = OLD if faulty.path == REPLACED else None
    assert found.signal == 9
    assert found.target == (NEW if is_new else old)
    assert found.run["status"] == "running" and found.run["driven"] is False and not found.run["artifacts"]
    assert found.write.get("status") in (None, "requested", "started")
    assert len(found.others) <= 1
    faulty.require_goes_on()


def test_there_are_faults_enough() -> None:
    assert len(FAULTS) >= 50
    assert len({row.point for row in ROWS}) >= 15
