"""Heads of runs kept outside the database: a damaged write-ahead log loses events without any error."""

import os
import tempfile
from pathlib import Path

from bearagent_domain.ids import RunId, is_canonical_id
from bearagent_domain.records import Head


class HeadFiles:
    """One small file per run in `<database>.heads`, replaced whole."""

    def __init__(self, database: Path) -> None:
        self._folder = database.with_name(database.name + ".heads")

    def keep(self, run_id: RunId, head: Head) -> bool:
        """Put the head on disk; False when that can't be done, which loses nothing that is stored."""
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            descriptor, name = tempfile.mkstemp(dir=self._folder, prefix=".head-")
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(head.text + "\n")
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self._folder / run_id)
        except OSError:
            return False
        return True

    def kept(self, run_id: RunId) -> Head | None:
        """The head that was kept last; None when there is none, or none that can be read."""
        if not is_canonical_id(run_id):
            return None
        try:
            sequence, _, hash_ = (self._folder / run_id).read_text(encoding="ascii").strip().partition(":")
            return Head(int(sequence), bytes.fromhex(hash_))
        except (OSError, ValueError):
            return None
