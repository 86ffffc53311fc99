"""Records of each way in which a run can end, made once: later code reads the same state from the same bytes (R4)."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bearagent_domain.ids import RunId
from bearagent_reducer import NEW_RUN, RowProjection, evolved_record, folded
from bearagent_runtime import QueryService, stored_records
from bearagent_sqlite_store import SqliteEventStore, check_database

FOLDER = Path(__file__).parent.parent / "golden_databases"
GOLDEN: dict[str, dict[str, Any]] = json.loads((FOLDER / "golden.json").read_text("utf-8"))
ENDS = {
    ("succeeded", None),
    ("failed", None),
    ("running", None),
    ("suspended", "budget"),
    ("suspended", "interrupted"),
    ("suspended", "outcome_unknown"),
    ("suspended", "provider_unavailable"),
}


@pytest.fixture(params=list(GOLDEN))
def golden(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What was kept about one database, and its name."""
    return {"name": request.param, **GOLDEN[request.param]}


@pytest.fixture
def copied(golden: dict[str, Any], tmp_path: Path) -> Path:
    """A copy of its file."""
    return Path(shutil.copy(FOLDER / f"{golden['name']}.db", tmp_path / "record.db"))


@pytest.fixture
def store(copied: Path) -> Iterator[SqliteEventStore]:
    with closing(SqliteEventStore.open_existing(copied)) as store:
        yield store


def test_the_file_is_the_one_that_was_made_once(golden: dict[str, Any]) -> None:
    data = (FOLDER / f"{golden['name']}.db").read_bytes()
    assert hashlib.sha256(data).hexdigest() == golden["sha256"]


def test_it_verifies_and_folds_to_the_kept_state(golden: dict[str, Any], store: SqliteEventStore) -> None:
    records = list(stored_records(store, RunId(golden["run_id"])))
    assert f"{records[-1].sequence}:{records[-1].hash.hex()}" == golden["head"]
    assert folded(records).state_hash == golden["state_hash"]


def test_it_is_shown_as_it_was(golden: dict[str, Any], store: SqliteEventStore) -> None:
    view = msgspec.to_builtins(QueryService(store).inspect(RunId(golden["run_id"])))
    assert still_told(golden["inspection"], view) == golden["inspection"]


def test_its_rows_are_those_of_a_fresh_fold(golden: dict[str, Any], store: SqliteEventStore) -> None:
    run_id, rows, state = RunId(golden["run_id"]), RowProjection(), NEW_RUN
    for record in stored_records(store, run_id):
        state = evolved_record(state, record)
        rows.add(record, state)
    assert store.rows(run_id) == rows.take()


def test_its_pages_are_whole(copied: Path) -> None:
    health = check_database(copied)
    assert (health.runs, health.problems) == (1, ())


def test_every_database_is_known() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.db")) == sorted(GOLDEN)


def test_there_is_one_for_each_way_to_end() -> None:
    views = [golden["inspection"] for golden in GOLDEN.values()]
    assert {(view["status"], view["reason"]) for view in views} == ENDS
    errors = {view["error"]["code"] for view in views if view["status"] == "failed"}
    assert errors == {"model_output_cut", "provider_protocol", "too_many_tool_calls"}
    statuses = {activity["status"] for view in views for activity in view["activities"]}
    assert statuses == {"started", "completed", "failed", "cancelled", "outcome_unknown"}
    verdicts = {
        activity["decision"]["verdict"] for view in views for activity in view["activities"] if activity["decision"]
    }
    assert verdicts == {"allow", "deny"}


def still_told(kept: object, shown: object) -> object:
    """`shown` without the fields that were added since; a field that is gone stays gone."""
    if isinstance(kept, dict) and isinstance(shown, dict):
        return {name: still_told(kept[name], value) for name, value in shown.items() if name in kept}
    if isinstance(kept, list | tuple) and isinstance(shown, list | tuple) and len(kept) == len(shown):
        return [still_told(*pair) for pair in zip(kept, shown, strict=True)]
    return shown
