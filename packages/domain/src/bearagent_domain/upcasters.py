"""From stored payload bytes to the newest shape of an event; what is unknown is refused, never guessed.

One table maps (type, version) to a decoder. An older version has an upcaster that returns today's event.
"""

from collections.abc import Callable
from typing import cast

import msgspec

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.events import EVENT_TYPES, AnyEvent, Event, RunStarted

Upcaster = Callable[[bytes], AnyEvent]


class _RunStartedV0(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shape that no release wrote: it keeps the path from old to new proven from the first release on."""

    note: str


def _run_started_from_v0(payload: bytes) -> AnyEvent:
    msgspec.json.decode(payload, type=_RunStartedV0)
    return RunStarted()


UPCASTERS: dict[tuple[str, int], Upcaster] = {(RunStarted.TYPE, 0): _run_started_from_v0}

_DECODERS: dict[tuple[str, int], msgspec.json.Decoder[Event]] = {
    (event_type.TYPE, event_type.VERSION): msgspec.json.Decoder(event_type) for event_type in EVENT_TYPES
}


def decoded_event(type_: str, version: int, payload: bytes) -> AnyEvent:
    """The event that `payload` holds. Raises `BearAgentError` with `schema_version_unknown`, or a msgspec error."""
    decoder = _DECODERS.get((type_, version))
    if decoder is not None:
        return cast(AnyEvent, decoder.decode(payload))
    upcaster = UPCASTERS.get((type_, version))
    if upcaster is None:
        message = (
            f"Version {version} of event {type_[:60]!r} is not known here. Use a newer BearAgent to read this run."
        )
        raise BearAgentError(failure(ErrorCode.SCHEMA_VERSION_UNKNOWN, message))
    return upcaster(payload)
