"""Views as JSON: one object on stdout, or JSON Lines."""

import re
from collections.abc import Iterable

import msgspec

from bearagent_cli.terminal import write
from bearagent_domain.documents import Doc
from bearagent_domain.errors import ErrorInfo
from bearagent_domain.ids import RunId
from bearagent_domain.runs import RunStatus

_UNSHOWN = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class FailureDocument(Doc, frozen=True, kw_only=True):
    """What stands in the place of a run that never came to be, or whose record can't be told."""

    run_id: RunId | None = None
    status: RunStatus | None = None
    error: ErrorInfo


def json_line(value: object) -> str:
    """`value` as JSON on one line; what a terminal could obey is escaped, which means the same in JSON."""
    return _UNSHOWN.sub(lambda found: f"\\u{ord(found.group()):04x}", msgspec.json.encode(value).decode())


def print_json(value: object) -> None:
    """Print one object."""
    write(json_line(value) + "\n")


def print_json_lines(values: Iterable[object]) -> None:
    """Print one object a line."""
    write("".join(json_line(value) + "\n" for value in values))
