"""Another process that exchanges two names, each time in one system call, as fast as it can."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

# Works until its input ends, then tells how often; an even number, so that everything stands where it stood.
SWAPPER = """
import ctypes, os, select, sys
one, other = (os.fsencode(word) for word in sys.argv[1:])
AT_FDCWD, RENAME_EXCHANGE = -100, 2
exchange, swaps = ctypes.CDLL(None).renameat2, 0
while not select.select([sys.stdin], [], [], 0)[0]:
    for _ in range(1_000):
        swaps += exchange(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0
print(swaps)
"""


@contextmanager
def swapped_by_another_process(place: Path, target: Path) -> Iterator[None]:
    """While this lasts, `place` is by turns itself and a link to `target`."""
    if sys.platform != "linux":
        pytest.skip("only Linux exchanges two names in one step")
    link = target.parent / "link"
    link.symlink_to(target)
    with subprocess.Popen(
        [sys.executable, "-c", SWAPPER, place, link], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        try:
            yield
        finally:
            told, _ = process.communicate(b"stop")
            link.unlink()
    assert int(told) > 0, "nothing was ever swapped"
