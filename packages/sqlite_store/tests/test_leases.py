"""Leases between processes: they end with their holder, tell who it is, and looking at one makes nothing."""

import fcntl
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.ids import RunId
from bearagent_ports import RunDrivenElsewhere, StoreError
from bearagent_sqlite_store import FileRunLease
from bearagent_testkit import CountingIds

RUN_ID = RunId(CountingIds().new_id())

HOLD = """
import sys
from bearagent_sqlite_store import FileRunLease
with FileRunLease(sys.argv[1]).hold(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "record.db"


@contextmanager
def holder(database: Path) -> "Iterator[subprocess.Popen[str]]":
    """Another process that holds the lease until the context ends."""
    command = [sys.executable, "-c", HOLD, str(database), RUN_ID]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "held\n"
        try:
            yield child
        finally:
            child.kill()


def test_to_look_at_a_lease_makes_nothing(database: Path) -> None:
    assert not FileRunLease(database).is_held(RUN_ID)
    assert list(database.parent.iterdir()) == []


def test_two_who_look_at_once_dont_take_each_other_for_a_driver(database: Path) -> None:
    with FileRunLease(database).hold(RUN_ID):
        pass
    with (database.parent / "record.db.locks" / f"{RUN_ID}.lock").open("rb") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert not FileRunLease(database).is_held(RUN_ID)


def test_the_holder_is_named_without_a_path(database: Path) -> None:
    with holder(database) as child:
        assert FileRunLease(database).is_held(RUN_ID)
        with pytest.raises(RunDrivenElsewhere) as refused, FileRunLease(database).hold(RUN_ID):
            raise AssertionError("two drivers at once")
    info = refused.value.info
    assert (info.code, info.details) == (ErrorCode.RUN_DRIVEN_ELSEWHERE, {"pid": child.pid})
    assert str(child.pid) in info.message and str(database.parent) not in info.message


def test_a_lease_ends_when_its_holder_is_killed(database: Path) -> None:
    with holder(database) as child:
        child.kill()
        child.wait()
        lease = FileRunLease(database)
        assert not lease.is_held(RUN_ID)
        with lease.hold(RUN_ID):
            assert lease.is_held(RUN_ID)


def test_who_waits_gets_the_lease_when_the_holder_lets_go(database: Path) -> None:
    with holder(database) as child:
        child.communicate("\n")
        with FileRunLease(database).hold(RUN_ID):
            pass


@pytest.mark.parametrize("content", ["", "nobody", "-1 2026-01-01T00:00:00.000Z"])
def test_an_unreadable_name_of_the_holder_is_left_out(database: Path, content: str) -> None:
    with holder(database):
        (database.parent / "record.db.locks" / f"{RUN_ID}.lock").write_text(content)
        with pytest.raises(RunDrivenElsewhere) as refused, FileRunLease(database).hold(RUN_ID):
            raise AssertionError("two drivers at once")
    assert refused.value.info.details == {"pid": None}


def test_a_link_to_the_database_leads_to_the_same_lease(database: Path) -> None:
    database.touch()
    link = database.with_name("link.db")
    link.symlink_to(database)
    with FileRunLease(link).hold(RUN_ID):
        assert FileRunLease(database).is_held(RUN_ID)


def test_the_lock_file_is_private_and_names_its_holder(database: Path) -> None:
    with FileRunLease(database).hold(RUN_ID):
        file = database.parent / "record.db.locks" / f"{RUN_ID}.lock"
        assert file.read_text().split(" ")[0] == str(os.getpid())
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_lock_that_cant_be_made_is_an_error_of_the_store(database: Path) -> None:
    (database.parent / "record.db.locks").touch()
    with pytest.raises(StoreError), FileRunLease(database).hold(RUN_ID):
        raise AssertionError("held without a lock")
