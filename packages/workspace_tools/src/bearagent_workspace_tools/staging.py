"""One file replaced as a whole: staged beside its target, forced to disk, checked, and renamed over it in one step.

Until that step nothing but the temporary file (and empty folders on the way) exists, and both are removed on failure;
after it the new bytes are there, whatever else fails. Which failing call means what stands in the package README.
"""

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import sha256_hex
from bearagent_ports.tool import CallContext, OutcomeUnknown, ToolFailed
from bearagent_workspace_tools.directories import (
    Workspace,
    identity_of,
    require_regular,
    status_of,
    translating,
)
from bearagent_workspace_tools.errors import failed, in_doubt, translated
from bearagent_workspace_tools.paths import temporary_name
from bearagent_workspace_tools.targets import Target, check_names, signature_of, status_or_none, target_in
from bearagent_workspace_tools.workers import check_time

WRITE_BLOCK_BYTES = 65_536
TRIALS_MAX = 4
# The rename is refused by these before anything happens; any other error leaves it open whether it happened.
_RENAME_REFUSED = frozenset(
    {errno.EXDEV, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT, errno.EISDIR, errno.ENOTDIR, errno.EROFS}
)


def replace_file(workspace: Workspace, parts: Sequence[str], data: bytes, prior: str | None, call: CallContext) -> None:
    """Put `data` at `parts`, where the file with SHA-256 `prior` (None: nothing) must stand until then.

    Raises `ToolFailed` when the target is provably as before, `OutcomeUnknown` when it may be either.
    """
    check_names(workspace, parts, partial(check_time, call))
    with _made_directories(workspace, parts[:-1]) as folder:
        _remove_earlier_attempts(folder, call)
        target = target_in(folder, parts[-1], partial(check_time, call))
        if target.sha256 != prior:
            raise failed(ErrorCode.TARGET_CHANGED)
        with _staged(folder, data, target, call) as (name, staged):
            _take_last_step(workspace, parts, folder, name, staged, target, call)
        try:
            os.fsync(folder)
        except OSError as error:  # the new file is there; whether it survives a power cut is open
            raise in_doubt(worker_ended=True) from error


@contextmanager
def _made_directories(workspace: Workspace, parts: Sequence[str]) -> Iterator[int]:
    """A handle of the folder at `parts`, made where missing; what was made goes again if the block fails."""
    made: list[int] = []
    try:
        for depth in range(len(parts)):
            with workspace.directory(parts[:depth]) as above, translating():
                with suppress(FileExistsError):
                    os.mkdir(parts[depth], dir_fd=above)
                    made.append(depth)
                    os.fsync(above)
        with workspace.directory(parts) as folder:
            yield folder
    except ToolFailed:
        for depth in reversed(made):
            with suppress(ToolFailed, OSError), workspace.directory(parts[:depth]) as above:
                os.rmdir(parts[depth], dir_fd=above)
        raise


def _remove_earlier_attempts(folder: int, call: CallContext) -> None:
    for attempt in range(1, call.attempt):
        for trial in range(TRIALS_MAX):
            with suppress(OSError):  # a leftover is no artifact, so it need not go
                os.unlink(temporary_name(call.activity_id, attempt, trial), dir_fd=folder)


@contextmanager
def _staged(folder: int, data: bytes, target: Target, call: CallContext) -> Iterator[tuple[str, os.stat_result]]:
    """The name and status of a temporary file that holds `data` on disk; it goes again if the block fails."""
    name, handle = _create(folder, call)
    with translating():
        created = os.fstat(handle)
    try:
        staged = _filled(handle, data, target, call)
        yield name, staged
    except (ToolFailed, OutcomeUnknown):
        with suppress(ToolFailed, OSError):
            if identity_of(status_of(folder, name)) == identity_of(created):
                os.unlink(name, dir_fd=folder)
        raise


def _create(folder: int, call: CallContext) -> tuple[str, int]:
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    for trial in range(TRIALS_MAX):
        name = temporary_name(call.activity_id, call.attempt, trial)
        with translating(), suppress(FileExistsError):
            return name, os.open(name, flags, 0o666, dir_fd=folder)
    raise failed(ErrorCode.WRITE_CHANGED)


def _filled(handle: int, data: bytes, target: Target, call: CallContext) -> os.stat_result:
    """The status of the written file, closed again: some file systems report a failed write only then."""
    try:
        with translating():
            _fill(handle, data, target, call)
            status = os.fstat(handle)
    except ToolFailed:
        with suppress(OSError):  # the first failure is the one to tell
            os.close(handle)
        raise
    with translating():
        os.close(handle)
    return status


def _fill(handle: int, data: bytes, target: Target, call: CallContext) -> None:
    """Write, force to disk, and read back: a write that lies about its length must not pass."""
    rest = memoryview(data)
    while rest:
        check_time(call)
        written = os.write(handle, rest[:WRITE_BLOCK_BYTES])
        if written == 0:  # it would never end
            raise failed(ErrorCode.IO_ERROR)
        rest = rest[written:]
    if target.status is not None:
        os.fchmod(handle, target.status.st_mode & 0o777)  # a private file stays private
    os.fsync(handle)
    held = os.pread(handle, len(data) + 1, 0)
    if os.fstat(handle).st_size != len(data) or sha256_hex(held) != sha256_hex(data):
        raise failed(ErrorCode.IO_ERROR)


def _take_last_step(
    workspace: Workspace,
    parts: Sequence[str],
    folder: int,
    name: str,
    staged: os.stat_result,
    target: Target,
    call: CallContext,
) -> None:
    """Check everything once more and rename, while nobody can stop the call."""
    with call.stop.last_step():
        check_time(call)
        _require_same_folder(workspace, parts[:-1], folder)
        if signature_of(status_or_none(folder, name)) != signature_of(staged):
            raise failed(ErrorCode.WRITE_CHANGED)
        now = status_or_none(folder, parts[-1])
        if now is not None:
            require_regular(now)
        if not target.looks_like(now):
            raise failed(ErrorCode.TARGET_CHANGED)
        try:
            os.replace(name, parts[-1], src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            raise (translated(error) if error.errno in _RENAME_REFUSED else in_doubt(worker_ended=True)) from error


def _require_same_folder(workspace: Workspace, parts: Sequence[str], folder: int) -> None:
    try:
        with workspace.directory(parts) as again:
            is_same = identity_of(os.fstat(again)) == identity_of(os.fstat(folder))
    except ToolFailed as error:
        if error.info.code is ErrorCode.WORKSPACE_CHANGED:
            raise
        raise failed(ErrorCode.WRITE_CHANGED) from error
    if not is_same:
        raise failed(ErrorCode.WRITE_CHANGED)
