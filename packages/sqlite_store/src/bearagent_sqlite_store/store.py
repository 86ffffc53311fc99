"""SqliteEventStore: the event store port on one SQLite file, one method after the other."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import apsw
import msgspec

from bearagent_domain.documents import as_stored
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.records import Head, RecordCorrupt, RecordedEvent, corrupt, opened
from bearagent_domain.rows import Binding, Rows, RunRow
from bearagent_ports import Append, RunNotFound, RunRowPage, StoreError, head_after
from bearagent_sqlite_store.connections import connect_existing, connect_or_create, transaction
from bearagent_sqlite_store.errors import store_error, translated_errors
from bearagent_sqlite_store.folders import beside
from bearagent_sqlite_store.heads import KeptHeads
from bearagent_sqlite_store.row_tables import ACTIVITIES, ARTIFACTS, RUNS, damaged_row

_CURSOR = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)
_BOUND = Binding.__struct_fields__
_RUN_ID = "ifnull(CAST(run_id AS BLOB), x'')"  # whatever damage made of it: it must hide no other run


class SqliteEventStore:
    """One connection to one file. Not for use by several threads at once; several processes may share the file."""

    def __init__(self, db: apsw.Connection, heads: KeptHeads) -> None:
        self._db = db
        self._heads = heads

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """The store in `path`. A missing file is made with mode 0600, a missing folder with 0700.

        Raises `StoreError`: `store_not_a_database`, `store_schema_unknown`, `store_schema_altered`, `store_corrupt`,
        `store_read_only`, `store_full`, `store_busy` after 5 s, and `store_failed` for the rest.
        """
        return cls(connect_or_create(Path(path)), KeptHeads(beside(Path(path), ".heads")))

    @classmethod
    def open_existing(cls, path: str | os.PathLike[str]) -> Self:
        """The store in `path`, which is never made: `store_missing` when there is none, else as `open`."""
        return cls(connect_existing(Path(path)), KeptHeads(beside(Path(path), ".heads")))

    def append(self, parts: Sequence[Append]) -> None:
        """Check and store all parts in one transaction, on disk when this returns (`synchronous=FULL`)."""
        with translated_errors(), transaction(self._db):
            for part in parts:
                self._append(part)

    def read(self, run_id: RunId, *, after: int = 0, limit: int = 1_000) -> tuple[RecordedEvent, ...]:
        """The records of the page, opened and checked, each against the row before it."""
        with translated_errors():
            run_number = self._number_of(run_id)
            sealed: list[tuple[Any, ...]] = self._db.execute(
                "SELECT sequence, hash, body FROM events "
                "WHERE run_number = ? AND sequence >= ? ORDER BY sequence LIMIT ?",
                (run_number, after, limit + (after > 0)),
            ).fetchall()
            return _checked_page(run_id, after, sealed)

    def run(self, run_id: RunId) -> RunRow:
        """The projection row of one run."""
        with translated_errors():
            return self._run_row(self._number_of(run_id))

    def rows(self, run_id: RunId) -> Rows:
        """All rows of one run, as they were at one moment."""
        with translated_errors(), self._db:
            run_number = self._number_of(run_id)
            run = self._run_row(run_number)
            activities = ACTIVITIES.select(self._db, "WHERE run_number = ? ORDER BY requested_sequence", run_number)
            artifacts = ARTIFACTS.select(self._db, "WHERE run_number = ? ORDER BY sequence", run_number)
        return Rows(run=run, activities=activities, artifacts=artifacts)

    def binding(self, run_id: RunId) -> Binding:
        """The binding given with the first events."""
        with translated_errors():
            found = self._db.execute(
                f"SELECT {', '.join(_BOUND)} FROM bindings WHERE run_number = ?", (self._number_of(run_id),)
            ).fetchall()
        fields = dict(zip(_BOUND, found[0], strict=True)) if found else {}  # an index may know of a row that is lost
        try:
            return msgspec.convert(fields, Binding)
        except msgspec.ValidationError as error:
            raise store_error(ErrorCode.STORE_CORRUPT) from error

    def runs(self, *, cursor: str | None = None, limit: int = 50) -> RunRowPage:
        """Rows newest first; the cursor is the number of the last run on the page."""
        before = "" if cursor is None else f"WHERE run_number < {_run_number_in(cursor)}"
        with translated_errors():
            found: list[tuple[Any, ...]] = self._db.execute(
                f"SELECT run_number, {_RUN_ID} FROM bindings {before} ORDER BY run_number DESC LIMIT ?", (limit + 1,)
            ).fetchall()
            rows = [(_run_id(stored), self._row_if_whole(run_number)) for run_number, stored in found[:limit]]
        return RunRowPage(
            runs=tuple(row for _, row in rows if row is not None),
            next_cursor=str(found[limit - 1][0]) if len(found) > limit else None,
            damaged=tuple(run_id for run_id, row in rows if row is None),
        )

    def matching(self, prefix: str, *, limit: int = 10) -> tuple[RunId, ...]:
        """Ids that begin with `prefix`, newest first."""
        if not prefix.isascii():
            return ()  # also what has no UTF-8 form and could not be asked for
        with translated_errors():
            found = self._db.execute(
                f"SELECT {_RUN_ID} FROM bindings WHERE substr({_RUN_ID}, 1, ?1) = ?2 ORDER BY run_number DESC LIMIT ?3",
                (len(prefix), prefix.encode(), limit),
            )
            return tuple(_run_id(stored) for (stored,) in found)

    def replace_rows(self, run_id: RunId, rows: Rows) -> None:
        """Delete the rows of this run and store `rows`."""
        with translated_errors(), transaction(self._db):
            run_number = self._number_of(run_id)
            for table in (RUNS, ACTIVITIES, ARTIFACTS):
                table.delete(self._db, run_number)
            self._put_rows(run_number, rows)

    def keep_head(self, run_id: RunId, head: Head) -> bool:
        """Keep the head in a file of its own, beside the database."""
        return self._heads.keep(run_id, head)

    def kept_head(self, run_id: RunId) -> Head | None:
        """The head kept last."""
        return self._heads.kept(run_id)

    def close(self) -> None:
        """Close the connection. The last one to close folds the write-ahead log into the file."""
        with translated_errors():
            self._db.close()

    def _append(self, part: Append) -> None:
        run_number, head = self._head_of(part.run_id)
        head_after(part, head)
        if part.binding is not None:
            run_number = self._bound(part.run_id, part.binding)
        self._db.executemany(
            "INSERT INTO events (run_number, sequence, hash, body) VALUES (?, ?, ?, ?)",
            [(run_number, record.sequence, record.hash, record.body) for record in part.events],
        )
        self._put_rows(run_number, part.rows)

    def _head_of(self, run_id: RunId) -> tuple[int, Head]:
        """Number and head of a run; number 0 and the empty head when there is none."""
        found = self._db.execute(
            "SELECT run_number, sequence, hash FROM bindings JOIN events USING (run_number) "
            "WHERE run_id = ? ORDER BY sequence DESC LIMIT 1",
            (run_id,),
        ).get
        if found is None:
            return 0, Head()
        run_number, sequence, hash_ = found
        return run_number, Head(sequence, hash_)

    def _bound(self, run_id: RunId, binding: Binding) -> int:
        stored = as_stored(binding, Binding)
        self._db.execute(
            "INSERT INTO bindings (run_id, workspace, workspace_identity, provider, api) VALUES (?, ?, ?, ?, ?)",
            (run_id, *msgspec.structs.astuple(stored)),
        )
        return self._db.last_insert_rowid()

    def _put_rows(self, run_number: int, rows: Rows) -> None:
        RUNS.put(self._db, run_number, rows.run)
        ACTIVITIES.put(self._db, run_number, *rows.activities)
        ARTIFACTS.put(self._db, run_number, *rows.artifacts)

    def _run_row(self, run_number: int) -> RunRow:
        found = RUNS.select(self._db, "WHERE run_number = ?", run_number)
        if not found:
            raise damaged_row()
        return found[0]

    def _row_if_whole(self, run_number: int) -> RunRow | None:
        try:
            with translated_errors():
                return self._run_row(run_number)
        except StoreError as error:
            if error.info.code is ErrorCode.STORE_CORRUPT:
                return None
            raise

    def _number_of(self, run_id: RunId) -> int:
        run_number = self._db.execute("SELECT run_number FROM bindings WHERE run_id = ?", (run_id,)).get
        if run_number is None:
            raise RunNotFound(failure(ErrorCode.RUN_NOT_FOUND, "No run of that id is stored."))
        return int(run_number)


def _checked_page(run_id: RunId, after: int, sealed: list[tuple[Any, ...]]) -> tuple[RecordedEvent, ...]:
    """`sealed` begins with the row at `after`, whose hash the first record continues; with the first row after 0."""
    for sequence, hash_, body in sealed:
        if not (isinstance(hash_, bytes) and isinstance(body, bytes)):  # damage can change the type of a value, too
            corrupt(f"Event {sequence} is damaged.")
    head = Head()
    if after > 0 and sealed:
        sequence, hash_, _ = sealed.pop(0)
        if sequence != after:
            corrupt(f"Event {after} is missing.")
        head = Head(sequence, hash_)
    elif not sealed and after == 0:
        corrupt("All events of this run are missing.")
    page = []
    for sequence, hash_, body in sealed:
        record = _opened(sequence, body, head.hash, hash_)
        if (record.run_id, record.sequence) != (run_id, sequence):
            corrupt(f"Event {sequence} stands in the wrong place.")
        head = head.after(record)
        page.append(record)
    return tuple(page)


def _opened(sequence: int, body: bytes, prev_hash: bytes, hash_: bytes) -> RecordedEvent:
    try:
        return opened(body, prev_hash, hash_)
    except RecordCorrupt as error:
        raise RecordCorrupt(
            failure(ErrorCode.RECORD_CORRUPT, f"Event {sequence} is damaged. {error.info.message}", sequence=sequence)
        ) from error


def _run_id(stored: bytes) -> RunId:
    return RunId(stored.decode("utf-8", "replace"))


def _run_number_in(cursor: str) -> int:
    if not _CURSOR.fullmatch(cursor):
        raise store_error(ErrorCode.CURSOR_INVALID)
    return int(cursor)
