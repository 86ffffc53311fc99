"""Opening a database: made once under a lock, private, and with the settings that every connection needs."""

import os
from datetime import UTC, datetime
from pathlib import Path

import apsw
from filelock import FileLock, Timeout

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.times import time_text
from bearagent_ports import StoreError
from bearagent_sqlite_store.errors import translated
from bearagent_sqlite_store.migrations import MIGRATIONS, migrate, require_ledger, schema_version

BUSY_TIMEOUT_MS = 5_000
CREATION_TIMEOUT_SECONDS = 10.0

_FILE_START = b"SQLite format 3\0"


def locks_folder(database: Path) -> Path:
    """Where the locks of `database` lie."""
    return database.with_name(database.name + ".locks")


def open_database(path: Path) -> apsw.Connection:
    """A connection to the database at `path`, which is made if it is missing. Raises `StoreError`."""
    if path.is_file() and path.stat().st_size > 0:
        connection = _connected(path)
        if _is_current(connection):
            return connection
        connection.close()
    with translated():
        locks_folder(path).mkdir(mode=0o700, parents=True, exist_ok=True)
        return _made(path)


def open_existing_database(path: Path) -> apsw.Connection:
    """A connection to a database that must be there; nothing is created. Raises `StoreError` (`store_missing`)."""
    if not path.exists():
        message = "There is no database yet. `bearagent run` makes one; another file is named with --db."
        raise StoreError(failure(ErrorCode.STORE_MISSING, message))
    if path.is_file() and path.stat().st_size == 0:
        message = "This file is empty: it holds no record. Name another one with --db."
        raise StoreError(failure(ErrorCode.STORE_NOT_A_DATABASE, message))
    return open_database(path)


def _made(path: Path) -> apsw.Connection:
    """Create or migrate under the lock, for `journal_mode=WAL` on a new file does not wait for the busy timeout."""
    try:
        with FileLock(locks_folder(path) / "create", timeout=CREATION_TIMEOUT_SECONDS, mode=0o600):
            if not path.exists():
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            connection = _connected(path)
            version = schema_version(connection)
            if version < len(MIGRATIONS):
                if connection.pragma("journal_mode", "wal") != "wal":
                    message = "This file system can't hold the database: it has no write-ahead log."
                    raise StoreError(failure(ErrorCode.STORE_FAILED, message))
                migrate(connection, version, time_text(datetime.now(UTC)))
                _sync_folder(path.parent)
            require_ledger(connection, len(MIGRATIONS))
            return connection
    except Timeout as error:
        message = "Another process is making this database. Try again in a moment."
        raise StoreError(failure(ErrorCode.STORE_BUSY, message, retryable=True)) from error


def _connected(path: Path) -> apsw.Connection:
    with translated():
        _require_database(path)
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            for pragma, value in (("cell_size_check", 1), ("foreign_keys", 1), ("synchronous", "FULL")):
                connection.pragma(pragma, value)
            connection.pragma("schema_version")  # the first read: a file that is no database says so here
        except BaseException:
            connection.close()
            raise
        return connection


def _require_database(path: Path) -> None:
    """Raise `StoreError` for a folder, or a file of something else: SQLite takes a short one for empty."""
    if path.is_dir():
        message = "The database is named as a folder. Name a file with --db."
        raise StoreError(failure(ErrorCode.STORE_NOT_A_DATABASE, message))
    with path.open("rb") as file:
        start = file.read(len(_FILE_START))
    if start not in (b"", _FILE_START):
        message = "This file is not a BearAgent database. Name another one with --db."
        raise StoreError(failure(ErrorCode.STORE_NOT_A_DATABASE, message))


def _is_current(connection: apsw.Connection) -> bool:
    """Whether the schema is the newest, with a sound ledger; closes the connection when it raises."""
    try:
        with translated():
            version = schema_version(connection)
            if version == len(MIGRATIONS):
                require_ledger(connection, version)
            return version == len(MIGRATIONS)
    except BaseException:
        connection.close()
        raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
