"""Where adapters meet the core. One function per question; nothing here decides about a run."""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.json_values import is_storable_text
from bearagent_domain.rows import Binding
from bearagent_domain.snapshots import FingerprintPart
from bearagent_runtime import QueryService
from bearagent_sqlite_store import FileRunLease, SqliteEventStore

FINGERPRINTED = (
    "bearagent",
    "bearagent-domain",
    "bearagent-reducer",
    "bearagent-runtime",
    "bearagent-sqlite-store",
    "bearagent-offline-provider",
    "bearagent-workspace-tools",
    "apsw",
    "msgspec",
)


@contextmanager
def opened_queries(database: Path) -> Iterator[QueryService]:
    """The queries over a database that is there; nothing is created. Raises `StoreError`."""
    with closing(SqliteEventStore.open_existing(database)) as store:
        yield QueryService(store, FileRunLease(database))


def require_outside(workspace: Path, places: Iterable[Path]) -> None:
    """Refuse a workspace in which a model could read its own record or its user's settings.

    Raises `BearAgentError` with `data_inside_workspace` when one of `places` is `workspace` or lies below it.
    """
    if any(lies_inside(place, workspace) for place in places):
        message = (
            "The database, the config folder or the data folder lies inside the workspace, where the model could read "
            "it. Choose another file with --db, or a smaller folder with --workspace."
        )
        raise BearAgentError(failure(ErrorCode.DATA_INSIDE_WORKSPACE, message))


def lies_inside(place: Path, workspace: Path) -> bool:
    """Whether `place`, as named or with its links followed, is `workspace` or lies below it; it need not exist."""
    for way in (Path(os.path.realpath(place)), Path(os.path.realpath(place.parent)) / place.name):
        if any(part.exists() and part.samefile(workspace) for part in (way, *way.parents)):
            return True
    return False


def binding_of(workspace: Path, provider: str, api: str) -> Binding:
    """What driving the run again will need. Raises `BearAgentError` as `place_of` does."""
    place = place_of(workspace)
    try:
        status = os.stat(place)
    except OSError as error:
        raise _gone() from error
    identity = f"{status.st_dev}:{status.st_ino}"
    return Binding(workspace=place, workspace_identity=identity, provider=provider, api=api)


def place_of(workspace: Path) -> str:
    """The whole path of the folder, links followed.

    Raises `BearAgentError` (`workspace_invalid`) for a folder that is not there, and for a path that is not UTF-8.
    """
    try:
        place = os.path.realpath(workspace, strict=True)
    except OSError as error:
        raise _gone() from error
    if not is_storable_text(place):
        message = "The path of the workspace is not UTF-8 text. Rename the folder, or choose another one."
        raise BearAgentError(failure(ErrorCode.WORKSPACE_INVALID, message))
    return place


def _gone() -> BearAgentError:
    return BearAgentError(failure(ErrorCode.WORKSPACE_INVALID, "The workspace can't be read any more."))


def installed_packages() -> tuple[FingerprintPart, ...]:
    """What is installed of that which a run is made by."""
    return tuple(FingerprintPart(name=name, version=found) for name in FINGERPRINTED if (found := _version(name)))


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
