"""Heads of runs kept outside the log: a chain can't see that its end is lost, a head beside it can."""

import os
import re
from pathlib import Path

from bearagent_domain.ids import RunId, is_canonical_id
from bearagent_domain.records import Head
from bearagent_sqlite_store.folders import FILE_MODE, make_private_folder, sync_folder

HEAD_BYTES_MAX = 128

_HEAD = re.compile(rb"([1-9][0-9]{0,15}):([0-9a-f]{64})\n")


class KeptHeads:
    """One small file per run in `folder`, replaced in one step."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, run_id: RunId, head: Head) -> bool:
        """Replace the head kept before, down to the disk. False, and the old one stays, when that fails."""
        target = self._folder / run_id
        staged = self._folder / f"{run_id}.new"
        try:
            make_private_folder(self._folder)
            handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, FILE_MODE)
            with open(handle, "wb") as file:
                file.write(f"{head.text}\n".encode())
                file.flush()
                os.fsync(handle)
            os.replace(staged, target)
            sync_folder(self._folder)
        except OSError:
            return False
        return True

    def run_ids(self) -> tuple[RunId, ...]:
        """The runs of which a head was kept; none when the folder is not there. Raises `OSError`."""
        try:
            names = sorted(os.listdir(self._folder))
        except FileNotFoundError:
            return ()
        return tuple(RunId(name) for name in names if is_canonical_id(name))

    def kept(self, run_id: RunId) -> Head | None:
        """The head kept last; None when there is none, or none that can be read."""
        try:
            # without waiting, should a pipe stand there
            with open(os.open(self._folder / run_id, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
                match = _HEAD.fullmatch(file.read(HEAD_BYTES_MAX))
        except OSError:
            return None
        return Head(int(match[1]), bytes.fromhex(match[2].decode())) if match else None
