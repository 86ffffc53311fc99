"""Folders that only their owner may enter, and names that survive a power loss."""

import os
from pathlib import Path

FOLDER_MODE = 0o700
FILE_MODE = 0o600


def make_private_folder(folder: Path) -> None:
    """Make `folder` and what is missing above it; folders that are there keep their mode. Raises `OSError`."""
    if folder.is_dir():
        return
    make_private_folder(folder.parent)
    folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Force the names in `folder` to disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def beside(database: Path, suffix: str) -> Path:
    """The file or folder that belongs to `database` and stands next to it, whatever link leads there."""
    real = Path(os.path.realpath(database))
    return real.with_name(real.name + suffix)
