"""Opening the database file: private, made and migrated under a lock, the same settings each time."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import apsw

from bearagent_domain.errors import ErrorCode
from bearagent_sqlite_store.errors import store_error, translated_errors
from bearagent_sqlite_store.file_locks import LockTaken, file_lock
from bearagent_sqlite_store.folders import FILE_MODE, beside, make_private_folder, sync_folder
from bearagent_sqlite_store.migrations import MIGRATIONS, migrate, schema_version

BUSY_MILLISECONDS = 5_000
PAGE_BYTES_MIN = 512  # no SQLite database is smaller, unless it is empty


def connect_or_create(path: Path) -> apsw.Connection:
    """A connection to the record at `path`; what is missing of it is made. Raises `StoreError`."""
    with translated_errors():
        if not path.exists():
            make_private_folder(path.parent)
            with suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL, FILE_MODE))
        return _connected(path, may_be_empty=True)


def connect_existing(path: Path) -> apsw.Connection:
    """A connection to the record at `path`, which is never made. Raises `StoreError`, `store_missing` among others."""
    with translated_errors():
        if not path.exists():
            raise store_error(ErrorCode.STORE_MISSING)
        return _connected(path, may_be_empty=False)


@contextmanager
def transaction(db: apsw.Connection) -> Iterator[None]:
    """One transaction that has the right to write from its beginning; rolled back whole when anything fails.

    SQLite calls only a full disk full; a quota or a limit on the size of files that is reached is the same to a user.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except apsw.IOError as error:
        if db.system_errno in (errno.EDQUOT, errno.EFBIG):
            raise store_error(ErrorCode.STORE_FULL) from error
        raise
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def _connected(path: Path, *, may_be_empty: bool) -> apsw.Connection:
    _require_usable(path)
    # A whole path, because SQLite keeps names like ":memory:" for itself.
    db = apsw.Connection(os.path.abspath(path), flags=apsw.SQLITE_OPEN_READWRITE)
    with ExitStack() as closing:
        closing.callback(db.close)
        db.set_busy_timeout(BUSY_MILLISECONDS)
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
        db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # else each new value has its statement prepared again
        db.pragma("cell_size_check", True)
        db.pragma("foreign_keys", True)
        db.pragma("synchronous", "FULL")
        version = schema_version(db)
        if version == 0 and not may_be_empty:  # the file of someone who was killed before it had a table
            raise store_error(ErrorCode.STORE_MISSING)
        if version < len(MIGRATIONS) or db.pragma("journal_mode") != "wal":
            _set_up(db, path)
        closing.pop_all()
    return db


def _require_usable(path: Path) -> None:
    """What SQLite itself would not say, or not in time: it waits on a pipe and takes a short text for an empty file.

    The file is looked at, never opened: to close it again would end SQLite's own locks on it in this process.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode) or 0 < found.st_size < PAGE_BYTES_MIN:
        raise store_error(ErrorCode.STORE_NOT_A_DATABASE)
    if not (os.access(path, os.R_OK | os.W_OK) and os.access(path.parent, os.W_OK | os.X_OK)):
        raise store_error(ErrorCode.STORE_READ_ONLY)


def _set_up(db: apsw.Connection, path: Path) -> None:
    """Make what is missing, one process after the other; a transaction of its own, so that no run depends on it.

    The lock is needed because the change to write-ahead logging does not wait for others.
    """
    try:
        with file_lock(beside(path, ".locks") / "create", wait_seconds=BUSY_MILLISECONDS / 1_000):
            if db.pragma("journal_mode", "wal") != "wal":
                raise store_error(ErrorCode.STORE_FAILED)
            with transaction(db):
                migrate(db)
            sync_folder(path.parent)
    except LockTaken:
        raise store_error(ErrorCode.STORE_BUSY) from None
