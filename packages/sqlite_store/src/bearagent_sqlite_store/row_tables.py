"""Projection rows to and from their tables. What they mean is the reducer's; here they are only columns."""

from collections.abc import Sequence
from typing import TypeVar

import apsw
import msgspec

from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.rows import ActivityRow, ArtifactRow, Rows, RunRow
from bearagent_ports import StoreError

R = TypeVar("R", bound=Rec)

_RUN_COLUMNS = tuple(RunRow.__struct_fields__)
_ACTIVITY_COLUMNS = tuple(name for name in ActivityRow.__struct_fields__ if name != "run_id")
_ARTIFACT_COLUMNS = tuple(name for name in ArtifactRow.__struct_fields__ if name != "run_id")


def _listed(columns: tuple[str, ...]) -> str:
    return ", ".join(columns)


def _marks(count: int) -> str:
    return ", ".join("?" * count)


def _excluded(columns: tuple[str, ...]) -> str:
    return ", ".join(f"{name} = excluded.{name}" for name in columns)


SELECT_RUNS = f"SELECT {_listed(_RUN_COLUMNS)} FROM runs"
_PUT_RUN = (
    f"INSERT INTO runs ({_listed(_RUN_COLUMNS)}) VALUES ({_marks(len(_RUN_COLUMNS))}) "
    f"ON CONFLICT (run_id) DO UPDATE SET {_excluded(_RUN_COLUMNS)} RETURNING place"
)
_PUT_ACTIVITY = (
    f"INSERT INTO activities (run, {_listed(_ACTIVITY_COLUMNS)}) VALUES ({_marks(len(_ACTIVITY_COLUMNS) + 1)}) "
    f"ON CONFLICT (run, requested_sequence) DO UPDATE SET {_excluded(_ACTIVITY_COLUMNS)}"
)
_PUT_ARTIFACT = (
    f"INSERT INTO artifacts (run, {_listed(_ARTIFACT_COLUMNS)}) VALUES ({_marks(len(_ARTIFACT_COLUMNS) + 1)}) "
    f"ON CONFLICT (run, sequence) DO UPDATE SET {_excluded(_ARTIFACT_COLUMNS)}"
)
_SELECT_ACTIVITIES = f"SELECT {_listed(_ACTIVITY_COLUMNS)} FROM activities WHERE run = ? ORDER BY requested_sequence"
_SELECT_ARTIFACTS = f"SELECT {_listed(_ARTIFACT_COLUMNS)} FROM artifacts WHERE run = ? ORDER BY sequence"


def put_rows(connection: apsw.Connection, rows: Rows) -> int:
    """Write the rows over those of the same keys; gives the place of the run."""
    place: int = connection.execute(_PUT_RUN, _values(rows.run, _RUN_COLUMNS)).get
    for activity in rows.activities:
        connection.execute(_PUT_ACTIVITY, (place, *_values(activity, _ACTIVITY_COLUMNS)))
    for artifact in rows.artifacts:
        connection.execute(_PUT_ARTIFACT, (place, *_values(artifact, _ARTIFACT_COLUMNS)))
    return place


def delete_rows(connection: apsw.Connection, place: int) -> None:
    """Delete the rows of activities and artifacts of a run; the run's own row is only ever overwritten."""
    connection.execute("DELETE FROM activities WHERE run = ?", (place,))
    connection.execute("DELETE FROM artifacts WHERE run = ?", (place,))


def read_rows(connection: apsw.Connection, place: int, run_id: RunId) -> Rows:
    """All rows of one run."""
    run = next(connection.execute(SELECT_RUNS + " WHERE place = ?", (place,)))
    activities = connection.execute(_SELECT_ACTIVITIES, (place,))
    artifacts = connection.execute(_SELECT_ARTIFACTS, (place,))
    return Rows(
        run=run_row(run),
        activities=tuple(_row(ActivityRow, _ACTIVITY_COLUMNS, row, run_id=run_id) for row in activities),
        artifacts=tuple(_row(ArtifactRow, _ARTIFACT_COLUMNS, row, run_id=run_id) for row in artifacts),
    )


def run_row(values: Sequence[object]) -> RunRow:
    """The row of `SELECT_RUNS`. Raises `StoreError` (`store_corrupt`) for values that are no row."""
    return _row(RunRow, _RUN_COLUMNS, values)


def _row(kind: type[R], columns: tuple[str, ...], values: Sequence[object], **more: str) -> R:
    try:
        return msgspec.convert({**dict(zip(columns, values, strict=True)), **more}, kind)
    except msgspec.ValidationError as error:
        message = "A row of the list is damaged. The events are not concerned: `bearagent inspect` reads those."
        raise StoreError(failure(ErrorCode.STORE_CORRUPT, message)) from error


def _values(row: Rec, columns: tuple[str, ...]) -> tuple[str | int | None, ...]:
    return tuple(getattr(row, name) for name in columns)
