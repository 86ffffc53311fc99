"""Thousands of runs of random hostile turns: six invariants hold after each of them."""

from collections import Counter
from contextlib import closing

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from bearagent_domain.runs import RunStatus
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import MemoryEventStore
from tests.fuzzing.invariants import Ground, broken_invariants
from tests.fuzzing.strategies import plans
from tests.fuzzing.watched import Plan, WatchedRun

TURNS_MAX = 8


def fuzzing(examples: int) -> settings:
    """The same plans each time; whatever fails gets a replay of its own."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )


def told(kinds: Counter[str]) -> None:
    print(dict(kinds))
    assert kinds[RunStatus.SUCCEEDED] > 0 and kinds[RunStatus.FAILED] > 0 and kinds[RunStatus.SUSPENDED] > 0
    assert kinds["effects"] > 0


@pytest.mark.rounds(short=250, full=4_000)
def test_in_memory_six_invariants_hold_after_every_run(
    tmp_path_factory: pytest.TempPathFactory, rounds: int, is_full: bool
) -> None:
    kinds: Counter[str] = Counter()

    @fuzzing(rounds)
    @given(plan=plans(TURNS_MAX))
    def play(plan: Plan) -> None:
        ground = Ground(tmp_path_factory.mktemp("fuzzed"))
        run = WatchedRun(plan, ground.place, MemoryEventStore())
        assert broken_invariants(run, ground) == []
        kinds.update(
            {"runs": 1, "turns": len(run.model.requests), "effects": len(run.watch.effects)},
        )
        kinds[run.scene.inspect(run.run_id).status] += 1

    play()
    told(kinds)
    assert kinds["turns"] >= (10_000 if is_full else 600)


@pytest.mark.rounds(short=30, full=400)
def test_on_disk_six_invariants_hold_after_every_run(tmp_path_factory: pytest.TempPathFactory, rounds: int) -> None:
    kinds: Counter[str] = Counter()

    @fuzzing(rounds)
    @given(plan=plans(TURNS_MAX))
    def play(plan: Plan) -> None:
        ground = Ground(tmp_path_factory.mktemp("fuzzed"))
        place = tmp_path_factory.mktemp("record") / "record.db"
        with closing(SqliteEventStore.open(place)) as store:
            run = WatchedRun(plan, ground.place, store)
            assert broken_invariants(run, ground) == []
            kinds.update({"runs": 1, "turns": len(run.model.requests), "effects": len(run.watch.effects)})
            kinds[run.scene.inspect(run.run_id).status] += 1

    play()
    told(kinds)
    assert kinds["runs"] >= rounds
