"""The contracts of the ports, on SQLite and on lock files."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bearagent_ports import EventStore, RunLease
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from bearagent_testkit.contracts import EventStoreContract, RunLeaseContract


class TestSqliteEventStore(EventStoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[EventStore]:
        store = SqliteEventStore.open(tmp_path / "record.db")
        yield store
        store.close()


class TestFileRunLease(RunLeaseContract):
    @pytest.fixture
    def lease(self, tmp_path: Path) -> Iterator[RunLease]:
        yield FileRunLease(tmp_path / "record.db")

    @pytest.fixture
    def rival(self, lease: RunLease, tmp_path: Path) -> RunLease:
        return FileRunLease(tmp_path / "record.db")
