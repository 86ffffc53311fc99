"""One system call of the store fails: a stable code, what was acknowledged is there, and the record goes on."""

from collections import Counter
from pathlib import Path

import pytest

from bearagent_domain.errors import ErrorCode
from tests.faults.faulty_machine import OLD, FaultyMachine, Found, claims_only_what_is_there, faulty_machine
from tests.faults.writing_run import NEW

pytestmark = pytest.mark.needs("strace", "Linux")

FULL, FAILED, READ_ONLY = ErrorCode.STORE_FULL, ErrorCode.STORE_FAILED, ErrorCode.STORE_READ_ONLY
FIRST_RUN, SECOND_RUN = (f"{number:08x}-0000-4000-8000-{number:012x}" for number in (1, 1_001))
DATABASE, LOG, INDEX = "", "-wal", "-shm"
FAULTS = [
    (LOG, "pwrite64", "ENOSPC", {FULL}),
    (LOG, "pwrite64", "EDQUOT", {FULL}),
    (LOG, "pwrite64", "EFBIG", {FULL}),
    (LOG, "pwrite64", "EIO", {FAILED}),
    (LOG, "fdatasync", "EIO", {FAILED}),
    (LOG, "fdatasync", "ENOSPC", {FULL, FAILED}),
    (DATABASE, "pwrite64", "EIO", {FAILED}),
    (DATABASE, "fdatasync", "EIO", {FAILED}),
    (INDEX, "pwrite64", "ENOSPC", {FULL, FAILED}),
    (INDEX, "ftruncate", "ENOSPC", {FULL, FAILED}),
]


@pytest.fixture
def faulty(tmp_path: Path) -> FaultyMachine:
    """A machine whose record holds one finished run."""
    faulty = faulty_machine(tmp_path)
    faulty.require_goes_on()
    faulty.machine.workspace.joinpath(faulty.path).write_text(OLD)
    return faulty


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Counter[str]]:
    """How often an undisturbed run makes each call on each file."""
    found = {}
    for suffix in (DATABASE, LOG, INDEX):
        faulty = faulty_machine(tmp_path_factory.mktemp("counts"))
        faulty.require_goes_on()
        database = faulty.machine.database
        found[suffix] = Counter(call.name for call in faulty.calls([database.with_name(database.name + suffix)]))
    return found


@pytest.mark.parametrize("place", [0.0, 0.3, 0.6, 0.95])
@pytest.mark.parametrize(
    ("suffix", "call", "error", "codes"), FAULTS, ids=[f"{fault[0]} {fault[1]} {fault[2]}" for fault in FAULTS]
)
def test_a_failing_call_of_the_store_ends_the_run_by_a_code_and_loses_nothing(
    faulty: FaultyMachine,
    counts: dict[str, Counter[str]],
    suffix: str,
    call: str,
    error: str,
    codes: set[ErrorCode],
    place: float,
) -> None:
    number = 1 + int(counts[suffix][call] * place)
    database = faulty.machine.database
    found = faulty.struck(f"{call}:error={error}:when={number}+", places=[database.with_name(database.name + suffix)])
    assert found.was_hit, "the fault never happened"
    assert found.said in {*codes, "succeeded"}  # an error behind the last commit, in a checkpoint, costs nothing
    if found.run["run_id"] == FIRST_RUN:
        assert (found.said != "succeeded", found.target) == (True, OLD), "the run never began"
    else:
        assert found.run["status"] in ("running", "succeeded") and found.run["driven"] in (False, None)
        assert claims_only_what_is_there(found)
        assert found.target == (NEW if found.write.get("status") == "completed" else OLD) or is_open(found)
    faulty.require_goes_on()


def is_open(found: Found) -> bool:
    """Whether the outcome of the write is not in the record, though it may have happened."""
    return found.write.get("status") == "started" and found.target == NEW


def test_a_head_that_can_not_be_kept_is_told_and_costs_nothing(faulty: FaultyMachine) -> None:
    heads = faulty.machine.database.with_name("bearagent.db.heads")
    found = faulty.struck("fsync:error=EIO", places=[heads, heads / f"{SECOND_RUN}.new"])
    assert found.was_hit
    assert (found.said, found.run["status"], found.run["head_kept"]) == ("succeeded", "succeeded", False)
    faulty.require_goes_on()


@pytest.mark.parametrize(("error", "code"), [("EACCES", READ_ONLY), ("ENOSPC", FULL), ("EIO", FAILED)])
def test_a_lease_that_can_not_be_made_begins_nothing(faulty: FaultyMachine, error: str, code: ErrorCode) -> None:
    lock = faulty.machine.database.with_name("bearagent.db.locks") / f"{SECOND_RUN}.lock"
    found = faulty.struck(f"openat:error={error}", places=[lock])
    assert found.was_hit
    assert (found.said, found.run["run_id"], found.target) == (code, FIRST_RUN, OLD)
    faulty.require_goes_on()


def test_control_without_a_fault_the_run_succeeds(faulty: FaultyMachine) -> None:
    found = faulty.struck("pwrite64:error=EIO", places=[faulty.machine.home / "no such file"])
    assert (found.was_hit, found.said, found.target) == (False, "succeeded", NEW)
