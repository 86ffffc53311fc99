"""A pytest plugin: what some suites need of the machine, and their two forms, the short one of CI and `--full`.

`@pytest.mark.needs("strace", "root")` skips a test, with the reason printed, where one of the means is missing; with
`CI_FULL=1` it fails instead. `@pytest.mark.rounds(short=…, full=…)` gives a test its `rounds`.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from subprocess import DEVNULL

import pytest

PROBE_SECONDS_MAX = 30


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="the full form of suites that CI runs in a short form")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*means): skipped where one is missing; fails there with CI_FULL=1")
    config.addinivalue_line("markers", "rounds(short, full): how often; the full form with --full")


def pytest_runtest_setup(item: pytest.Item) -> None:
    missing = [name for mark in item.iter_markers("needs") for name in mark.args if not is_here(name)]
    if missing:
        message = f"this machine lacks: {', '.join(missing)}"
        if os.environ.get("CI_FULL") == "1":
            pytest.fail(f"{message}; CI_FULL=1 allows no skip", pytrace=False)
        pytest.skip(message)


@pytest.fixture(scope="session")
def is_full(request: pytest.FixtureRequest) -> bool:
    """Whether the full form of each suite is wanted."""
    return bool(request.config.getoption("--full"))


@pytest.fixture
def rounds(request: pytest.FixtureRequest, is_full: bool) -> int:
    """How often to do it: from the test's mark `rounds`."""
    mark = request.node.get_closest_marker("rounds")
    assert mark is not None, "a test that asks for rounds has a mark that says how many"
    return int(mark.kwargs["full" if is_full else "short"])


@cache
def is_here(means: str) -> bool:
    """Whether this machine has `means`; a name that is not one of `PROBES` is a fault of the test."""
    return PROBES[means]()


def _works(*command: str) -> bool:
    if shutil.which(command[0]) is None:
        return False
    try:
        done = subprocess.run(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, timeout=PROBE_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


PROBES: Mapping[str, Callable[[], bool]] = {
    "Linux": lambda: sys.platform == "linux",
    "root": lambda: sys.platform == "linux" and os.geteuid() == 0,
    "strace": lambda: _works("strace", "-qq", "-o", "/dev/null", "true"),
    "compiler": lambda: _works("cc", "--version"),
    # A mount namespace of one's own, in a user namespace of one's own: for everybody where the kernel allows it.
    "namespaces": lambda: _works("unshare", "-Urm", "sh", "-c", "mount -t tmpfs none /mnt"),
    "loop mounts": lambda: _works("unshare", "-m", "losetup", "-f") and shutil.which("mkfs.ext4") is not None,
    "another user": lambda: _works("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "true"),
    "chattr": lambda: shutil.which("chattr") is not None and os.geteuid() == 0,
}
