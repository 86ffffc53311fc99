"""docs/record.md describes each stored event: its type, every field of its payload, and which of them may be null."""

import re
from pathlib import Path
from types import NoneType
from typing import get_args

import pytest
from msgspec.structs import fields

from bearagent_domain.events import EVENT_TYPES, Event

PAGE = Path(__file__).resolve().parents[2] / "docs" / "record.md"
_ROW = re.compile(r"^\| `([a-z_]+\.[a-z_]+)` \| [^|]+ \|([^|]*)\|$", re.MULTILINE)
ROWS = dict(_ROW.findall(PAGE.read_text("utf-8")))


def told(payload: str) -> list[str]:
    """The field names of a row; the values that it gives in parentheses are none."""
    return re.findall(r"`([a-z_]+\??)`", re.sub(r"\([^)]*\)", "", payload))


def declared(event_type: type[Event]) -> list[str]:
    """The field names as they are stored, with a question mark where null may stand."""
    return [field.encode_name + "?" * (NoneType in get_args(field.type)) for field in fields(event_type)]


def test_the_page_has_a_row_for_every_event_and_no_other() -> None:
    assert sorted(ROWS) == sorted(event_type.TYPE for event_type in EVENT_TYPES)


@pytest.mark.parametrize("event_type", EVENT_TYPES, ids=lambda event_type: event_type.TYPE)
def test_a_row_tells_every_field_of_the_payload(event_type: type[Event]) -> None:
    assert sorted(told(ROWS[event_type.TYPE])) == sorted(declared(event_type))
