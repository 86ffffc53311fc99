"""Arguments of a call, read strictly: nothing is converted, nothing unknown or missing passes."""

from collections.abc import Collection, Sequence
from typing import NoReturn

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.json_values import JsonObject, JsonValue, is_storable_text, storable_text
from bearagent_ports.tool import CallRefused

FIELDS_NAMED_MAX = 5
FIELD_CHARS_MAX = 40
LIST_CHARS_MAX = 400


def require_fields(arguments: JsonObject, *, required: Collection[str], optional: Collection[str] = ()) -> None:
    """Raise `CallRefused` when a required field is missing or one is there that nobody declared."""
    missing = [name for name in required if name not in arguments]
    unknown = [name for name in arguments if name not in required and name not in optional]
    if missing or unknown:
        known = ", ".join((*required, *optional))
        refuse_arguments(missing + unknown, f"{_named('missing', missing)}{_named('unknown', unknown)}Known: {known}.")


def integer_of(arguments: JsonObject, name: str, *, default: int, least: int, most: int) -> int:
    """A whole number between `least` and `most`; a boolean or 2.0 is none."""
    value = arguments.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        refuse_arguments([name], f"`{name}` is a whole number from {least} to {most}.")
    return value


def text_of(arguments: JsonObject, name: str) -> str:
    """A text; what it may hold is for the tool to say."""
    value = arguments[name]
    if not isinstance(value, str):
        refuse_arguments([name], f"`{name}` is a text.")
    return value


def line_of(arguments: JsonObject, name: str, *, chars_max: int) -> str:
    """A text of one to `chars_max` characters on one line."""
    value = text_of(arguments, name)
    if not 1 <= len(value) <= chars_max or "\n" in value or not is_storable_text(value):
        refuse_arguments([name], f"`{name}` is one line of 1 to {chars_max} characters.")
    return value


def refuse_arguments(names: Sequence[str], message: str) -> NoReturn:
    """Raise `CallRefused` with `arguments_invalid`, naming at most five of the fields."""
    raise CallRefused(failure(ErrorCode.ARGUMENTS_INVALID, message, fields=_listed(names)))


def object_schema(properties: JsonObject, required: Sequence[str]) -> JsonObject:
    """The JSON Schema of an argument object with these properties and no others."""
    names: list[JsonValue] = list(required)
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def _named(what: str, names: Sequence[str]) -> str:
    return f"Arguments {what}: {_listed(names)}. " if names else ""


def _listed(names: Sequence[str]) -> str:
    shown = [ascii(storable_text(name[:FIELD_CHARS_MAX]))[1:-1] for name in names[:FIELDS_NAMED_MAX]]
    return (", ".join(shown) + (", …" if len(names) > FIELDS_NAMED_MAX else ""))[:LIST_CHARS_MAX]
