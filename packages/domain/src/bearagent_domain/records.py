"""The chain of records: an event sealed with its place, time and the hash of what came before.

`body` is the canonical JSON of run, sequence, type, version, time, activity id and payload;
`hash = sha256("bearagent:event:1\\n" + prev_hash + body)`, with 32 zero bytes before the first. Stores keep body and
hash and check them; only `seal` makes them.
"""

import hashlib
from typing import NoReturn

import msgspec

from bearagent_domain.documents import Rec
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.events import AnyEvent
from bearagent_domain.ids import N0, N1, ActivityId, RunId
from bearagent_domain.json_values import (
    JSON_DEPTH_MAX,
    JSON_NODES_MAX,
    JsonRefused,
    canonical_json,
    require_json,
)
from bearagent_domain.times import Time
from bearagent_domain.upcasters import decoded_event

BODY_BYTES_MAX = 4_194_304
FIRST_PREV_HASH = bytes(32)

_PREFIX = b"bearagent:event:1\n"


class RecordCorrupt(BearAgentError):
    """Stored bytes that are not what was sealed, or a log with a gap or a broken chain."""


class RecordedEvent(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One sealed event: the decoded `event` and the very bytes that are stored. Hashes are raw 32 bytes."""

    run_id: RunId
    sequence: int
    recorded_at: Time
    activity_id: ActivityId | None
    event: AnyEvent
    body: bytes
    prev_hash: bytes
    hash: bytes


class Head(msgspec.Struct, frozen=True, gc=False):
    """The end of a run's log. `Head()` is that of an empty one."""

    sequence: int = 0
    hash: bytes = FIRST_PREV_HASH

    def after(self, record: RecordedEvent) -> "Head":
        """The head with `record` behind it. Raises `RecordCorrupt` for a gap or a record of another chain."""
        if record.sequence != self.sequence + 1:
            corrupt(f"Event {self.sequence + 1} is missing: event {record.sequence} follows {self.sequence}.")
        if record.prev_hash != self.hash:
            corrupt(f"Event {record.sequence} does not continue the chain.")
        return Head(record.sequence, record.hash)

    @property
    def text(self) -> str:
        """`SEQUENCE:HASH`, as printed and given to `verify`."""
        return f"{self.sequence}:{self.hash.hex()}"


class RecordBody(Rec, frozen=True, kw_only=True):
    """What `body` holds: an event and its place. The payload is decoded by (type, version) in `upcasters.py`."""

    run_id: RunId
    sequence: N1
    type: str
    version: N0
    recorded_at: Time
    activity_id: ActivityId | None
    payload: msgspec.Raw


_STORED = msgspec.json.Decoder(RecordBody)


def seal(
    run_id: RunId, head: Head, recorded_at: Time, activity_id: ActivityId | None, event: AnyEvent
) -> RecordedEvent:
    """`event` as the next record after `head`.

    Raises `JsonRefused` beyond 4 MiB (`event_too_large`), 10,000 values (`json_too_large`) or depth 32
    (`json_too_deep`), and for text that can't be stored (`json_invalid`). The caller has checked numbers before
    (`require_json`): a float that is not finite would be stored as null.
    """
    try:
        body = canonical_json(
            RecordBody(
                run_id=run_id,
                sequence=head.sequence + 1,
                type=event.TYPE,
                version=event.VERSION,
                recorded_at=recorded_at,
                activity_id=activity_id,
                payload=msgspec.Raw(canonical_json(event)),
            )
        )
    except (UnicodeEncodeError, RecursionError) as error:  # a lone surrogate, or nesting far beyond the limit
        raise JsonRefused(failure(ErrorCode.JSON_INVALID, "An event holds what JSON can't carry.")) from error
    _require_bounded(body)
    return RecordedEvent(
        run_id=run_id,
        sequence=head.sequence + 1,
        recorded_at=recorded_at,
        activity_id=activity_id,
        event=event,
        body=body,
        prev_hash=head.hash,
        hash=chained(head.hash, body),
    )


def chained(prev_hash: bytes, body: bytes) -> bytes:
    """The hash of a record with `body` after the one with `prev_hash`."""
    return hashlib.sha256(_PREFIX + prev_hash + body).digest()


def opened(body: bytes, prev_hash: bytes, hash_: bytes) -> RecordedEvent:
    """The record of stored bytes, checked and decoded, old versions brought up to date.

    Raises `RecordCorrupt` when hash and bytes differ or the bytes are no event, and `BearAgentError` with
    `schema_version_unknown` for an event that only a newer version knows.
    """
    if chained(prev_hash, body) != hash_:
        corrupt("The bytes of an event are not those that were sealed.")
    try:
        stored = _STORED.decode(body)
        event = decoded_event(stored.type, stored.version, bytes(stored.payload))
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise RecordCorrupt(failure(ErrorCode.RECORD_CORRUPT, "An event does not fit its schema.")) from error
    return RecordedEvent(
        run_id=stored.run_id,
        sequence=stored.sequence,
        recorded_at=stored.recorded_at,
        activity_id=stored.activity_id,
        event=event,
        body=body,
        prev_hash=prev_hash,
        hash=hash_,
    )


def corrupt(message: str) -> NoReturn:
    """Raise `RecordCorrupt` with a sentence that names the place."""
    raise RecordCorrupt(failure(ErrorCode.RECORD_CORRUPT, message))


def _require_bounded(body: bytes) -> None:
    if len(body) > BODY_BYTES_MAX:
        raise JsonRefused(failure(ErrorCode.EVENT_TOO_LARGE, "An event would be larger than 4 MiB."))
    openings = body.count(b"{") + body.count(b"[")  # in texts, too: look closely only when the counts say so
    depth_at_most, values_at_most = openings + 1, openings + body.count(b",") + 1
    if rb"\u0000" in body or depth_at_most > JSON_DEPTH_MAX or values_at_most > JSON_NODES_MAX:
        require_json(msgspec.json.decode(body))
