"""The event store on SQLite: sealed events and projection rows of any number of runs in one file."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.records import Head, RecordedEvent, chained, corrupt, opened
from bearagent_domain.rows import Binding, Rows, RunRow
from bearagent_ports import Append, RunNotFound, RunRowPage, SequenceConflict, StoreError
from bearagent_sqlite_store.databases import open_database, open_existing_database
from bearagent_sqlite_store.errors import translated
from bearagent_sqlite_store.head_files import HeadFiles
from bearagent_sqlite_store.row_tables import SELECT_RUNS, delete_rows, put_rows, read_rows, run_row

PLACE_MAX = 999_999_999_999_999_999


class SqliteEventStore:
    """One connection to one database, for one thread. Every append is one durable transaction (R1, R4)."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self._connection = connection
        self._heads = HeadFiles(path)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> "SqliteEventStore":
        """The store at `path`, made with its folder if it is missing, private to the user. Raises `StoreError`."""
        return cls(open_database(Path(path)), Path(path))

    @classmethod
    def open_existing(cls, path: str | os.PathLike[str]) -> "SqliteEventStore":
        """The store at `path`, which must be there. Raises `StoreError` (`store_missing` when it is not)."""
        return cls(open_existing_database(Path(path)), Path(path))

    def append(self, parts: Sequence[Append]) -> None:
        """Store all parts in one transaction, or nothing."""
        with self._transaction():
            for part in parts:
                place, head = self._place_and_head(part.run_id)
                _require_fit(part, head, known=place is not None)
                place = put_rows(self._connection, part.rows)
                if part.binding is not None:
                    self._put_binding(place, part.binding)
                self._connection.executemany(
                    "INSERT INTO events VALUES (?, ?, ?, ?)",
                    [(place, record.sequence, record.body, record.hash) for record in part.events],
                )

    def read(self, run_id: RunId, *, after: int = 0, limit: int = 1_000) -> tuple[RecordedEvent, ...]:
        """A page of records, each checked against its hash, its place and the one before."""
        with translated():
            place = self._place(run_id)
            head = self._head_at(place, after)
            rows = self._connection.execute(
                "SELECT body, hash FROM events WHERE run = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                (place, after, limit),
            )
            page: list[RecordedEvent] = []
            for body, hash_ in rows:
                if head is None:
                    corrupt(f"Event {after} is missing.")
                record = opened(body, head.hash, hash_)
                if record.run_id != run_id:
                    corrupt(f"Event {record.sequence} belongs to another run.")
                head = head.after(record)
                page.append(record)
        if after == 0 and not page and limit > 0:
            corrupt("The events of this run are gone.")
        return tuple(page)

    def run(self, run_id: RunId) -> RunRow:
        """The row of one run."""
        with translated():
            row = self._connection.execute(SELECT_RUNS + " WHERE run_id = ?", (run_id,)).fetchone()
        if row is None:
            raise _not_found()
        return run_row(row)

    def rows(self, run_id: RunId) -> Rows:
        """All rows of one run."""
        with translated():
            return read_rows(self._connection, self._place(run_id), run_id)

    def binding(self, run_id: RunId) -> Binding:
        """The binding stored with the first events."""
        query = "SELECT workspace, workspace_identity, provider, api FROM bindings WHERE run = ?"
        with translated():
            row = self._connection.execute(query, (self._place(run_id),)).fetchone()
        if row is None:
            raise StoreError(failure(ErrorCode.STORE_CORRUPT, "The binding of this run is lost."))
        workspace, identity, provider, api = (str(value) for value in row)
        return Binding(workspace=workspace, workspace_identity=identity, provider=provider, api=api)

    def runs(self, *, cursor: str | None = None, limit: int = 50) -> RunRowPage:
        """Rows newest first; the cursor is the place before which the next page begins."""
        before = _place_of(cursor)
        with translated():
            found = self._connection.execute(
                SELECT_RUNS.replace("SELECT", "SELECT place,") + " WHERE place < ? ORDER BY place DESC LIMIT ?",
                (before, limit + 1),
            ).fetchall()
        shown = found[:limit]
        next_cursor = str(shown[-1][0]) if len(found) > limit and shown else None
        return RunRowPage(runs=tuple(run_row(row[1:]) for row in shown), next_cursor=next_cursor)

    def matching(self, prefix: str, *, limit: int = 10) -> tuple[RunId, ...]:
        """Ids that begin with `prefix`, newest first."""
        query = "SELECT run_id FROM runs WHERE substr(run_id, 1, ?) = ? ORDER BY place DESC LIMIT ?"
        with translated():
            found = self._connection.execute(query, (len(prefix), prefix, limit)).fetchall()
        return tuple(RunId(str(row[0])) for row in found)

    def replace_rows(self, run_id: RunId, rows: Rows) -> None:
        """Put `rows` in the place of all rows of this run."""
        with self._transaction():
            delete_rows(self._connection, self._place(run_id))
            put_rows(self._connection, rows)

    def keep_head(self, run_id: RunId, head: Head) -> bool:
        """Keep the head in a file beside the database."""
        return self._heads.keep(run_id, head)

    def kept_head(self, run_id: RunId) -> Head | None:
        """The head in the file beside the database."""
        return self._heads.kept(run_id)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with translated():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:  # a full disk has rolled back already
                    self._connection.execute("ROLLBACK")
                raise

    def _place(self, run_id: RunId) -> int:
        row = self._connection.execute("SELECT place FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        if row is None:
            raise _not_found()
        return int(row[0])

    def _place_and_head(self, run_id: RunId) -> tuple[int | None, Head]:
        query = (
            "SELECT place, sequence, hash FROM runs JOIN events ON run = place "
            "WHERE run_id = ? ORDER BY sequence DESC LIMIT 1"
        )
        row = self._connection.execute(query, (run_id,)).fetchone()
        if row is None:
            return None, Head()
        place, sequence, hash_ = row
        assert isinstance(place, int) and isinstance(sequence, int) and isinstance(hash_, bytes), "STRICT tables"
        return place, Head(sequence, hash_)

    def _head_at(self, place: int, sequence: int) -> Head | None:
        """The head after the event `sequence`; None when that event is not there."""
        if sequence == 0:
            return Head()
        query = "SELECT hash FROM events WHERE run = ? AND sequence = ?"
        hash_: bytes | None = self._connection.execute(query, (place, sequence)).get
        return None if hash_ is None else Head(sequence, hash_)

    def _put_binding(self, place: int, binding: Binding) -> None:
        self._connection.execute(
            "INSERT INTO bindings VALUES (?, ?, ?, ?, ?)",
            (place, binding.workspace, binding.workspace_identity, binding.provider, binding.api),
        )


def _require_fit(part: Append, head: Head, *, known: bool) -> None:
    """Raise unless `part` continues the run at `head` and fits itself. What an event says is not looked at here."""
    if head.sequence != part.expected_sequence:
        message = f"The run has {head.sequence} events, not {part.expected_sequence}: someone else appended."
        raise SequenceConflict(failure(ErrorCode.STORE_CONFLICT, message))
    if not part.events or (part.binding is not None) == known or part.rows.run.run_id != part.run_id:
        corrupt("The append has no events, a binding out of place, or rows of another run.")
    for record in part.events:
        if record.run_id != part.run_id or chained(record.prev_hash, record.body) != record.hash:
            corrupt(f"Event {record.sequence} of the append does not fit its run or its hash.")
        head = head.after(record)


def _place_of(cursor: str | None) -> int:
    if cursor is None:
        return PLACE_MAX
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) <= len(str(PLACE_MAX))):
        raise StoreError(failure(ErrorCode.CURSOR_INVALID, "The cursor is not one that the list gave."))
    return int(cursor)


def _not_found() -> RunNotFound:
    return RunNotFound(failure(ErrorCode.RUN_NOT_FOUND, "No run of that id is stored."))
