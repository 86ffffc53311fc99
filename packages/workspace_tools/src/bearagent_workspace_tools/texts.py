"""Text of any size read in blocks: UTF-8 checked, lines counted, one page kept, lines with a query found.

A line ends with `\\n` or `\\r\\n` and with nothing else; an empty file has no line. Memory does not grow with the file.
"""

import codecs
import os
from collections.abc import Callable, Iterable, Iterator

import msgspec

from bearagent_domain.errors import ErrorCode
from bearagent_workspace_tools.directories import OpenFile, translating
from bearagent_workspace_tools.errors import failed

BLOCK_BYTES = 262_144
FILE_BYTES_MAX = 2 * 2**30
PAGE_BYTES_MAX = 65_536
SEARCHED_CHARS_MAX = 1_048_576
EXCERPT_CHARS_MAX = 300


class Page(msgspec.Struct, frozen=True):
    """Some whole lines, or the part of one that is longer than a page."""

    data: bytes
    line_count: int
    is_cut: bool


class FoundLine(msgspec.Struct, frozen=True):
    """A line that holds the query: its number from 1, and at most 300 characters of it round the first place."""

    number: int
    excerpt: str


def blocks(file: OpenFile, check: Callable[[], None]) -> Iterator[bytes]:
    """The bytes of `file`, never more than it had when it was opened; `check` may raise between two blocks."""
    remaining = file.status.st_size
    if remaining > FILE_BYTES_MAX:
        raise failed(ErrorCode.FILE_TOO_LARGE)
    while remaining:
        check()
        with translating():
            block = os.read(file.handle, min(BLOCK_BYTES, remaining))
        if not block:
            return
        remaining -= len(block)
        yield block


def decoded(file: OpenFile, check: Callable[[], None]) -> Iterator[str]:
    """The text of `file`, block by block. Raises `ToolFailed` with `not_text`."""
    decoder = TextDecoder()
    for block in blocks(file, check):
        yield decoder.feed(block)
    yield decoder.feed(b"", is_last=True)


def has_changed(file: OpenFile) -> bool:
    """Whether someone wrote to `file` since it was opened."""
    now = os.fstat(file.handle)
    return (now.st_size, now.st_mtime_ns) != (file.status.st_size, file.status.st_mtime_ns)


class TextDecoder:
    """UTF-8 without NUL, block by block. Raises `ToolFailed` with `not_text` for anything else."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def feed(self, block: bytes, *, is_last: bool = False) -> str:
        """The characters that are complete with `block`."""
        if b"\0" in block:
            raise failed(ErrorCode.NOT_TEXT)
        try:
            return self._decoder.decode(block, is_last)
        except UnicodeDecodeError as error:
            raise failed(ErrorCode.NOT_TEXT) from error


class PageReader:
    """Counts the lines of a file that is fed to it and keeps the bytes from one place on, a little over a page."""

    def __init__(self, start_line: int, start_offset: int) -> None:
        self._start_line = start_line
        self._lines_ahead = start_line - 1
        self._bytes_ahead = start_offset
        self._newlines = 0
        self._last = b"\n"
        self._kept = bytearray()

    def feed(self, block: bytes) -> None:
        """The next bytes of the file; never empty."""
        newlines = block.count(b"\n")
        self._newlines += newlines
        self._last = block[-1:]
        if newlines < self._lines_ahead:  # not one by one: a large file has millions of lines
            self._lines_ahead -= newlines
        elif len(self._kept) <= PAGE_BYTES_MAX:
            self._keep(block)

    @property
    def total_lines(self) -> int:
        """How many lines were fed, one without an end included."""
        return self._newlines + (self._last != b"\n")

    def page(self, max_lines: int, bytes_max: int) -> Page:
        """The lines from the start on that fit. Raises `ToolFailed` when the offset is not within its line."""
        if self._start_line > self.total_lines:
            return Page(b"", 0, False)
        if self._bytes_ahead or not self._kept or self._kept[0] & 0xC0 == 0x80:
            raise failed(ErrorCode.ARGUMENTS_INVALID)
        return page_of(bytes(self._kept), max_lines, bytes_max)

    def _keep(self, block: bytes) -> None:
        start = 0
        while self._lines_ahead:
            start = block.index(b"\n", start) + 1
            self._lines_ahead -= 1
        if self._bytes_ahead:
            end = block.find(b"\n", start)
            passed = min(self._bytes_ahead, (len(block) if end < 0 else end) - start)
            self._bytes_ahead -= passed
            if self._bytes_ahead:
                return  # the next block goes on with the line, or the offset is behind its end
            start += passed
        self._kept += block[start : start + PAGE_BYTES_MAX + 1 - len(self._kept)]


def page_of(data: bytes, max_lines: int, bytes_max: int) -> Page:
    """The first lines of `data` within both limits; `data` that is not longer than `bytes_max` is all there is."""
    end = line_count = 0
    while line_count < max_lines:
        newline = data.find(b"\n", end, bytes_max)
        if newline < 0:
            break
        end, line_count = newline + 1, line_count + 1
    if line_count < max_lines and end < len(data) <= bytes_max:  # the last line of the file, without an end
        return Page(data, line_count + 1, False)
    if line_count or not data:
        return Page(data[:end], line_count, False)
    return Page(_whole_characters(data, bytes_max), 1, True)


def found_lines(pieces: Iterable[str], query: str, limit: int) -> tuple[FoundLine, ...]:
    """The first `limit` lines of a text, given piece by piece, that hold `query` literally; case does not matter."""
    folded = query.casefold()
    found: list[FoundLine] = []
    number, carried = 1, ""
    for piece in _ended(pieces):
        text = carried + piece
        end = text.rfind("\n") + 1
        if not end and len(text) < SEARCHED_CHARS_MAX:
            carried = text
            continue
        whole = text[:end] if end else text
        carried = text[end:] if end else text[-len(folded) :]  # a match may lie across two pieces of one long line
        if folded in whole.casefold():
            _collect(found, whole, folded, number)
            if len(found) >= limit:
                break
        number += whole.count("\n")
    return tuple(found[:limit])


def _ended(pieces: Iterable[str]) -> Iterator[str]:
    yield from pieces
    yield "\n"


def _collect(found: list[FoundLine], text: str, folded: str, number: int) -> None:
    for offset, line in enumerate(text.split("\n")):
        place = line.casefold().find(folded)
        if place >= 0 and not (found and found[-1].number == number + offset):
            found.append(FoundLine(number + offset, _excerpt(line.removesuffix("\r"), place)))


def _excerpt(line: str, folded_place: int) -> str:
    """At most 300 characters of `line`, so that the match is among them."""
    if len(line) <= EXCERPT_CHARS_MAX:
        return line
    place = folded_place if line.isascii() else _unfolded(line, folded_place)
    start = max(0, min(place - EXCERPT_CHARS_MAX // 3, len(line) - EXCERPT_CHARS_MAX))
    return line[start : start + EXCERPT_CHARS_MAX]


def _unfolded(line: str, folded_place: int) -> int:
    """The index of the character that stands at `folded_place` when `line` is case folded."""
    passed = 0
    for index, character in enumerate(line):
        passed += len(character.casefold())
        if passed > folded_place:
            return index
    return len(line)


def _whole_characters(data: bytes, bytes_max: int) -> bytes:
    """At most `bytes_max` bytes from the start of `data`, no character cut in two."""
    end = min(bytes_max, len(data))
    while end < len(data) and data[end] & 0xC0 == 0x80:
        end -= 1
    return data[:end]
