"""FileRunLease: one driver per run, by a locked file beside the database."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.times import time_text
from bearagent_ports import RunDrivenElsewhere
from bearagent_sqlite_store.errors import translated_errors
from bearagent_sqlite_store.file_locks import LockTaken, file_lock, is_locked
from bearagent_sqlite_store.folders import beside

WAIT_SECONDS = 1.0
HOLDER_BYTES_MAX = 64


class FileRunLease:
    """The leases of the runs in `database`: `<database>.locks/<run id>.lock`, one each."""

    def __init__(self, database: str | os.PathLike[str]) -> None:
        self._folder = beside(Path(database), ".locks")

    @contextmanager
    def hold(self, run_id: RunId) -> Iterator[None]:
        """Hold the lease within the context; the file names this process meanwhile.

        Waits up to 1 s, then raises `RunDrivenElsewhere`. Raises `StoreError` when the lock file can't be made.
        """
        path = self._path_of(run_id)
        with ExitStack() as held:
            try:
                with translated_errors():
                    handle = held.enter_context(file_lock(path, wait_seconds=WAIT_SECONDS))
                    _sign(handle)
            except LockTaken:
                raise _driven_elsewhere(path) from None
            yield

    def is_held(self, run_id: RunId) -> bool:
        """Whether some process holds the lease now. Creates nothing."""
        with translated_errors():
            return is_locked(self._path_of(run_id))

    def _path_of(self, run_id: RunId) -> Path:
        return self._folder / f"{run_id}.lock"


def _sign(handle: int) -> None:
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()} {time_text(datetime.now(UTC))}\n".encode(), 0)


def _driven_elsewhere(path: Path) -> RunDrivenElsewhere:
    """What the holder wrote counts only because the lock is held right now."""
    pid = _pid_in(path)
    who = "Another process" if pid is None else f"Process {pid}"
    message = f"{who} drives this run. Wait for it, or stop it first."
    return RunDrivenElsewhere(failure(ErrorCode.RUN_DRIVEN_ELSEWHERE, message, pid=pid))


def _pid_in(path: Path) -> int | None:
    try:
        with path.open("rb") as file:
            pid = file.read(HOLDER_BYTES_MAX).partition(b" ")[0]
    except OSError:
        return None
    return int(pid) if pid.isdigit() else None
