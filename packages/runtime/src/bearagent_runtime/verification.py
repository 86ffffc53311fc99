"""Whether the record of one run holds: its chain, its fold, its rows, and heads that were kept outside of it (R4).

Reads only, and repairs nothing. docs/guarantees.md tells what each check can notice.
"""

import re
from collections.abc import Iterable
from contextlib import suppress

import msgspec

from bearagent_domain.errors import BearAgentError, ErrorCode, ErrorInfo, failure
from bearagent_domain.ids import RunId
from bearagent_domain.records import Head, RecordCorrupt, RecordedEvent
from bearagent_domain.rows import Rows
from bearagent_domain.views import CheckOutcome, Verification, VerificationCheck
from bearagent_ports import EventStore, StoreError
from bearagent_reducer import Inspection, RowProjection
from bearagent_runtime.stored_logs import PAGE_EVENTS, stored_records

_SOUGHT = re.compile(r"(?:([1-9][0-9]{0,15}):)?([0-9a-f]{64})", re.ASCII)


class SoughtHead(msgspec.Struct, frozen=True):
    """An event that the log must hold: its hash, and its sequence where that is known."""

    hash: bytes
    sequence: int | None = None


def sought_head(text: str) -> SoughtHead:
    """The head that someone noted down: `SEQUENCE:HASH` as `run` prints it, or the hash alone.

    Raises `BearAgentError` with `usage`.
    """
    match = _SOUGHT.fullmatch(text.strip().lower())
    if match is None:
        message = "A head is SEQUENCE:HASH, as `bearagent run` prints it, or the hash alone: 64 hexadecimal digits."
        raise BearAgentError(failure(ErrorCode.USAGE, message))
    return SoughtHead(bytes.fromhex(match[2]), None if match[1] is None else int(match[1]))


def verified(store: EventStore, run_id: RunId, given: SoughtHead | None = None) -> Verification:
    """What holds of the record of a run, and what does not. A run that is being driven may grow meanwhile.

    `given` is a head from outside, for example from what `run` printed. Raises `RunNotFound`, `BearAgentError` with
    `schema_version_unknown`, and `StoreError` when the store can't be read for another reason than damage.
    """
    found = store.kept_head(run_id)  # before the log, which only grows
    kept = None if found is None else SoughtHead(found.hash, found.sequence)
    log = _Log(store, run_id, (head.hash for head in (kept, given) if head is not None))
    log.read_on()
    rows = _rows_check(store, run_id, log)  # may read on
    checks = [
        _check("chain", log.chain_error, "Each event is the one that was sealed, and none is missing between them."),
        _check("fold", log.fold_error, "Each event may follow those before it."),
        rows,
    ]
    if kept is None:
        hint = "No head is kept outside the log, so a lost end goes unnoticed. Give one with --head."
        checks.append(_not_checked("kept_head", hint))
    else:
        checks.append(_head_check("kept_head", kept, log))
    if given is not None:
        checks.append(_head_check("given_head", given, log))
    return Verification(
        run_id=run_id,
        ok=all(check.outcome is not CheckOutcome.FAILED for check in checks),
        last_sequence=log.head.sequence,
        head_hash=log.head.hash.hex(),
        checks=tuple(checks),
    )


class _Log:
    """The log as far as its chain holds, folded as far as its events follow from each other."""

    def __init__(self, store: EventStore, run_id: RunId, sought: Iterable[bytes]) -> None:
        self.head = Head()
        self.places: dict[bytes, int] = {}  # of the hashes that are sought
        self.rows = RowProjection()
        self.chain_error: ErrorInfo | None = None
        self.fold_error: ErrorInfo | None = None
        self._store = store
        self._run_id = run_id
        self._sought = frozenset(sought)
        self._folded = Inspection()

    @property
    def holds(self) -> bool:
        """Whether nothing was wrong with what was read so far."""
        return self.chain_error is None and self.fold_error is None

    def read_on(self, until: int | None = None) -> None:
        """Take in the records that follow, to the end or to sequence `until`, but none behind one that is wrong."""
        try:
            self._read_pages_on(until, PAGE_EVENTS)
        except (RecordCorrupt, StoreError) as error:
            self.chain_error = _damage(error)
            with suppress(RecordCorrupt, StoreError):  # of the page with the damage, take what still holds
                self._read_pages_on(until, 1)

    def _read_pages_on(self, until: int | None, page_events: int) -> None:
        records = stored_records(self._store, self._run_id, after=self.head.sequence, page_events=page_events)
        for record in records:
            self._add(record)
            if record.sequence == until:
                return

    def _add(self, record: RecordedEvent) -> None:
        self.head = self.head.after(record)
        if record.hash in self._sought:
            self.places[record.hash] = record.sequence
        if self.fold_error is None:
            try:
                self._folded.add(record)
            except RecordCorrupt as error:
                self.fold_error = error.info
            else:
                self.rows.add(record, self._folded.state)


def _rows_check(store: EventStore, run_id: RunId, log: _Log) -> VerificationCheck:
    """The rows are read after the log, so they are as new as it is, or newer while someone drives the run."""
    try:
        stored = store.rows(run_id)
    except StoreError as error:
        return _check("rows", _damage(error))
    if log.holds and stored.run.last_sequence > log.head.sequence:
        log.read_on(until=stored.run.last_sequence)
    if not log.holds:
        return _not_checked("rows", "What they should say follows from the log, which does not hold.")
    expected = log.rows.take()
    wrong = [name for name in Rows.__struct_fields__ if getattr(stored, name) != getattr(expected, name)]
    if wrong:
        message = f"These rows do not say what the events say: {', '.join(wrong)}. The events are not touched by that."
        return _check("rows", failure(ErrorCode.STORE_CORRUPT, message))
    return _check("rows", None, "The rows that `bearagent list` shows say what the events say.")


def _head_check(name: str, sought: SoughtHead, log: _Log) -> VerificationCheck:
    """A log that is longer than the head is right as long as it contains it."""
    place = log.places.get(sought.hash)
    if place is not None and sought.sequence in (None, place):
        return _check(name, None, f"Event {place} is the one of that head.")
    if log.chain_error is not None:
        return _not_checked(name, f"The log holds to event {log.head.sequence} only, and the head lies behind it.")
    if sought.sequence is None:
        message = "No event has that hash: the end of the log is lost, or the log is another."
    elif sought.sequence > log.head.sequence:
        message = (
            f"The log ends with event {log.head.sequence}, before the head at event {sought.sequence}: its end is lost."
        )
    else:
        message = f"Event {sought.sequence} is not the one of that head: the log was changed."
    return _check(name, failure(ErrorCode.RECORD_TRUNCATED, message))


def _damage(error: RecordCorrupt | StoreError) -> ErrorInfo:
    """What is damaged; a failure that says nothing about the record is raised again."""
    if error.info.code in (ErrorCode.RECORD_CORRUPT, ErrorCode.STORE_CORRUPT):
        return error.info
    raise error


def _check(name: str, error: ErrorInfo | None, holds: str = "") -> VerificationCheck:
    if error is None:
        return VerificationCheck(name=name, outcome=CheckOutcome.HOLDS, code=None, detail=holds)
    return VerificationCheck(name=name, outcome=CheckOutcome.FAILED, code=error.code, detail=error.message)


def _not_checked(name: str, why: str) -> VerificationCheck:
    return VerificationCheck(name=name, outcome=CheckOutcome.NOT_CHECKED, code=None, detail=why)
