"""Writers are killed again and again: nothing acknowledged is lost, nothing is claimed, no effect goes unannounced."""

import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import CountingIds, FixedClock, sample_run
from tests.recovery.storms import LIFE_SECONDS_MAX, Storm

BOUNDARIES = 45  # a run has fewer than thirty, so that some writers end in their second
OPENING_SECONDS_MAX = 0.02


@pytest.fixture
def storm(tmp_path: Path) -> Storm:
    return Storm(tmp_path)


@pytest.mark.rounds(short=1, full=13)
def test_writers_that_die_at_every_boundary_leave_a_true_record(storm: Storm, rounds: int) -> None:
    for _ in range(rounds):
        for boundary in range(1, BOUNDARIES + 1):
            assert storm.killed_at_boundary(boundary) == Counter(), boundary
    print(f"{storm.killed} killed, {storm.whole_record_holds()} runs")


@pytest.mark.rounds(short=12, full=300)
def test_writers_that_are_killed_at_any_instant_leave_a_true_record(storm: Storm, rounds: int) -> None:
    random = Random(11)
    for _ in range(rounds):
        assert storm.killed_at_random(random) == Counter()
    print(f"{storm.killed} killed, {storm.whole_record_holds()} runs")


@pytest.mark.rounds(short=3, full=50)
def test_of_two_writers_to_one_record_either_may_be_killed(storm: Storm, rounds: int) -> None:
    random = Random(12)
    for _ in range(rounds):
        writers = [storm.writer(), storm.writer()]
        for writer in writers:
            writer.wait_for("stored")
        for writer in random.sample(writers, 2):  # while the first one is looked at, the other goes on
            time.sleep(random.uniform(0, LIFE_SECONDS_MAX))
            writer.kill()
            assert storm.lies(writer) == Counter()
    print(f"{storm.killed} killed, {storm.whole_record_holds()} runs")


@pytest.mark.rounds(short=6, full=60)
def test_a_record_whose_making_was_killed_is_made_by_the_next(tmp_path: Path, rounds: int) -> None:
    random = Random(13)
    for number in range(rounds):
        (tmp_path / str(number)).mkdir()
        storm = Storm(tmp_path / str(number))
        writer = storm.writer()
        writer.wait_for("opening")
        time.sleep(random.uniform(0, OPENING_SECONDS_MAX))
        writer.kill()
        assert storm.lies(writer) == Counter()
        run = sample_run(CountingIds(), FixedClock())
        with closing(SqliteEventStore.open(storm.database)) as store:
            store.append((run.take(),))
        assert storm.whole_record_holds() >= 1


@pytest.mark.parametrize(
    ("fault", "lie"), [("early", "lost"), ("eager", "struck unannounced")], ids=["too early", "too eager"]
)
def test_control_a_writer_that_is_wrong_is_caught(storm: Storm, fault: str, lie: str) -> None:
    found: Counter[str] = Counter()
    for boundary in range(1, BOUNDARIES + 1):
        found += storm.killed_at_boundary(boundary, fault)
        if found[lie]:
            return
    raise AssertionError(f"nothing was noticed: {dict(found)}")
