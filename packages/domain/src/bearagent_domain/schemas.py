"""The JSON Schema (draft 2020-12) of everything that is stored, read or printed, by name.

A stored event is named by type and version, `run.created.1`; everything else by one word. `error` and the printed
shapes may gain fields; a stored shape changes only together with its version (docs/record.md).
"""

import msgspec

from bearagent_domain.errors import ErrorInfo
from bearagent_domain.events import EVENT_TYPES
from bearagent_domain.json_values import JsonObject
from bearagent_domain.profiles import RunProfile
from bearagent_domain.records import RecordBody
from bearagent_domain.snapshots import RunConfigSnapshot, RunFingerprint, RunIdentity
from bearagent_domain.views import EventPage, RunInspection, RunPage, Verification

_STORED: dict[str, type[msgspec.Struct]] = {
    "record": RecordBody,
    "identity": RunIdentity,
    "snapshot": RunConfigSnapshot,
    "fingerprint": RunFingerprint,
    **{f"{event_type.TYPE}.{event_type.VERSION}": event_type for event_type in EVENT_TYPES},
}
_READ_OR_PRINTED: dict[str, type[msgspec.Struct]] = {
    "profile": RunProfile,
    "run": RunInspection,
    "runs": RunPage,
    "events": EventPage,
    "verification": Verification,
    "error": ErrorInfo,
}


def schema_names() -> tuple[str, ...]:
    """All names: what users write and read first, then what the record holds."""
    return (*_READ_OR_PRINTED, *_STORED)


def stored_schema_names() -> tuple[str, ...]:
    """The names of those shapes that are part of a record and are never changed under the same version."""
    return tuple(_STORED)


def schemas() -> dict[str, JsonObject]:
    """The schema of each name, in the order of `schema_names`."""
    return {name: _schema_of(shape) for name, shape in (_READ_OR_PRINTED | _STORED).items()}


def _schema_of(shape: type[msgspec.Struct]) -> JsonObject:
    """Through JSON once, because msgspec gives the default of a tuple as a tuple, which JSON does not have."""
    return msgspec.json.decode(msgspec.json.encode(msgspec.json.schema(shape)), type=JsonObject)
