"""What all stored structures share, and how a document from outside is read.

`Rec` is a part of a document; `Doc` carries its own `schema_version`. An unknown version is refused, never guessed, and
so is a document without one: the version is looked at before the rest is decoded.
"""

from typing import Literal, TypeVar

import msgspec

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.json_values import PART_DEPTH_MAX, PART_NODES_MAX, JsonRefused, require_json

D = TypeVar("D", bound="Doc")
S = TypeVar("S", bound=msgspec.Struct)


class Rec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """Base of all immutable records. A field that nobody declared is refused when decoding.

    Records are trees and can't hold themselves, so the garbage collector need not look at them (`gc=False`).
    """


class Doc(Rec, frozen=True, kw_only=True):
    """Base of what is stored or crosses a process on its own."""

    schema_version: Literal[1] = 1


class _VersionOnly(msgspec.Struct, frozen=True):
    schema_version: int | None = None


def read_document(data: bytes, document_type: type[D]) -> D:
    """Decode one stored document, version first.

    Raises `BearAgentError` with `schema_version_unknown` for a missing or unknown version and `document_invalid` for
    anything else that does not fit.
    """
    try:
        version = msgspec.json.decode(data, type=_VersionOnly).schema_version
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise BearAgentError(failure(ErrorCode.DOCUMENT_INVALID, "This is not a JSON document.")) from error
    if version != 1:
        found = "none" if version is None else str(version)
        message = f"Schema version {found} is not known here; version 1 is. Use a newer BearAgent to read it."
        raise BearAgentError(failure(ErrorCode.SCHEMA_VERSION_UNKNOWN, message))
    try:
        return msgspec.json.decode(data, type=document_type)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BearAgentError(failure(ErrorCode.DOCUMENT_INVALID, "The document does not fit its schema.")) from error


def as_stored(value: object, kind: type[S]) -> S:
    """`value`, a `kind`, as it reads back once it was stored: the check on what foreign code constructed.

    Raises `JsonRefused` when it would not read back: something else than a `kind`, a broken bound, NUL, a number that
    is not finite, no JSON at all, or more depth or values than an event has room for.
    """
    try:
        if not isinstance(value, kind):
            raise TypeError(f"not a {kind.__name__}")
        plain = msgspec.to_builtins(value, builtin_types=(bytes, bytearray))  # else they would turn into base64
        require_json(plain, depth_max=PART_DEPTH_MAX, nodes_max=PART_NODES_MAX)
        return msgspec.convert(plain, kind)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise JsonRefused(failure(ErrorCode.JSON_INVALID, "This does not fit its schema.")) from error
