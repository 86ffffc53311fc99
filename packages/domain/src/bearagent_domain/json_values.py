"""JSON as BearAgent stores it: what is allowed in, the one canonical form, and hashes over it.

Canonical form: UTF-8, keys sorted, no spaces, integers as integers, tuples in the order given. A hash always names its
domain, so that the hash of one kind of thing can never pass for that of another.
"""

import hashlib
import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import msgspec

from bearagent_domain.errors import BearAgentError, ErrorCode, failure

if TYPE_CHECKING:
    JsonValue: TypeAlias = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]
else:  # msgspec can't decode into a recursive alias: it takes any JSON there, which is the same set of values
    JsonValue = Any
JsonObject: TypeAlias = dict[str, JsonValue]

JSON_DEPTH_MAX = 32
JSON_NODES_MAX = 10_000
PART_DEPTH_MAX = 26  # of what goes into an event: leaves room for the levels and values around it
PART_NODES_MAX = 9_000
JSON_INTEGER_MAX = 2**63 - 1
EXACT_FLOAT_MAX = 2**53

_ENCODER = msgspec.json.Encoder(order="sorted")


class JsonRefused(BearAgentError):
    """A value or text that may not be stored; `info.code` says which rule it broke."""


def canonical_json(value: object) -> bytes:
    """The canonical bytes of a Struct or JSON value that is already known to be allowed (see `require_json`)."""
    return _ENCODER.encode(value)


def hash_of(kind: str, value: object) -> str:
    """SHA-256 in lower-case hex of `value`'s canonical form in the domain `kind`."""
    return hash_of_bytes(kind, canonical_json(value))


def hash_of_bytes(kind: str, data: bytes) -> str:
    """SHA-256 in lower-case hex of `data` in the domain `kind`."""
    return hashlib.sha256(b"bearagent:" + kind.encode() + b":1\n" + data).hexdigest()


def sha256_hex(data: bytes) -> str:
    """Plain SHA-256 of bytes, as files and artifacts are named by."""
    return hashlib.sha256(data).hexdigest()


def node_count_within(value: JsonValue, nodes_max: int) -> int:
    """How many values `value` is made of, itself included; stops counting one past `nodes_max`."""
    count, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        count += 1
        if count > nodes_max:
            return count
        waiting.extend(_children(item))
    return count


def require_json(value: object, *, depth_max: int = JSON_DEPTH_MAX, nodes_max: int = JSON_NODES_MAX) -> None:
    """Raise `JsonRefused` unless `value` is plain JSON within the limits: no NaN, no lone surrogate, no NUL."""
    _walk(value, depth_max, nodes_max, nul_allowed=False)


def is_storable_text(text: str) -> bool:
    """Whether `text` may stand in the record: no NUL and no lone surrogate."""
    return "\0" not in text and not has_lone_surrogate(text)


def has_lone_surrogate(text: str) -> bool:
    """Whether `text` holds half of a surrogate pair and so has no UTF-8 form."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def storable_text(text: str) -> str:
    """`text` with every NUL and lone surrogate replaced by U+FFFD."""
    if is_storable_text(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")


def parse_json_text(text: str, *, depth_max: int = JSON_DEPTH_MAX, nodes_max: int = JSON_NODES_MAX) -> JsonValue:
    """Decode one JSON text strictly.

    Duplicate keys, NaN, numbers beyond 64 bits, lone surrogates, raw control characters, too many values and too deep
    nesting raise `JsonRefused`. NUL escapes pass: whoever stores the value checks that. Integral floats below 2**53
    and -0.0 become integers, so that equal numbers have equal hashes.
    """
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=_object_of,
            parse_int=_integer_of,
            parse_float=_number_of,
        )
    except RecursionError:
        _refuse(ErrorCode.JSON_TOO_DEEP, f"nesting deeper than {depth_max} levels")
    except ValueError as error:
        raise JsonRefused(failure(ErrorCode.JSON_INVALID, "This is not one JSON text.")) from error
    _walk(value, depth_max, nodes_max, nul_allowed=True)
    return value


def _walk(value: object, depth_max: int, nodes_max: int, *, nul_allowed: bool) -> None:
    count, waiting = 0, [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        count += 1
        if count > nodes_max:
            _refuse(ErrorCode.JSON_TOO_LARGE, f"more than {nodes_max:,} values")
        if depth > depth_max:
            _refuse(ErrorCode.JSON_TOO_DEEP, f"nesting deeper than {depth_max} levels")
        _require_leaf(item, nul_allowed)
        if isinstance(item, dict):
            for key in item:
                if not isinstance(key, str):
                    _refuse(ErrorCode.JSON_INVALID, "a key that is not text")
                _require_leaf(key, nul_allowed)
        waiting.extend((child, depth + 1) for child in _children(item))


def _children(item: object) -> Iterable[JsonValue]:
    if isinstance(item, dict):
        return item.values()
    if isinstance(item, list | tuple):
        return item
    return ()


def _require_leaf(item: object, nul_allowed: bool) -> None:
    if isinstance(item, str):
        if has_lone_surrogate(item) or ("\0" in item and not nul_allowed):
            _refuse(ErrorCode.JSON_INVALID, "a NUL or half of a surrogate pair in a text")
    elif isinstance(item, float):
        if not math.isfinite(item):
            _refuse(ErrorCode.JSON_INVALID, "a number that is not finite")
    elif isinstance(item, int) and abs(item) > JSON_INTEGER_MAX:
        _refuse(ErrorCode.JSON_NUMBER_RANGE, "a number beyond 64 bits")
    elif item is not None and not isinstance(item, bool | int | list | tuple | dict):
        _refuse(ErrorCode.JSON_INVALID, "a value that JSON does not have")


def _object_of(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    made = dict(pairs)
    if len(made) != len(pairs):
        _refuse(ErrorCode.JSON_DUPLICATE_KEY, "a key that stands twice in one object")
    return made


def _integer_of(digits: str) -> int:
    if len(digits) > 20 or abs(int(digits)) > JSON_INTEGER_MAX:
        _refuse(ErrorCode.JSON_NUMBER_RANGE, "a number beyond 64 bits")
    return int(digits)


def _number_of(text: str) -> int | float:
    number = float(text)
    if not math.isfinite(number):
        _refuse(ErrorCode.JSON_NUMBER_RANGE, "a number beyond 64 bits")
    if number.is_integer() and abs(number) < EXACT_FLOAT_MAX:
        return int(number)
    return number


def _refuse(code: ErrorCode, what: str) -> NoReturn:
    raise JsonRefused(failure(code, f"The JSON holds {what}."))
