"""BearAgent's event store on SQLite, and the lease that lets one process drive a run."""

from bearagent_sqlite_store.health import DatabaseHealth, check_database
from bearagent_sqlite_store.leases import FileRunLease
from bearagent_sqlite_store.store import SqliteEventStore

__all__ = ["DatabaseHealth", "FileRunLease", "SqliteEventStore", "check_database"]
