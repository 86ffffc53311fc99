"""Exclusive locks on files by `flock`: the operating system ends them when their holder dies.

Straight on `fcntl`, which Linux and macOS have: a lock package took longer to import than the rest of the store.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bearagent_sqlite_store.folders import FILE_MODE, make_private_folder

POLL_SECONDS = 0.02


class LockTaken(Exception):
    """Someone else held the lock all the time."""


@contextmanager
def file_lock(path: Path, *, wait_seconds: float) -> Iterator[int]:
    """Hold `path` locked and give its descriptor; the file, once made, stays.

    Raises `LockTaken` when someone else keeps it for `wait_seconds`, and `OSError`.
    """
    make_private_folder(path.parent)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, FILE_MODE)
    try:
        deadline = time.monotonic() + wait_seconds
        while not _locked(handle, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                raise LockTaken
            time.sleep(POLL_SECONDS)
        yield handle
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """Whether someone holds the lock now; makes no file. Two who ask at once don't see each other."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    try:
        return not _locked(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def _locked(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
