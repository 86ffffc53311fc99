"""The workspace folder, held open, and walks below it by directory handles: no link is ever followed.

Each part is looked at, opened relative to the handle above it, and compared with what was looked at. The handles keep
what they name, so that nothing swapped in between check and use is reached.
"""

import os
import stat
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_ports.tool import ToolFailed
from bearagent_workspace_tools.errors import failed, translated


class Identity(msgspec.Struct, frozen=True):
    """Which file or folder something is, whatever its name."""

    device: int
    inode: int


class OpenFile(msgspec.Struct, frozen=True):
    """A regular file opened for reading, and how it looked when it was opened."""

    handle: int
    status: os.stat_result


class Workspace:
    """One folder, opened once. A root given as a link is resolved here and never again."""

    def __init__(self, root: str | os.PathLike[str]) -> None:
        try:
            os.stat(root)  # an empty name would be resolved to the current folder
            self._place = os.path.realpath(root, strict=True)
            self._root = _open_directory(self._place, None)
        except (OSError, ValueError) as error:
            message = "The workspace is not a folder that can be opened. Choose another one with --workspace."
            raise BearAgentError(failure(ErrorCode.WORKSPACE_INVALID, message)) from error
        # Not at exit: an abandoned worker may still stand on this handle then.
        weakref.finalize(self, os.close, self._root).atexit = False

    @contextmanager
    def directory(self, parts: Sequence[str]) -> Iterator[int]:
        """A handle of the folder at `parts`. Raises `ToolFailed`, also when the root is no longer where it was."""
        with translating():
            self._require_same_root()
            handle = os.dup(self._root)
        try:
            for part in parts:
                below = enter(handle, part)
                os.close(handle)
                handle = below
            yield handle
        finally:
            os.close(handle)

    @contextmanager
    def file(self, parts: Sequence[str]) -> Iterator[OpenFile]:
        """The regular file at `parts`. Raises `ToolFailed`; a pipe or device is refused without waiting for it."""
        if not parts:
            raise failed(ErrorCode.PATH_IS_DIRECTORY)
        with self.directory(parts[:-1]) as folder, opened(folder, parts[-1]) as found:
            yield found

    def _require_same_root(self) -> None:
        try:
            here = identity_of(os.stat(self._place, follow_symlinks=False))
        except OSError as error:
            raise failed(ErrorCode.WORKSPACE_CHANGED) from error
        if here != identity_of(os.fstat(self._root)):
            raise failed(ErrorCode.WORKSPACE_CHANGED)


@contextmanager
def translating() -> Iterator[None]:
    """Turn an `OSError` of the block, or a name that the system can't be asked for, into a `ToolFailed`."""
    try:
        yield
    except (OSError, UnicodeEncodeError) as error:
        raise translated(error) from error


@contextmanager
def opened(folder: int, name: str) -> Iterator[OpenFile]:
    """The regular file `name` in the folder with the handle `folder`, for reading."""
    before = status_of(folder, name)
    require_regular(before)
    with translating():
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
        handle = os.open(name, flags, dir_fd=folder)
    try:
        with translating():
            status = os.fstat(handle)
        if identity_of(status) != identity_of(before) or not stat.S_ISREG(status.st_mode):
            raise failed(ErrorCode.FILE_CHANGED)
        yield OpenFile(handle, status)
    finally:
        os.close(handle)


def enter(folder: int, name: str) -> int:
    """A new handle of the folder `name` in the folder `folder`; whoever asks closes it."""
    before = status_of(folder, name)
    if stat.S_ISLNK(before.st_mode):
        raise failed(ErrorCode.PATH_LINK)
    if not stat.S_ISDIR(before.st_mode):
        raise failed(ErrorCode.PATH_NOT_DIRECTORY)
    try:
        handle = _open_directory(name, folder)
    except NotADirectoryError as error:  # a link swapped in: O_DIRECTORY with O_NOFOLLOW reports it so
        raise failed(ErrorCode.PATH_LINK) from error
    except OSError as error:
        raise translated(error) from error
    try:
        with translating():
            status = os.fstat(handle)
        if identity_of(status) != identity_of(before):
            raise failed(ErrorCode.FILE_CHANGED)
    except ToolFailed:
        os.close(handle)
        raise
    return handle


def entries_in(folder: int, check: Callable[[], None]) -> Iterator[os.DirEntry[str]]:
    """The entries of a folder in no order, no status read; `check` may raise now and then."""
    with translating(), os.scandir(folder) as entries:
        for count, entry in enumerate(entries):
            if count % 256 == 0:
                check()
            yield entry


def status_of(folder: int, name: str) -> os.stat_result:
    """How the entry `name` looks, itself and not what it points to. Raises `ToolFailed`."""
    with translating():
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def require_regular(status: os.stat_result) -> None:
    """Raise `ToolFailed` with the code that says what is there instead of a regular file."""
    mode = status.st_mode
    if stat.S_ISLNK(mode):
        raise failed(ErrorCode.PATH_LINK)
    if stat.S_ISDIR(mode):
        raise failed(ErrorCode.PATH_IS_DIRECTORY)
    if not stat.S_ISREG(mode):
        raise failed(ErrorCode.PATH_NOT_REGULAR)


def identity_of(status: os.stat_result) -> Identity:
    """Device and inode of a status."""
    return Identity(status.st_dev, status.st_ino)


def _open_directory(name: str, folder: int | None) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
