"""The way out: stdout and stderr, what a text from outside may send there, and readers that have gone away."""

import io
import os
import re
import shutil
import sys
from contextlib import suppress
from typing import TextIO

WIDTH_OF_FILES = 10_000  # a table in a file or pipe is never folded

_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """`text` with control codes, bidi marks and lone surrogates as escapes like `\\x1b`; new lines and tabs stay."""
    return _UNSHOWN.sub(_escaped, text.replace("\r\n", "\n"))


def on_one_line(text: str) -> str:
    """`text` as `visible` shows it, with runs of white space made one space."""
    return " ".join(visible(text).split())


def write(text: str) -> None:
    """Print our own layout of visible text on stdout. A reader who has had enough is no failure."""
    _send(sys.stdout, text)


def tell(text: str) -> None:
    """Print one line, or what moves a live line, on stderr. Where nobody can hear it, nobody needs to."""
    with suppress(OSError):
        _send(sys.stderr, text)


def moves(stream: TextIO) -> bool:
    """Whether a live line may be drawn there."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def shows_colour(stream: TextIO) -> bool:
    """Whether colours may be sent there: a terminal that knows them, and a user who wants them."""
    return moves(stream) and not os.environ.get("NO_COLOR")


def width_of(stream: TextIO) -> int:
    """Columns of a terminal; for files and pipes, enough for any line."""
    return shutil.get_terminal_size().columns if stream.isatty() else WIDTH_OF_FILES


def prepare_streams() -> bool:
    """Make the streams out UTF-8 whatever the locale says, and occupy closed standard descriptors.

    False when stdout was closed: what is opened next would get its number, and output would land in it.
    """
    open_before = sys.stdout is not None
    while (descriptor := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name) or open(os.devnull, "w", encoding="utf-8")
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        setattr(sys, name, stream)
    return open_before


def _send(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # Python flushes again at exit: let that go nowhere instead of complaining.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if not isinstance(error, BrokenPipeError):
            raise


def _escaped(found: re.Match[str]) -> str:
    number = ord(found.group())
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"
