"""Records what SQLite does to its files: a VFS that passes everything on to the ordinary one.

It stands in for the default VFS, so that a store opens as it always does. A VFS in Python has no shared memory, and
write-ahead logging needs none while the connection locks the file for itself alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from tests.recovery.lossy_disk import Deleted, Made, NamesSynced, Operation, Resized, Synced, Told, Written

_NEW_NAMES = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


@contextmanager
def recorded(recording: list[Operation | Told]) -> Iterator[None]:
    """Within it, what SQLite does in this process goes to the end of `recording` as well."""
    vfs = _Vfs(recording)
    apsw.connection_hooks.append(_lock_for_itself_alone)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(_lock_for_itself_alone)
        vfs.unregister()


def _lock_for_itself_alone(db: apsw.Connection) -> None:
    db.pragma("locking_mode", "EXCLUSIVE")


class _Vfs(apsw.VFS):
    def __init__(self, recording: list[Operation | Told]) -> None:
        self._base = apsw.vfs_names()[0]
        self._recording = recording
        self._known: set[Path] = set()
        super().__init__("recording", base=self._base, makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        if name is None:  # a temporary file, which nobody misses
            return apsw.VFSFile(self._base, name, flags)
        path = Path(name if isinstance(name, str) else name.filename())
        file = _File(self._base, name, flags, path, self._recording)
        if path not in self._known:
            self._known.add(path)
            self._recording.append(Made(path))
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        path = Path(filename)
        self._known.discard(path)
        self._recording.append(Deleted(path))
        if syncdir:
            self._recording.append(NamesSynced(path.parent))


class _File(apsw.VFSFile):
    """Like the ordinary VFS, it syncs the folder at the first sync of a log or journal, and only then."""

    def __init__(
        self,
        base: str,
        name: str | apsw.URIFilename,
        flags: list[int],
        path: Path,
        recording: list[Operation | Told],
    ) -> None:
        self._path = path
        self._recording = recording
        self._syncs_names = bool(flags[0] & _NEW_NAMES)
        super().__init__(base, name, flags)

    def xWrite(self, data: bytes | bytearray | memoryview, offset: int) -> None:
        super().xWrite(data, offset)
        self._recording.append(Written(self._path, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._recording.append(Resized(self._path, newsize))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._recording.append(Synced(self._path))
        if self._syncs_names:
            self._syncs_names = False
            self._recording.append(NamesSynced(self._path.parent))
