"""Faults that fuzzing found, each as the smallest run that showed it, by the name of what was wrong."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.ids import RunId
from bearagent_domain.records import Head
from bearagent_domain.runs import RunStatus
from bearagent_ports import Append, StoreError
from bearagent_testkit import MemoryEventStore, ScriptedCall, ScriptedTurn
from tests.driving import Scene
from tests.fuzzing.invariants import Ground, broken_invariants
from tests.fuzzing.watched import CANARY, Plan, WatchedRun


def test_a_store_that_raises_what_no_store_may_leaks_none_of_its_words() -> None:
    """Its own exception, with a key in it, came out of `start` as it was."""

    class OddStore(MemoryEventStore):
        def append(self, parts: Sequence[Append]) -> None:
            raise RuntimeError(CANARY)

    with pytest.raises(StoreError) as raised:
        Scene(store=OddStore()).play(ScriptedTurn(text="Done."))
    assert raised.value.info.code is ErrorCode.STORE_FAILED
    assert CANARY not in raised.value.info.message


def test_a_store_that_can_not_keep_a_head_and_raises_fails_no_run() -> None:
    """A run that had come to rest looked as if it had broken."""

    class HeadlessStore(MemoryEventStore):
        def keep_head(self, run_id: RunId, head: Head) -> bool:
            raise OSError(28, "No space left on device")

    run = Scene(store=HeadlessStore()).play(ScriptedTurn(text="Done."))
    assert (run.status, run.head_kept) == (RunStatus.SUCCEEDED, False)


@pytest.mark.parametrize("path", ["./~", "./~root/x", ".\\~"])
def test_a_home_behind_a_dot_is_no_path(tmp_path: Path, path: str) -> None:
    """`./~` was taken for the path `~`, which is refused when it is named so."""
    ground = Ground(tmp_path)
    run = WatchedRun(
        Plan((ScriptedTurn(calls=(ScriptedCall("workspace.read", {"path": path}),)),)), ground.place, MemoryEventStore()
    )
    (call,) = (activity for activity in run.scene.inspect(run.run_id).activities if activity.kind == "tool")
    assert call.error is not None and call.error.code is ErrorCode.PATH_HOME
    assert broken_invariants(run, ground) == []
