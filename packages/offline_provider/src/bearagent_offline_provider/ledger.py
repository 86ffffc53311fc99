"""The notes while the answers of one turn are taken in: what waits, what is known, what is skipped and why."""

from collections import Counter

import msgspec

from bearagent_domain.errors import ErrorCode
from bearagent_offline_provider.notes import Notes, PendingFile, PendingFolder, Skip
from bearagent_offline_provider.objectives import Objective

FILES_MAX = 200
FOLDERS_MAX = 200
SKIPS_NAMED_MAX = 60  # further ones are counted
PATH_OVERHEAD_BYTES = 8
NARROW_NOTES_BYTES_MIN = 4_096


class Ledger:
    """Opened from the notes of the turn before, closed into those of the next one.

    `files`, `folders` and `documents` are by path, in the order in which they are dealt with; `wanted` are the names of
    files to look for; `turns` and `calls` were asked for before.
    """

    def __init__(self, notes: Notes, objective: Objective) -> None:
        plan = notes.plan
        self.objective = objective
        self.documents = {document.path: document for document in notes.documents}
        self.files = {pending.path: pending for pending in plan.files}
        self.folders = {pending.path: pending for pending in plan.folders}
        self.wanted = list(plan.wanted)
        self.turns, self.calls = plan.turns, plan.calls
        self._plan = plan
        self._skipped = {skip.path: skip for skip in plan.skipped}
        self._counted = Counter(dict(plan.counted))
        self._room = plan.room
        self._files_found = plan.files_found
        self._folders_found = plan.folders_found

    @property
    def is_full(self) -> bool:
        """Whether files were found that have no place any more: more of them need not be looked for."""
        return self._counted["too_many_files"] > 0

    def closed(self) -> Notes:
        """The notes with all that was taken in."""
        plan = msgspec.structs.replace(
            self._plan,
            files=tuple(self.files.values()),
            folders=tuple(self.folders.values()),
            wanted=tuple(self.wanted),
            skipped=tuple(self._skipped.values()),
            counted=tuple(sorted(self._counted.items())),
            room=self._room,
            files_found=self._files_found,
            folders_found=self._folders_found,
        )
        return Notes(plan, tuple(self.documents[path] for path in sorted(self.documents)))

    def narrow(self, notes_bytes_max: int) -> None:
        """Texts were cut, so the context is small: go on with one file a turn and shorter notes."""
        bytes_max = min(self._plan.bytes_max, max(NARROW_NOTES_BYTES_MIN, notes_bytes_max))
        self._plan = msgspec.structs.replace(self._plan, is_narrow=True, bytes_max=bytes_max)

    def add_file(self, path: str, size: int = 0) -> None:
        """Put a file on the list, unless it is known, left out by the objective, or there are too many."""
        if path in self.files or path in self.documents or path in self._skipped:
            return
        if self._is_left_out(path):
            self.skip(path, "left_out")
        elif self._files_found >= FILES_MAX or not self._take_room(path):
            self.count("too_many_files", 1)
        else:
            self._files_found += 1
            self.files[path] = PendingFile(path, size)

    def add_folder(self, path: str) -> None:
        """Put a folder on the list, as `add_file`."""
        if path in self.folders:
            return
        if self._is_left_out(path):
            self.skip(path, "left_out")
        elif self._folders_found >= FOLDERS_MAX or not self._take_room(path):
            self.count("too_many_folders", 1)
        else:
            self._folders_found += 1
            self.folders[path] = PendingFolder(path)

    def skip(self, path: str, reason: str) -> None:
        """Note that something is not read, by name as long as there is room."""
        if path in self._skipped:
            return
        if len(self._skipped) < SKIPS_NAMED_MAX and self._take_room(path):
            self._skipped[path] = Skip(path, reason)
        else:
            self.count(reason, 1)

    def count(self, reason: str, number: int) -> None:
        """Note that `number` things without a name are not read."""
        self._counted[reason] += number

    def find_again(self) -> None:
        """A document whose notes were lost while it was being read gets new ones: it no longer counts as lost."""
        self._plan = msgspec.structs.replace(self._plan, documents_lost=max(0, self._plan.documents_lost - 1))

    def stop(self, path: str, reason: str) -> None:
        """Read a file no further: a document that was read in part keeps what is known, anything else is skipped."""
        self.files.pop(path, None)
        if path in self.documents:
            self.documents[path] = msgspec.structs.replace(self.documents[path], remark=reason)
        else:
            self.skip(path, reason)

    def stop_all(self, files_reason: str, folders_reason: str) -> None:
        """Read and look for nothing more."""
        for path in list(self.files):
            self.stop(path, files_reason)
        self.stop_folders(folders_reason)

    def stop_folders(self, reason: str) -> None:
        """List and look for nothing more."""
        for path in [*self.folders, *self.wanted]:
            self.skip(path, reason)
        self.folders, self.wanted = {}, []

    def end_search(self) -> None:
        """All folders are listed: what was looked for and not found is skipped."""
        found = {path.rsplit("/", 1)[-1] for path in (*self.files, *self.documents, *self._skipped)}
        for name in self.wanted:
            if name not in found:
                self.skip(name, ErrorCode.PATH_NOT_FOUND.value)
        self.wanted = []

    def _is_left_out(self, path: str) -> bool:
        return not {path, path.rsplit("/", 1)[-1]}.isdisjoint(self.objective.left_out)

    def _take_room(self, path: str) -> bool:
        size = len(path.encode(errors="replace")) + PATH_OVERHEAD_BYTES
        if size > self._room:
            return False
        self._room -= size
        return True
