"""The Journal: the only writer of a run's log.

`record` decides, folds and keeps the events; `commit` appends all that waits in one transaction. Whoever is about to
touch the world, to wait for someone, to print or to end commits first (R1).
"""

from collections.abc import Iterable, Sequence

from bearagent_domain.commands import Command
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.events import RunCreated
from bearagent_domain.ids import RunId
from bearagent_domain.profiles import PREVIEW_BYTES_MAX
from bearagent_domain.records import Head, RecordedEvent, corrupt, seal
from bearagent_domain.rows import Binding
from bearagent_domain.runs import RunState
from bearagent_ports import Append, Clock, EventListener, EventStore, StoreError
from bearagent_reducer import NEW_RUN, RowProjection, Transcript, decide, evolved_record
from bearagent_runtime.foreign_code import foreign_code


class Journal:
    """State, transcript and pending events of one run. After a failed commit it refuses everything."""

    def __init__(self, store: EventStore, clock: Clock, created: RunCreated) -> None:
        self._store = store
        self._clock = clock
        self._rows = RowProjection()
        self._pending: list[RecordedEvent] = []
        self._stored = 0
        self._binding: Binding | None = None
        self._listeners: tuple[EventListener, ...] = ()
        self._broken = False
        self.run_id: RunId = created.identity.run_id
        self.created = created
        self.state: RunState = NEW_RUN
        self.head = Head()
        self.transcript = Transcript(preview_bytes_max(created.snapshot.context_chars_max))

    @classmethod
    def of_new_run(cls, store: EventStore, clock: Clock, created: RunCreated, binding: Binding) -> "Journal":
        """The Journal of a run that is not stored yet; `binding` goes with the first commit."""
        journal = cls(store, clock, created)
        journal._binding = binding
        return journal

    @classmethod
    def of_records(cls, store: EventStore, clock: Clock, records: Iterable[RecordedEvent]) -> "Journal":
        """The Journal of a stored run, after all its records. Raises `RecordCorrupt` for a log that can't be folded."""
        journal: Journal | None = None
        for record in records:
            if journal is None:
                if not isinstance(record.event, RunCreated):
                    corrupt("The log does not begin with run.created.")
                journal = cls(store, clock, record.event)
            journal._take(record, evolved_record(journal.state, record))
        if journal is None:
            corrupt("The log is empty.")
        journal._rows.take()
        journal._stored = journal.head.sequence
        return journal

    def tell(self, listeners: Sequence[EventListener]) -> None:
        """Have `listeners` told of every commit from now on."""
        self._listeners = tuple(listeners)

    def record(self, command: Command) -> RunState:
        """Make the events of `command` true for this process; they wait for `commit`. Gives the new state.

        Raises `IllegalTransition` or `JsonRefused`, and then nothing has changed.
        """
        self._require_whole()
        head, sealed = self.head, []
        for step in decide(self.state, command):
            record = seal(self.run_id, head, self._clock.now(), step.activity_id, step.event)
            head = Head(record.sequence, record.hash)
            sealed.append((record, step.after))
        for record, after in sealed:
            self._take(record, after)
            self._pending.append(record)
        return self.state

    def commit(self) -> None:
        """Store all that waits in one transaction, then tell the listeners. Raises `StoreError`; never tries again."""
        self._require_whole()
        if not self._pending:
            return
        events = tuple(self._pending)
        part = Append(
            run_id=self.run_id,
            expected_sequence=self._stored,
            events=events,
            rows=self._rows.take(),
            binding=self._binding,
        )
        self._broken = True  # until the store says that it has it
        try:
            self._store.append((part,))
        except BearAgentError:
            raise
        except Exception as error:  # foreign code: its words may hold anything
            message = "The store failed in a way of its own. Whether it has the last events, reading it tells."
            raise StoreError(failure(ErrorCode.STORE_FAILED, message)) from error
        self._broken = False
        self._pending.clear()
        self._stored = events[-1].sequence
        self._binding = None
        for listener in self._listeners:
            _told(listener, events, self.state)

    def _take(self, record: RecordedEvent, after: RunState) -> None:
        self.head = self.head.after(record)
        self.transcript.add(record.sequence, self.state, record.event)
        self.state = after
        self._rows.add(record, after)

    def _require_whole(self) -> None:
        if self._broken:
            message = "An earlier commit of this run failed; nothing more is recorded in this process."
            raise StoreError(failure(ErrorCode.STORE_FAILED, message))


def preview_bytes_max(context_chars_max: int) -> int:
    """How much of one tool result a model is shown: 64 KiB, or a quarter of a smaller context."""
    return min(PREVIEW_BYTES_MAX, context_chars_max // 4)


def _told(listener: EventListener, events: Sequence[RecordedEvent], state: RunState) -> None:
    try:
        with foreign_code():
            listener.committed(events, state)
    except Exception:  # foreign code: an observer never stops a run
        return
