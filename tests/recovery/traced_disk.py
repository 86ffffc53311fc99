"""Records what a whole process does below a folder, system call by system call, as strace tells it."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from tests.recovery.lossy_disk import (
    Deleted,
    Made,
    NamesSynced,
    Operation,
    Renamed,
    Resized,
    Synced,
    Told,
    Written,
)

SECONDS_MAX = 120
STDOUT = 1
CALLS = "openat,close,mkdir,rename,unlink,write,pwrite64,ftruncate,fsync,fdatasync"
# What would change a file in a way that is not read here.
UNREAD = "creat,open,renameat,renameat2,unlinkat,mkdirat,rmdir,link,linkat,symlink,truncate,fallocate,writev,pwritev"
SHARED_MEMORY = "-shm"  # made anew by whoever comes first, so what is left of it is of no matter

_CALL = re.compile(r"(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)(?: .*)?")


def traced(folder: Path, *command: str | Path) -> list[Operation | Told]:
    """Carry out `command`; all that it did below `folder`, and the lines that it wrote to stdout."""
    trace = folder.with_name(f"{folder.name}.trace")
    words = ["strace", "-f", "-qq", "-xx", "-s", "10000000", "-o", str(trace), "-e", f"trace={CALLS},{UNREAD}"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([*words, sys.executable, *command], env=environment, check=True, timeout=SECONDS_MAX)
    reader = _Reader(folder)
    return [step for line in trace.read_text("ascii").splitlines() for step in reader.steps(line)]


class _Reader:
    """Knows which file each descriptor means, and how far it was written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[int, Path] = {}
        self._ends: dict[int, int] = {}
        self._there: set[Path] = set()
        self._readers: Mapping[str, Callable[[Sequence[str], int], Iterator[Operation | Told]]] = {
            "openat": self._opened,
            "close": self._closed,
            "mkdir": self._folder_made,
            "rename": self._renamed,
            "unlink": self._deleted,
            "write": self._written,
            "pwrite64": self._written_at,
            "ftruncate": self._resized,
            "fsync": self._synced,
            "fdatasync": self._synced,
        }

    def steps(self, line: str) -> Iterator[Operation | Told]:
        """What one line of the trace did to the disk."""
        assert "<unfinished" not in line, "two threads at once: their order on the disk is not known"
        match = _CALL.fullmatch(line)
        if match is None or int(match[3]) < 0:
            return
        words = [word.strip() for word in match[2].split(",")]
        reader = self._readers.get(match[1])
        if reader is not None:
            yield from reader(words, int(match[3]))
        else:
            assert not any(self._is_watched(_path(word)) for word in words if word.startswith('"')), line

    def _opened(self, words: Sequence[str], result: int) -> Iterator[Operation]:
        path = _path(words[1])
        if not self._is_watched(path) and path != self._folder:
            return
        self._open[result], self._ends[result] = path, 0
        if "O_CREAT" in words[2] and path not in self._there:
            self._there.add(path)
            yield Made(path)
        elif "O_TRUNC" in words[2]:
            yield Resized(path, 0)

    def _closed(self, words: Sequence[str], result: int) -> Iterator[Operation]:
        self._open.pop(int(words[0]), None)
        yield from ()

    def _folder_made(self, words: Sequence[str], result: int) -> Iterator[Operation]:
        if self._is_watched(path := _path(words[0])):
            yield Made(path, is_folder=True)

    def _renamed(self, words: Sequence[str], result: int) -> Iterator[Operation]:
        path, target = _path(words[0]), _path(words[1])
        if self._is_watched(path):
            self._there = self._there - {path} | {target}
            yield Renamed(path, target)

    def _deleted(self, words: Sequence[str], result: int) -> Iterator[Operation]:
        if self._is_watched(path := _path(words[0])):
            self._there.discard(path)
            yield Deleted(path)

    def _written(self, words: Sequence[str], result: int) -> Iterator[Operation | Told]:
        handle = int(words[0])
        if handle == STDOUT:
            yield Told(_bytes(words[1]).decode().strip())
        elif handle in self._open:
            yield Written(self._open[handle], self._ends[handle], _bytes(words[1])[:result])
            self._ends[handle] += result

    def _written_at(self, words: Sequence[str], result: int) -> Iterator[Operation]:
        if (path := self._open.get(int(words[0]))) is not None:
            yield Written(path, int(words[3]), _bytes(words[1])[:result])

    def _resized(self, words: Sequence[str], result: int) -> Iterator[Operation]:
        if (path := self._open.get(int(words[0]))) is not None:
            yield Resized(path, int(words[1]))

    def _synced(self, words: Sequence[str], result: int) -> Iterator[Operation]:
        path = self._open.get(int(words[0]))
        if path is not None:
            yield NamesSynced(path) if path == self._folder or path.is_dir() else Synced(path)

    def _is_watched(self, path: Path) -> bool:
        return self._folder in path.parents and not path.name.endswith(SHARED_MEMORY)


def _bytes(word: str) -> bytes:
    """A text as strace writes it with `-xx`: each byte in two hexadecimal digits."""
    return bytes.fromhex(word.strip('"').replace("\\x", ""))


def _path(word: str) -> Path:
    return Path(os.fsdecode(_bytes(word)))
