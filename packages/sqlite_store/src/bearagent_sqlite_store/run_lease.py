"""The lease of a run: a file lock, which the operating system ends when its holder dies."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import RunId, is_canonical_id
from bearagent_ports import RunDrivenElsewhere
from bearagent_sqlite_store.databases import locks_folder
from bearagent_sqlite_store.errors import translated

WAIT_SECONDS = 1.0


class FileRunLease:
    """Leases of the runs of one database, in files beside it. The pid in a file counts only while it is locked."""

    def __init__(self, database: str | os.PathLike[str]) -> None:
        self._folder = locks_folder(Path(database))

    @contextmanager
    def hold(self, run_id: RunId) -> Iterator[None]:
        """Hold the lease within the context. Raises `RunDrivenElsewhere` after a second, with the holder's pid."""
        path = self._path(run_id)
        lock = FileLock(path, timeout=WAIT_SECONDS, mode=0o600)
        with translated():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                lock.acquire()
            except Timeout as error:
                raise _driven(path) from error
        try:
            with translated():
                path.write_text(f"{os.getpid()}\n", encoding="ascii")
            yield
        finally:
            lock.release()

    def is_held(self, run_id: RunId) -> bool:
        """Whether some process holds it now."""
        path = self._path(run_id)
        if not path.exists():
            return False
        with translated():
            try:
                with FileLock(path, blocking=False, mode=0o600):
                    return False
            except Timeout:
                return True

    def _path(self, run_id: RunId) -> Path:
        assert is_canonical_id(run_id), "an id that comes from outside was resolved before"
        return self._folder / f"{run_id}.lock"


def _driven(path: Path) -> RunDrivenElsewhere:
    try:
        pid = int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return RunDrivenElsewhere(failure(ErrorCode.RUN_DRIVEN_ELSEWHERE, "Another process drives this run."))
    message = f"The process {pid} drives this run. Wait for it, or end it."
    return RunDrivenElsewhere(failure(ErrorCode.RUN_DRIVEN_ELSEWHERE, message, pid=pid))
