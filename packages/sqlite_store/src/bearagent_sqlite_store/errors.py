"""What SQLite and the operating system say, in BearAgent's codes and words. No path stands in a message."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from bearagent_domain.errors import ErrorCode, ErrorInfo, failure
from bearagent_ports import StoreError

_CASES: tuple[tuple[type[apsw.Error], ErrorCode, str, bool], ...] = (
    (apsw.BusyError, ErrorCode.STORE_BUSY, "Another process keeps the database locked. Try again in a moment.", True),
    (apsw.LockedError, ErrorCode.STORE_BUSY, "Another process keeps the database locked. Try again in a moment.", True),
    (apsw.FullError, ErrorCode.STORE_FULL, "The disk is full; nothing of this step was stored. Make room.", False),
    (
        apsw.ReadOnlyError,
        ErrorCode.STORE_READ_ONLY,
        "The database can't be written to. Check the permissions of its file and folder, or copy it elsewhere.",
        False,
    ),
    (
        apsw.NotADBError,
        ErrorCode.STORE_NOT_A_DATABASE,
        "This file is not a BearAgent database. Name another one with --db.",
        False,
    ),
    (
        apsw.CorruptError,
        ErrorCode.STORE_CORRUPT,
        "The database file is damaged. Restore a copy of it; `bearagent doctor` says more.",
        False,
    ),
    (
        apsw.CantOpenError,
        ErrorCode.STORE_READ_ONLY,
        "The database can't be opened. Its folder must be writable, for readers as well; or copy it elsewhere.",
        False,
    ),
    (apsw.SQLError, ErrorCode.STORE_SCHEMA_UNKNOWN, "The schema of this database is not the expected one.", False),
)


@contextmanager
def translated() -> Iterator[None]:
    """Turn what apsw raises within the context into a `StoreError`."""
    try:
        yield
    except UnicodeDecodeError as error:  # damaged text: apsw lets it through as it is
        raise StoreError(failure(ErrorCode.STORE_CORRUPT, "The database holds damaged text.")) from error
    except apsw.Error as error:
        raise StoreError(_info_of(error)) from error
    except OSError as error:
        message = "The folder of the database can't be used. Check that it exists and may be written to."
        raise StoreError(failure(ErrorCode.STORE_FAILED, message)) from error


def _info_of(error: apsw.Error) -> ErrorInfo:
    for kind, code, message, retryable in _CASES:
        if isinstance(error, kind):
            return failure(code, message, retryable=retryable)
    return failure(ErrorCode.STORE_FAILED, "The database could not do it; nothing of this step was stored.")
