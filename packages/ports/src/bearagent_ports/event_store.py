"""The port of event stores: the one truth, appended to and read back (R4)."""

from collections.abc import Sequence
from typing import Protocol

from bearagent_domain.documents import Rec
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.records import Head, RecordedEvent, chained, corrupt
from bearagent_domain.rows import Binding, Rows, RunRow


class StoreError(BearAgentError):
    """The store could not do it, and stored nothing of it."""


class SequenceConflict(StoreError):
    """Someone else appended to this run. Nothing of the append is stored."""


class RunNotFound(StoreError):
    """No run of that id is stored."""


class Append(Rec, frozen=True, kw_only=True):
    """What one run gets in one transaction: events after `expected_sequence`, and the rows after them.

    `binding` comes with the first events of a run and never again.
    """

    run_id: RunId
    expected_sequence: int
    events: tuple[RecordedEvent, ...]
    rows: Rows
    binding: Binding | None = None


def head_after(part: Append, head: Head) -> Head:
    """The head of a run at `head` once `part` is stored: the check that every store makes before it stores anything.

    Bodies are hashed, not decoded: reading does that. Raises `SequenceConflict` when the run is elsewhere, and
    `RecordCorrupt` when the part does not fit itself or the run.
    """
    if head.sequence != part.expected_sequence:
        message = f"The run has {head.sequence} events, not {part.expected_sequence}: someone else appended."
        raise SequenceConflict(failure(ErrorCode.STORE_CONFLICT, message))
    if not part.events or (part.binding is None) == (head.sequence == 0) or part.rows.run.run_id != part.run_id:
        corrupt("The append has no events, a binding out of place, or rows of another run.")
    for record in part.events:
        head = head.after(record)
        if record.run_id != part.run_id or chained(record.prev_hash, record.body) != record.hash:
            corrupt(f"Event {record.sequence} of the append does not fit its bytes.")
    return head


class RunRowPage(Rec, frozen=True, kw_only=True):
    """Some run rows, newest (last inserted) first, and the cursor for those behind them.

    `damaged` are the runs between them whose row is lost or can't be read: their events may well be whole.
    """

    runs: tuple[RunRow, ...]
    next_cursor: str | None
    damaged: tuple[RunId, ...] = ()


class EventStore(Protocol):
    """Synchronous. Contract suite: `bearagent_testkit.contracts.EventStoreContract`."""

    def append(self, parts: Sequence[Append]) -> None:
        """Store all parts in one durable transaction, or nothing.

        Checks that each part continues its run: expected sequence, no gap, chain. Raises `SequenceConflict` when the
        run is elsewhere, `RecordCorrupt` when the part does not fit itself, `StoreError` for the rest.
        """

    def read(self, run_id: RunId, *, after: int = 0, limit: int = 1_000) -> tuple[RecordedEvent, ...]:
        """At most `limit` records after sequence `after`, in order, each page checked: first sequence, no gap, chain.

        Empty behind the end. Raises `RunNotFound`, `RecordCorrupt`, `StoreError`.
        """

    def run(self, run_id: RunId) -> RunRow:
        """The projection row of one run. Raises `RunNotFound`."""

    def rows(self, run_id: RunId) -> Rows:
        """All stored rows of one run, activities by requested sequence, artifacts by sequence. Raises `RunNotFound`."""

    def binding(self, run_id: RunId) -> Binding:
        """What driving the run again needs. Raises `RunNotFound`."""

    def runs(self, *, cursor: str | None = None, limit: int = 50) -> RunRowPage:
        """Run rows, newest first by insertion; a damaged row hides no other.

        An unusable cursor raises `StoreError` with `cursor_invalid`.
        """

    def matching(self, prefix: str, *, limit: int = 10) -> tuple[RunId, ...]:
        """Ids of at most `limit` runs that begin with `prefix`, newest first; the prefix is text, never a pattern."""

    def replace_rows(self, run_id: RunId, rows: Rows) -> None:
        """Put freshly computed rows in the place of all stored ones of this run, in one transaction."""

    def keep_head(self, run_id: RunId, head: Head) -> bool:
        """Keep the head outside the log as well; False when that could not be done, which is a warning only."""

    def kept_head(self, run_id: RunId) -> Head | None:
        """The head kept last outside the log, or None when there is none that can be read."""

    def close(self) -> None:
        """Release everything. Nothing may be called after."""
