"""What was acknowledged outlives a power loss at any moment, on a disk that loses all it may lose."""

from collections import Counter
from pathlib import Path

import pytest

from tests.recovery import powered_runs
from tests.recovery.lossy_disk import NamesSynced, Operation, Synced, Told, Written
from tests.recovery.power_cuts import IMAGES_OF_A_CUT, WHOLE, Truth, cuts, faults_after
from tests.recovery.powered_runs import COMMIT, play, told_store
from tests.recovery.recording_vfs import recorded
from tests.recovery.traced_disk import traced

SEED = 20_260
EVERY_MOMENT = 100_000
CONTROL_MOMENTS = 24
Recorded = list[Operation | Told]


@pytest.fixture(scope="module")
def truth() -> Truth:
    return Truth()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder of the disk."""
    folder = tmp_path / "disk"
    folder.mkdir()
    return folder


def played(root: Path, *, synchronous: str = "FULL") -> Recorded:
    """The runs in the real store, recorded as SQLite carries them out; it knows nothing of kept heads."""
    recording: Recorded = []

    def tell(what: str) -> None:
        if what == COMMIT:
            recording.append(Told(what))

    with recorded(recording):
        play(told_store(root / "record.db", tell, synchronous=synchronous))
    return recording


def faults(root: Path, truth: Truth, recording: Recorded, moments: int, *, lies: bool = False) -> Counter[str]:
    found = cuts(recording, root, moments, SEED, lies=lies)
    kinds = faults_after(found, root, root / "record.db", truth)
    print(f"{kinds.total():,} images:", dict(kinds))
    return kinds


@pytest.mark.rounds(short=40, full=EVERY_MOMENT)
def test_what_was_acknowledged_outlives_a_power_loss_at_any_operation_of_sqlite(
    root: Path, truth: Truth, rounds: int, is_full: bool
) -> None:
    kinds = faults(root, truth, played(root), rounds)
    assert set(kinds) == {WHOLE}
    assert kinds.total() >= (4_000 if is_full else rounds * len(IMAGES_OF_A_CUT))


@pytest.mark.needs("strace")
@pytest.mark.rounds(short=40, full=EVERY_MOMENT)
def test_with_its_folders_locks_and_heads_the_whole_process_loses_nothing_either(
    root: Path, truth: Truth, rounds: int
) -> None:
    recording = traced(root, powered_runs.__file__, root / "record.db")
    assert set(faults(root, truth, recording, rounds)) == {WHOLE}


def test_control_without_a_sync_at_each_commit_acknowledged_ones_are_lost(root: Path, truth: Truth) -> None:
    kinds = faults(root, truth, played(root, synchronous="NORMAL"), CONTROL_MOMENTS)
    assert set(kinds) == {WHOLE, "lost"}


def test_control_without_any_sync_the_record_breaks(root: Path, truth: Truth) -> None:
    kinds = faults(root, truth, played(root, synchronous="OFF"), CONTROL_MOMENTS)
    assert kinds["store_corrupt"] + kinds["record_corrupt"] > 0


def test_control_on_a_disk_that_only_says_that_it_synced_the_record_breaks(root: Path, truth: Truth) -> None:
    kinds = faults(root, truth, played(root), CONTROL_MOMENTS, lies=True)
    assert kinds["lost"] > 0


@pytest.mark.needs("strace")
def test_control_a_head_that_is_not_synced_before_it_is_told_is_missed(root: Path, truth: Truth) -> None:
    recording = traced(root, powered_runs.__file__, root / "record.db")
    careless = [
        step for step in recording if not (isinstance(step, Synced | NamesSynced) and ".heads" in str(place_of(step)))
    ]
    assert faults(root, truth, careless, CONTROL_MOMENTS)["another head"] > 0


def place_of(step: Synced | NamesSynced) -> Path:
    return step.path if isinstance(step, Synced) else step.folder


def test_checkpoints_fall_between_commits(root: Path) -> None:
    """So that power is lost within them, too: into the file itself nothing else writes."""
    recording = played(root)
    commits = [place for place, step in enumerate(recording) if isinstance(step, Told)]
    written = [
        place for place, step in enumerate(recording) if isinstance(step, Written) and step.path.name == "record.db"
    ]
    filled = {sum(commit < place for commit in commits) for place in written}
    assert len(filled - {0, len(commits)}) >= 3
