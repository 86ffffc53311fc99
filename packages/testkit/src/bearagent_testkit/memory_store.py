"""The event store kept in memory: the port's contract without a disk, for tests and throw-away runs."""

from collections.abc import Sequence

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import ActivityId, RunId
from bearagent_domain.records import Head, RecordedEvent, corrupt, opened
from bearagent_domain.rows import ActivityRow, ArtifactRow, Binding, Rows, RunRow
from bearagent_ports import Append, RunNotFound, RunRowPage, StoreError, head_after


class _StoredRun:
    def __init__(self, binding: Binding) -> None:
        self.binding = binding
        self.head = Head()
        self.sealed: list[tuple[bytes, bytes, bytes]] = []  # body, hash before, hash
        self.run_row: RunRow | None = None
        self.activity_rows: dict[ActivityId, ActivityRow] = {}
        self.artifact_rows: list[ArtifactRow] = []
        self.kept_head: Head | None = None

    def put_rows(self, rows: Rows) -> None:
        self.run_row = rows.run
        self.activity_rows.update({row.activity_id: row for row in rows.activities})
        self.artifact_rows.extend(rows.artifacts)

    @property
    def rows(self) -> Rows:
        assert self.run_row is not None, "a stored run has its row"
        activities = sorted(self.activity_rows.values(), key=lambda row: row.requested_sequence)
        artifacts = sorted(self.artifact_rows, key=lambda row: row.sequence)
        return Rows(run=self.run_row, activities=tuple(activities), artifacts=tuple(artifacts))


class MemoryEventStore:
    """Keeps sealed bytes and opens them on each read, as a store on disk does. Not for use by several threads."""

    def __init__(self) -> None:
        self._runs: dict[RunId, _StoredRun] = {}

    def append(self, parts: Sequence[Append]) -> None:
        """Check all parts, then keep all of them."""
        heads = [self._head_after(part) for part in parts]
        for part, head in zip(parts, heads, strict=True):
            if part.binding is not None:
                self._runs[part.run_id] = _StoredRun(part.binding)
            run = self._runs[part.run_id]
            run.sealed.extend((record.body, record.prev_hash, record.hash) for record in part.events)
            run.head = head
            run.put_rows(part.rows)

    def read(self, run_id: RunId, *, after: int = 0, limit: int = 1_000) -> tuple[RecordedEvent, ...]:
        """The records of the page, opened and checked."""
        sealed = self._run(run_id).sealed
        page = tuple(opened(body, prev_hash, hash_) for body, prev_hash, hash_ in sealed[after : after + limit])
        head = Head(after, sealed[after - 1][2]) if 0 < after <= len(sealed) else Head()
        for record in page:
            head = head.after(record)
        return page

    def run(self, run_id: RunId) -> RunRow:
        """The row of one run."""
        return self._run(run_id).rows.run

    def rows(self, run_id: RunId) -> Rows:
        """All rows of one run."""
        return self._run(run_id).rows

    def binding(self, run_id: RunId) -> Binding:
        """The binding given with the first events."""
        return self._run(run_id).binding

    def runs(self, *, cursor: str | None = None, limit: int = 50) -> RunRowPage:
        """Rows newest first; the cursor is the count of those before the page's end."""
        end = len(self._runs) if cursor is None else _place_of(cursor)
        rows = [run.rows.run for run in self._runs.values()][max(0, end - limit) : end]
        more = end - limit > 0
        return RunRowPage(runs=tuple(reversed(rows)), next_cursor=str(end - limit) if more else None)

    def matching(self, prefix: str, *, limit: int = 10) -> tuple[RunId, ...]:
        """Ids that begin with `prefix`, newest first."""
        return tuple(run_id for run_id in reversed(self._runs) if run_id.startswith(prefix))[:limit]

    def replace_rows(self, run_id: RunId, rows: Rows) -> None:
        """Forget the rows of this run and keep `rows`."""
        run = self._run(run_id)
        run.activity_rows, run.artifact_rows = {}, []
        run.put_rows(rows)

    def keep_head(self, run_id: RunId, head: Head) -> bool:
        """Keep the head beside the log."""
        self._run(run_id).kept_head = head
        return True

    def kept_head(self, run_id: RunId) -> Head | None:
        """The head kept last."""
        run = self._runs.get(run_id)
        return None if run is None else run.kept_head

    def close(self) -> None:
        """Forget everything."""
        self._runs.clear()

    def _run(self, run_id: RunId) -> _StoredRun:
        run = self._runs.get(run_id)
        if run is None:
            raise RunNotFound(failure(ErrorCode.RUN_NOT_FOUND, "No run of that id is stored."))
        return run

    def _head_after(self, part: Append) -> Head:
        """The head after `part`, which is checked; decoding it as well, a test hears at once of a wrong seal."""
        run = self._runs.get(part.run_id)
        head = head_after(part, Head() if run is None else run.head)
        for record in part.events:
            if opened(record.body, record.prev_hash, record.hash) != record:
                corrupt("An event of the append does not fit its bytes.")
        return head


def _place_of(cursor: str) -> int:
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise StoreError(failure(ErrorCode.CURSOR_INVALID, "The cursor is not one that this store gave."))
    return int(cursor)
