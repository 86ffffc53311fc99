"""BearAgent's event store on SQLite, with leases and heads in files beside the database."""

from bearagent_sqlite_store.event_store import SqliteEventStore
from bearagent_sqlite_store.health import DatabaseHealth, check_database
from bearagent_sqlite_store.run_lease import FileRunLease

__all__ = ["DatabaseHealth", "FileRunLease", "SqliteEventStore", "check_database"]
