"""QueryService: what readers ask. Runs and events are told from verified records; only the list reads rows (R4)."""

from typing import NoReturn

import msgspec

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import INTEGER_MAX, RunId, is_canonical_id
from bearagent_domain.json_values import JsonObject
from bearagent_domain.records import Head, RecordedEvent
from bearagent_domain.runs import RunStatus
from bearagent_domain.views import EventPage, EventView, RunInspection, RunLine, RunPage, Verification
from bearagent_ports import EventStore, RunLease, RunNotFound
from bearagent_reducer import Inspection
from bearagent_runtime.stored_logs import stored_records
from bearagent_runtime.verification import sought_head, verified

PREFIX_CHARS_MIN = 4
MATCHES_SHOWN_MAX = 5
LATEST = "latest"


class _Stored(msgspec.Struct, frozen=True):
    type: str
    version: int
    payload: JsonObject


class QueryService:
    """Reads one store. Without a lease nobody can say whether a run is driven: `driven` is null then."""

    def __init__(self, store: EventStore, lease: RunLease | None = None) -> None:
        self._store = store
        self._lease = lease

    def inspect(self, run_id: RunId) -> RunInspection:
        """A run whole. Raises `RunNotFound`, `RecordCorrupt`, `StoreError`."""
        kept = self._store.kept_head(run_id)
        inspection = Inspection()
        for record in stored_records(self._store, run_id):
            inspection.add(record)
            _require_contained(kept, record)
        _require_reached(kept, inspection.head.sequence)
        return inspection.view(driven=self._driven(run_id, inspection.state.status), kept=kept)

    def events(self, run_id: RunId, *, after: int = 0, limit: int = 100) -> EventPage:
        """At most `limit` events after sequence `after`, as stored. A lost end is refused where it is reached.

        Raises `BearAgentError` with `usage` for a page that there can't be.
        """
        _require_page(limit, after)
        kept = self._store.kept_head(run_id)
        found = self._store.read(run_id, after=after, limit=limit + 1)
        shown = found[:limit]
        has_more = len(found) > limit
        for record in shown:
            _require_contained(kept, record)
        if not has_more:
            _require_reached(kept, after + len(shown))
        return EventPage(
            run_id=run_id,
            events=tuple(_event_view(record) for record in shown),
            next_after_sequence=shown[-1].sequence if has_more and shown else None,
            has_more=has_more,
        )

    def verify(self, run_id: RunId, head: str | None = None) -> Verification:
        """Whether the record of a run holds, and contains `head`: `SEQUENCE:HASH` or a hash, as someone noted it down.

        Raises `RunNotFound`, `StoreError`, and `BearAgentError` with `usage` for a head that is none.
        """
        return verified(self._store, run_id, None if head is None else sought_head(head))

    def runs(self, *, cursor: str | None = None, limit: int = 20) -> RunPage:
        """Runs newest first, from their rows. Raises `BearAgentError` with `usage` for a page that there can't be."""
        _require_page(limit)
        page = self._store.runs(cursor=cursor, limit=limit)
        lines = tuple(RunLine(run=row, driven=self._driven(row.run_id, row.status)) for row in page.runs)
        return RunPage(runs=lines, next_cursor=page.next_cursor, damaged=page.damaged)

    def resolve(self, name: str) -> RunId:
        """The run that `name` means: an id, a prefix of at least 4 characters that fits one run, or `latest`.

        Raises `BearAgentError` with `run_not_found` or `run_ambiguous`, which lists some of the runs that fit.
        """
        if name == LATEST:
            newest = self._store.matching("", limit=1)  # not from the rows: a changed one must change no answer
            if not newest:
                raise RunNotFound(
                    failure(ErrorCode.RUN_NOT_FOUND, "There is no run yet. Start one with `bearagent run`.")
                )
            return newest[0]
        prefix = name.lower()
        if len(prefix) < PREFIX_CHARS_MIN and not is_canonical_id(prefix):
            message = f"A run is named by its id, at least {PREFIX_CHARS_MIN} characters of it, or `latest`."
            raise RunNotFound(failure(ErrorCode.RUN_NOT_FOUND, message))
        matches = self._store.matching(prefix, limit=MATCHES_SHOWN_MAX)
        if not matches:
            self._require_never_kept(prefix)
            message = "No run fits that name. `bearagent list` shows the runs there are."
            raise RunNotFound(failure(ErrorCode.RUN_NOT_FOUND, message))
        if len(matches) > 1:
            message = f"Several runs fit: {', '.join(matches)}. Give more characters."
            raise BearAgentError(failure(ErrorCode.RUN_AMBIGUOUS, message))
        return matches[0]

    def _require_never_kept(self, name: str) -> None:
        """A head that was kept of a run tells that the record did hold it."""
        if is_canonical_id(name) and self._store.kept_head(RunId(name)) is not None:
            message = "The record held this run and does not any more: its end is lost, or an older copy stands here."
            raise BearAgentError(failure(ErrorCode.RECORD_TRUNCATED, message))

    def _driven(self, run_id: RunId, status: RunStatus) -> bool | None:
        """Whether a process drives the run now; null for a run at rest, and where there is no lease to ask."""
        if self._lease is None or not status.needs_driver:
            return None
        return self._lease.is_held(run_id)


def _require_page(limit: int, after: int = 0) -> None:
    if not (0 <= after <= INTEGER_MAX and 1 <= limit < INTEGER_MAX):
        raise BearAgentError(failure(ErrorCode.USAGE, "A page begins at 0 or later and has room for one or more."))


def _require_contained(kept: Head | None, record: RecordedEvent) -> None:
    if kept is not None and kept.sequence == record.sequence and kept.hash != record.hash:
        _truncated(kept)


def _require_reached(kept: Head | None, end: int) -> None:
    if kept is not None and kept.sequence > end:
        _truncated(kept)


def _truncated(kept: Head) -> NoReturn:
    message = "The log is not the one whose head was kept: its end is lost or changed."
    raise BearAgentError(failure(ErrorCode.RECORD_TRUNCATED, message, kept_sequence=kept.sequence))


def _event_view(record: RecordedEvent) -> EventView:
    stored = msgspec.json.decode(record.body, type=_Stored)
    return EventView(
        sequence=record.sequence,
        type=stored.type,
        version=stored.version,
        recorded_at=record.recorded_at,
        activity_id=record.activity_id,
        payload=stored.payload,
        prev_hash=record.prev_hash.hex(),
        hash=record.hash.hex(),
    )
