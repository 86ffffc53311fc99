"""What a power cut can leave of SQLite's files: a recording of everything that SQLite wrote, and disks made of it.

A `Recording` is the default file system of SQLite in this process while it lasts. Everything goes to real files as
ever, and is written down: writes, truncations, syncs, new and deleted files. A `Disk` takes in such steps one after the
other and keeps what a sync has made safe apart from what is still on its way. At any moment it gives files as they
may be found after the power went: what is on its way reached the disk or did not, in any order, whole, torn at the
borders of sectors, or as garbage. A name, too, is safe only once its folder was synced, which SQLite does with the
first sync of a new journal or write-ahead log.

SQLite's shared memory can't be recorded, so that the connection must be the only one (`locking_mode=EXCLUSIVE`).
"""

import itertools
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import TypeAlias

import apsw

SECTOR_BYTES = 512
_JOURNALS = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_WAL
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Opened:
    """A file was opened, and made if there was none; `is_journal` tells of a journal or write-ahead log."""

    file: str
    is_journal: bool


@dataclass(frozen=True)
class Written:
    """Bytes at a place of a file."""

    file: str
    offset: int
    data: bytes


@dataclass(frozen=True)
class Truncated:
    """A file was cut or filled up to a size."""

    file: str
    size: int


@dataclass(frozen=True)
class Synced:
    """A file was forced to disk."""

    file: str


@dataclass(frozen=True)
class Deleted:
    """A name was removed; with `is_synced` its folder was forced to disk as well."""

    file: str
    is_synced: bool


@dataclass(frozen=True)
class Acknowledged:
    """What the program was told is on disk: for each run, how many events."""

    events: Mapping[str, int]


Step: TypeAlias = Opened | Written | Truncated | Synced | Deleted | Acknowledged


@contextmanager
def recording(*, checkpoint_pages: int) -> Iterator[list[Step]]:
    """While this lasts, SQLite's steps are added to the list; its log is folded back each `checkpoint_pages` pages."""
    steps: list[Step] = []

    def alone(db: apsw.Connection) -> None:
        db.pragma("locking_mode", "EXCLUSIVE")
        db.wal_autocheckpoint(checkpoint_pages)

    vfs = _RecordingVfs(f"recording-{next(_NUMBERS)}", steps)
    apsw.connection_hooks.append(alone)
    try:
        yield steps
    finally:
        apsw.connection_hooks.remove(alone)
        vfs.unregister()


class _RecordingVfs(apsw.VFS):
    def __init__(self, name: str, steps: list[Step]) -> None:
        self._steps = steps
        super().__init__(name, base="", makedefault=True)

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        if name is None:  # a temporary file is gone after a power cut, whatever it held
            return super().xOpen(name, flags)
        return _RecordingFile(name, flags, self._steps)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        self._steps.append(Deleted(os.path.basename(filename), syncdir))


class _RecordingFile(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename, flags: list[int], steps: list[Step]) -> None:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        self._file = os.path.basename(path)
        self._steps = steps
        super().__init__("unix", name, flags)
        steps.append(Opened(self._file, bool(flags[0] & _JOURNALS)))

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)
        self._steps.append(Written(self._file, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._steps.append(Truncated(self._file, newsize))

    def xSync(self, flags: int) -> None:
        super().xSync(flags)
        self._steps.append(Synced(self._file))


class Mode(Enum):
    """How much of what is on its way reached the disk."""

    NOTHING = "nothing"
    EVERYTHING = "everything"
    SOME = "some"
    SOME_OUT_OF_ORDER = "some, out of order"


@dataclass
class _File:
    safe: bytes = b""
    live: bytearray = field(default_factory=bytearray)
    on_the_way: list[Written | Truncated] = field(default_factory=list)
    syncs_its_folder: bool = False


class Disk:
    """Files in memory. `is_lying`: it says that it has synced, and has not."""

    def __init__(self, *, is_lying: bool = False) -> None:
        self._is_lying = is_lying
        self._safe_names: dict[str, _File] = {}
        self._names: dict[str, _File] = {}

    def take(self, step: Step) -> None:
        """Carry out one step."""
        match step:
            case Opened(name, is_journal):
                if name not in self._names:
                    self._names[name] = _File(syncs_its_folder=is_journal)
            case Written(name) | Truncated(name):
                _apply(step, self._names[name].live)
                self._names[name].on_the_way.append(step)
            case Synced(name) if not self._is_lying:
                file = self._names[name]
                file.safe = bytes(file.live)
                file.on_the_way.clear()
                if file.syncs_its_folder:
                    file.syncs_its_folder = False
                    self._safe_names = dict(self._names)
            case Deleted(name, is_synced):
                self._names.pop(name, None)
                if is_synced and not self._is_lying:
                    self._safe_names = dict(self._names)

    def after_power_cut(self, mode: Mode, random: Random) -> dict[str, bytes]:
        """The files that are found, by name."""
        found = {}
        for name in sorted({*self._safe_names, *self._names}):
            match mode:
                case Mode.NOTHING:
                    names = self._safe_names
                case Mode.EVERYTHING:
                    names = self._names
                case _:
                    names = random.choice((self._safe_names, self._names))
            file = names.get(name)
            if file is not None:
                found[name] = _found(file, mode, random)
        return found


def _found(file: _File, mode: Mode, random: Random) -> bytes:
    if mode is Mode.NOTHING:
        return file.safe
    if mode is Mode.EVERYTHING:
        return bytes(file.live)
    data, steps, share = bytearray(file.safe), list(file.on_the_way), random.choice((0.1, 0.5, 0.9))
    if mode is Mode.SOME_OUT_OF_ORDER:
        random.shuffle(steps)
    for step in steps:
        if random.random() < share:
            for piece in _pieces(step, random):
                _apply(piece, data)
    return bytes(data)


def _pieces(step: Written | Truncated, random: Random) -> Iterator[Written | Truncated]:
    """The step whole, or of a write some of its sectors, of which some hold garbage."""
    if isinstance(step, Truncated) or random.random() < 0.6:
        yield step
        return
    end = step.offset + len(step.data)
    borders = [step.offset, *range(step.offset - step.offset % SECTOR_BYTES + SECTOR_BYTES, end, SECTOR_BYTES), end]
    for start, stop in itertools.pairwise(borders):
        fate = random.random()
        if fate < 0.5:
            yield Written(step.file, start, step.data[start - step.offset : stop - step.offset])
        elif fate < 0.65:
            yield Written(step.file, start, random.randbytes(stop - start))


def _apply(step: Written | Truncated, data: bytearray) -> None:
    if isinstance(step, Truncated):
        del data[step.size :]
        data.extend(bytes(step.size - len(data)))
    else:
        data.extend(bytes(max(0, step.offset - len(data))))
        data[step.offset : step.offset + len(step.data)] = step.data
