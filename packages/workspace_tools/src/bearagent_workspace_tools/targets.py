"""What stands where a file is to be written: its hash and status, and names that could be taken for it."""

import hashlib
import os
from collections.abc import Callable, Sequence

import msgspec

from bearagent_domain.errors import ErrorCode
from bearagent_ports.tool import ToolFailed
from bearagent_workspace_tools.directories import Workspace, entries_in, opened, status_of
from bearagent_workspace_tools.errors import failed
from bearagent_workspace_tools.paths import look_alike_key
from bearagent_workspace_tools.texts import blocks, has_changed


class Target(msgspec.Struct, frozen=True):
    """What stands at the target's name: a hash and a status, or neither when there is nothing."""

    sha256: str | None = None
    status: os.stat_result | None = None

    def looks_like(self, status: os.stat_result | None) -> bool:
        """Whether `status` shows the same file, unchanged."""
        return signature_of(self.status) == signature_of(status)


def target_at(workspace: Workspace, parts: Sequence[str], check: Callable[[], None]) -> Target:
    """What stands at `parts` now; a missing folder on the way means: nothing. Raises `ToolFailed`."""
    try:
        with workspace.directory(parts[:-1]) as folder:
            return target_in(folder, parts[-1], check)
    except ToolFailed as error:
        if error.info.code is ErrorCode.PATH_NOT_FOUND:
            return Target()
        raise


def target_in(folder: int, name: str, check: Callable[[], None]) -> Target:
    """What stands at `name` in `folder`, hashed. Raises `ToolFailed` for a link, a folder or a special file."""
    status = status_or_none(folder, name)
    if status is None:
        return Target()
    with opened(folder, name) as file:
        digest = hashlib.sha256()
        for block in blocks(file, check):
            digest.update(block)
        if has_changed(file):
            raise failed(ErrorCode.FILE_CHANGED)
        return Target(digest.hexdigest(), file.status)


def check_names(workspace: Workspace, parts: Sequence[str], check: Callable[[], None]) -> None:
    """Raise `ToolFailed` with `path_collision` when a part would become the look-alike of another entry."""
    for depth, name in enumerate(parts):
        try:
            with workspace.directory(parts[:depth]) as folder:
                _require_no_look_alike(folder, name, check)
        except ToolFailed as error:
            if error.info.code is ErrorCode.PATH_NOT_FOUND:
                return
            raise


def _require_no_look_alike(folder: int, name: str, check: Callable[[], None]) -> None:
    key, collides = look_alike_key(name), False
    for entry in entries_in(folder, check):
        if entry.name == name:
            return
        collides = collides or look_alike_key(entry.name) == key
    if collides:
        raise failed(ErrorCode.PATH_COLLISION)


def status_or_none(folder: int, name: str) -> os.stat_result | None:
    """How the entry `name` looks, or None when there is none. Raises `ToolFailed`."""
    try:
        return status_of(folder, name)
    except ToolFailed as error:
        if error.info.code is ErrorCode.PATH_NOT_FOUND:
            return None
        raise


def signature_of(status: os.stat_result | None) -> tuple[int, ...] | None:
    """Which file with which content, as far as a status can tell."""
    if status is None:
        return None
    return status.st_dev, status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns
