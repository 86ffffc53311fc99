"""Failures of SQLite and of the file system, told in stable codes and without a host path (R5)."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from bearagent_domain.errors import ErrorCode, failure
from bearagent_ports import StoreError


@contextmanager
def translated_errors() -> Iterator[None]:
    """Within it a failure of SQLite or of the file system becomes a `StoreError`, the cause kept in the chain."""
    try:
        yield
    except apsw.Error as error:
        raise _of_sqlite(error) from error
    except UnicodeDecodeError as error:  # apsw meets damaged text
        raise store_error(ErrorCode.STORE_CORRUPT) from error
    except OSError as error:
        raise _of_system(error) from error


def store_error(code: ErrorCode) -> StoreError:
    """The failure `code` with its sentence; `store_busy` alone is worth another try."""
    return StoreError(failure(code, _SENTENCES[code], retryable=code is ErrorCode.STORE_BUSY))


def _of_sqlite(error: apsw.Error) -> StoreError:
    match error:
        case apsw.BusyError() | apsw.LockedError():
            return store_error(ErrorCode.STORE_BUSY)
        case apsw.FullError():
            return store_error(ErrorCode.STORE_FULL)
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return store_error(ErrorCode.STORE_READ_ONLY)
        case apsw.CorruptError():
            return store_error(ErrorCode.STORE_CORRUPT)
        case apsw.NotADBError():
            return store_error(ErrorCode.STORE_NOT_A_DATABASE)
        case apsw.IOError() if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:  # no room
            return store_error(ErrorCode.STORE_FULL)
        case apsw.SQLError():  # a table or column of ours is not there
            return store_error(ErrorCode.STORE_SCHEMA_ALTERED)
        case _:
            return store_error(ErrorCode.STORE_FAILED)


def _of_system(error: OSError) -> StoreError:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return store_error(ErrorCode.STORE_FULL)
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return store_error(ErrorCode.STORE_READ_ONLY)
        case errno.ENOTDIR | errno.EEXIST:  # a file where the path needs a folder
            return store_error(ErrorCode.STORE_NOT_A_DATABASE)
        case _:
            return store_error(ErrorCode.STORE_FAILED)


_SENTENCES = {
    ErrorCode.STORE_MISSING: "There is no record here yet. `bearagent run` makes one; another file is named with --db.",
    ErrorCode.STORE_BUSY: "Another process is writing to the record. Try again shortly.",
    ErrorCode.STORE_FULL: "The disk or a quota is full. Free some space; what was committed is safe.",
    ErrorCode.STORE_READ_ONLY: "The record's file and folder must be readable and writable to you. "
    "Change their permissions, or copy the file to a folder of yours.",
    ErrorCode.STORE_CORRUPT: "The database file is damaged. Keep it, and go on with a copy or with another file.",
    ErrorCode.STORE_NOT_A_DATABASE: "This is not a record that BearAgent made. Name another file with --db.",
    ErrorCode.STORE_SCHEMA_UNKNOWN: "A newer BearAgent made this record's tables. "
    "Use that one, or another file with --db.",
    ErrorCode.STORE_SCHEMA_ALTERED: "The tables of the record are not those that BearAgent made: altered, or damaged. "
    "Keep the file, and go on with a copy from before, or with another file with --db.",
    ErrorCode.STORE_FAILED: "The record could not be read or written. Check its disk, and try a copy of it.",
    ErrorCode.CURSOR_INVALID: "The cursor is not one that this store gave.",
}
