"""The system itself refuses: limits, flags of files, missing rights, a real file system that is full."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.installed_command import SECONDS_MAX, machine_in
from tests.faults.faulty_machine import OLD, FaultyMachine, Found, claims_only_what_is_there, faulty_machine
from tests.faults.test_write_faults import require_right
from tests.recovery import full_disk

ROOT = Path(__file__).parents[2]


@pytest.fixture
def faulty(tmp_path: Path) -> FaultyMachine:
    return faulty_machine(tmp_path)


def require_refused(faulty: FaultyMachine, found: Found, code: str) -> None:
    """The old file stands, nothing else lies there, and the record says why."""
    require_right(found, faulty.path, "failed", code)
    assert claims_only_what_is_there(found)


@pytest.mark.needs("Linux")
def test_a_record_may_grow_no_further_than_the_limit_on_files(faulty: FaultyMachine) -> None:
    found = faulty.within(("prlimit", "--fsize=90000"))
    assert (found.said, found.target) == ("store_full", OLD)
    faulty.require_goes_on()


@pytest.fixture(params=["outputs/a.md", "outputs"])
def unchangeable(faulty: FaultyMachine, request: pytest.FixtureRequest) -> Iterator[str]:
    """The target, or its folder, can't be changed by anybody."""
    place = faulty.machine.workspace / request.param
    done = subprocess.run(["chattr", "+i", place], capture_output=True)
    if done.returncode != 0:
        pytest.skip("this file system knows no such flag")
    yield request.param
    subprocess.run(["chattr", "-i", place], check=True)


@pytest.mark.needs("chattr")
def test_what_nobody_may_change_is_left_as_it_is(faulty: FaultyMachine, unchangeable: str) -> None:
    require_refused(faulty, faulty.within(()), "path_permission")


@pytest.mark.needs("another user")
def test_a_folder_that_one_may_not_write_to_is_left_as_it_is(faulty: FaultyMachine) -> None:
    folder = faulty.machine.workspace / "outputs"
    folder.chmod(0o555)
    lost = "-dac_override,-dac_read_search"
    found = faulty.within(("setpriv", "--bounding-set", lost, "--inh-caps", lost))
    folder.chmod(0o755)
    require_refused(faulty, found, "path_permission")
    faulty.require_goes_on()


@pytest.mark.needs("root", "loop mounts")
@pytest.mark.parametrize("place", ["record", "outputs"])
def test_a_real_disk_that_is_full_loses_nothing(tmp_path: Path, place: str) -> None:
    """An ext4 of 1 MiB in a file, mounted in a mount namespace of its own."""
    machine = machine_in(tmp_path)
    disk = tmp_path / "record" if place == "record" else machine.workspace / "outputs"
    disk.mkdir()
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(2 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-O", "^has_journal", image], check=True)
    mounted = 'mount -o loop "$1" "$2" && shift 2 && exec "$@"'
    child = (sys.executable, full_disk.__file__, tmp_path, disk, "0")
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", mounted, "-", image, disk, *child],
        cwd=ROOT,
        env=machine.environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    error = seen["shown"]["error"]["code"]
    assert (seen["code"], error) == ((4, "store_full") if place == "record" else (1, "disk_full"))
    assert set(seen["verified"]) == {0} and seen["next_code"] == 0
