"""The projection tables: rows of the domain in, rows of the domain out.

A table has a column for each field of its row; the run's number stands for its id.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Generic, TypeVar

import apsw
import msgspec

from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.rows import ActivityRow, ArtifactRow, RunRow
from bearagent_ports import StoreError

R = TypeVar("R", bound=Rec)


class RowTable(Generic[R]):
    """The statements of one projection table, and the check of what comes out of it."""

    def __init__(self, name: str, row_type: type[R]) -> None:
        self._row_type = row_type
        self._fields = tuple(field for field in row_type.__struct_fields__ if field != "run_id")
        self._values = attrgetter(*self._fields)
        columns = ", ".join(self._fields)
        marks = ", ".join("?" * len(self._fields))
        changes = ", ".join(f"{field} = excluded.{field}" for field in self._fields)
        insert = f"INSERT INTO {name} (run_number, {columns}) VALUES (?, {marks})"
        self._put = f"{insert} ON CONFLICT DO UPDATE SET {changes}"
        self._delete = f"DELETE FROM {name} WHERE run_number = ?"
        self._select = f"SELECT run_id, {columns} FROM {name} JOIN bindings USING (run_number)"

    def put(self, db: apsw.Connection, run_number: int, *rows: R) -> None:
        """Insert or replace rows of one run."""
        for row in rows:
            db.execute(self._put, (run_number, *self._values(row)))

    def delete(self, db: apsw.Connection, run_number: int) -> None:
        """Delete all rows of one run."""
        db.execute(self._delete, (run_number,))

    def select(self, db: apsw.Connection, clauses: str, *values: int) -> tuple[R, ...]:
        """The rows under `clauses`. Raises `StoreError` for a row that is none."""
        return tuple(self._row(columns) for columns in db.execute(f"{self._select} {clauses}", values))

    def _row(self, columns: Sequence[object]) -> R:
        try:
            return msgspec.convert(dict(zip(("run_id", *self._fields), columns, strict=True)), self._row_type)
        except msgspec.ValidationError as error:
            raise damaged_row() from error


def damaged_row() -> StoreError:
    """A row is lost or no row at all: what the list says is in doubt, what the events say is not."""
    message = "A row of the run list is damaged. The events are not touched by that: `bearagent inspect` reads those."
    return StoreError(failure(ErrorCode.STORE_CORRUPT, message))


RUNS = RowTable("runs", RunRow)
ACTIVITIES = RowTable("activities", ActivityRow)
ARTIFACTS = RowTable("artifacts", ArtifactRow)
