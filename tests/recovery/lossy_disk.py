"""A disk that may lose, tear, damage and reorder what was not synced: what is left of a recorded series of operations.

The promises are those of POSIX and no more: the bytes of a file are safe after its sync, a name after a sync of its
folder. Until then each write, change of size and change of a name reaches the disk or does not, whatever came later.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TypeAlias

SECTOR_BYTES = 512
TORN_SHARE = 0.4  # of the writes that reach the disk unsynced
SECTOR_WRITTEN, SECTOR_GARBAGE = 0.5, 0.2  # of the sectors of a torn write; the rest keeps what was there


@dataclass(frozen=True)
class Made:
    """An empty file, or a folder, with a new name."""

    path: Path
    is_folder: bool = False


@dataclass(frozen=True)
class Written:
    """Bytes at a place of a file."""

    path: Path
    offset: int
    data: bytes


@dataclass(frozen=True)
class Resized:
    """A file cut, or made longer by zeros."""

    path: Path
    size: int


@dataclass(frozen=True)
class Synced:
    """The bytes of a file are safe."""

    path: Path


@dataclass(frozen=True)
class NamesSynced:
    """The names in a folder are safe."""

    folder: Path


@dataclass(frozen=True)
class Renamed:
    """A file under another name, in one step."""

    path: Path
    target: Path


@dataclass(frozen=True)
class Deleted:
    """A name is gone."""

    path: Path


@dataclass(frozen=True)
class Told:
    """No operation of the disk: here the program said that something is safe."""

    what: str


Operation: TypeAlias = Made | Written | Resized | Synced | NamesSynced | Renamed | Deleted
Recording: TypeAlias = Sequence[Operation | Told]
Image: TypeAlias = dict[Path, bytes | None]
"""What a power cut leaves: the bytes of each file, null for a folder."""


class Left(Enum):
    """How much of what was not synced a power cut leaves."""

    NOTHING = "nothing"
    EVERYTHING = "everything"
    SOME = "some"
    SOME_IN_ANY_ORDER = "some in any order"


@dataclass
class _File:
    safe: bytearray = field(default_factory=bytearray)
    unsafe: list[Written | Resized] = field(default_factory=list)
    is_folder: bool = False


_Names: TypeAlias = dict[Path, _File | None]  # null for a name that is gone


class LossyDisk:
    """Takes operations below the folder `root`, and gives images of what a power cut at this moment could leave.

    With `lies` it syncs nothing.
    """

    def __init__(self, root: Path, *, lies: bool = False) -> None:
        self._root = root
        self._lies = lies
        self._files: dict[Path, _File] = {}  # as the program sees them
        self._safe_names: dict[Path, _File] = {}
        self._unsafe_names: list[_Names] = []

    def do(self, operation: Operation) -> None:
        """Carry out one operation."""
        match operation:
            case Made(path=path, is_folder=is_folder):
                self._rename({path: _File(is_folder=is_folder)})
            case Renamed(path=path, target=target):
                self._rename({path: None, target: self._files[path]})
            case Deleted(path=path):
                self._rename({path: None})
            case Written(path=path) | Resized(path=path):
                self._files[path].unsafe.append(operation)
            case Synced(path=path):
                self._sync(self._files[path])
            case NamesSynced(folder=folder):
                self._sync_names(folder)

    def image(self, left: Left, chance: random.Random) -> Image:
        """One of the states that a power cut could leave."""
        share = {Left.NOTHING: 0.0, Left.EVERYTHING: 1.0}.get(left, chance.choice((0.1, 0.5, 0.9)))
        renamed = [names for names in self._unsafe_names if chance.random() < share]
        if left is Left.SOME_IN_ANY_ORDER:
            chance.shuffle(renamed)
        names = dict(self._safe_names)
        for change in renamed:
            _apply(change, names)
        image: Image = {}
        for path in sorted(names):
            if path.parent == self._root or path.parent in image:  # else nobody finds it
                image[path] = _content(names[path], left, share, chance)
        return image

    def _rename(self, change: _Names) -> None:
        _apply(change, self._files)
        self._unsafe_names.append(change)

    def _sync(self, file: _File) -> None:
        if not self._lies:
            for change in file.unsafe:
                _change(file.safe, change)
            file.unsafe.clear()

    def _sync_names(self, folder: Path) -> None:
        if self._lies:
            return
        for change in self._unsafe_names:
            if _folder_of(change) == folder:
                _apply(change, self._safe_names)
        self._unsafe_names = [change for change in self._unsafe_names if _folder_of(change) != folder]


def moments(recording: Recording, root: Path, *, lies: bool = False) -> Iterator[tuple[LossyDisk, list[str]]]:
    """Before the first operation, between any two and after the last: the disk, and what was told by then."""
    disk, told = LossyDisk(root, lies=lies), list[str]()
    for step in recording:
        if isinstance(step, Told):
            told.append(step.what)
        else:
            yield disk, told
            disk.do(step)
    yield disk, told


def _folder_of(change: _Names) -> Path:
    return next(iter(change)).parent


def _apply(change: _Names, names: dict[Path, _File]) -> None:
    for path, file in change.items():
        if file is None:
            names.pop(path, None)
        else:
            names[path] = file


def _content(file: _File, left: Left, share: float, chance: random.Random) -> bytes | None:
    if file.is_folder:
        return None
    reached = [change for change in file.unsafe if chance.random() < share]
    if left is Left.SOME_IN_ANY_ORDER:
        chance.shuffle(reached)
    content = bytearray(file.safe)
    for change in reached:
        if isinstance(change, Written) and left is not Left.EVERYTHING and chance.random() < TORN_SHARE:
            for piece in _torn(change, chance):
                _change(content, piece)
        else:
            _change(content, change)
    return bytes(content)


def _torn(write: Written, chance: random.Random) -> Iterator[Written]:
    """What reaches the disk of a write that breaks: sectors of it, and garbage in the place of others."""
    end = write.offset + len(write.data)
    borders = range(write.offset // SECTOR_BYTES * SECTOR_BYTES, end, SECTOR_BYTES)
    for border in borders:
        start, stop = max(border, write.offset), min(border + SECTOR_BYTES, end)
        fate = chance.random()
        if fate < SECTOR_WRITTEN:
            yield Written(write.path, start, write.data[start - write.offset : stop - write.offset])
        elif fate < SECTOR_WRITTEN + SECTOR_GARBAGE:
            yield Written(write.path, start, chance.randbytes(stop - start))


def _change(content: bytearray, change: Written | Resized) -> None:
    match change:
        case Resized(size=size):
            del content[size:]
            content.extend(bytes(size - len(content)))
        case Written(offset=offset, data=data):
            content.extend(bytes(max(0, offset - len(content))))
            content[offset : offset + len(data)] = data
