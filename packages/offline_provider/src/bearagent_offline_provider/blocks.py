"""Markdown or plain text, line by line, into blocks: titles, paragraphs and table rows, each with its line numbers.

Code (fenced or indented), HTML, front matter and link definitions are left out. A page of a longer file says where
the next one has to begin, so that no paragraph is cut in two.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from bearagent_domain.documents import Rec

Kind: TypeAlias = Literal["title", "paragraph", "quote", "row"]
MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdown", ".mkd")
COMMENT, FRONT_MATTER, HTML = "-->", "---", "</"

_FENCE = re.compile(r"\s*(`{3,}|~{3,})([^\n]*)$")
_TITLE = re.compile(r" {0,3}(#{1,6})(?![^ \t\r])")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)\s*$")
_TEXT_UNDERLINE = re.compile(r"([=\-~^*#])\1{2,}\s*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})\r?$")
_HTML = re.compile(r" {0,3}<(?:!--|[A-Za-z/!?](?![^\s<>]*:))")
_ITEM = re.compile(r"\s*(?:[-+*]|\d{1,9}[.)])(?:[ \t]+(?:\[[ xX]\][ \t]+)?|\r?$)")
_QUOTE = re.compile(r"\s{0,3}(?:>[ \t]?)+")
_DEFINITION = re.compile(r" {0,3}\[[^\]\n]+\]:")
_DELIMITER_ROW = frozenset("|:- \t\r")
_INDENTED = re.compile(r"(?: {4}|\t)")


class Line(Rec, frozen=True):
    """One line's text and its number."""

    number: int
    text: str


class Block(Rec, frozen=True):
    """Lines that belong together; `level` of a title is 1 to 6."""

    kind: Kind
    lines: tuple[Line, ...]
    level: int = 0


class BlockScanner:
    """Takes the lines of one page in order and keeps what is open: a paragraph, a fence, a table, an HTML block."""

    def __init__(self, *, is_markdown: bool, open_until: str) -> None:
        self._is_markdown = is_markdown
        self.open_until = open_until  # what ends a block that holds no text to quote; empty outside of one
        self._paragraph: list[Line] = []
        self._is_quote = False
        self._is_list = False
        self._is_table = False

    @property
    def paragraph_line(self) -> int | None:
        """Where the paragraph began that is still open; None if none is."""
        return self._paragraph[0].number if self._paragraph else None

    def blocks(self, lines: Sequence[Line]) -> Iterator[Block]:
        """The blocks of `lines`; the last paragraph stays open until `rest`."""
        for index, line in enumerate(lines):
            following = lines[index + 1].text if index + 1 < len(lines) else ""
            yield from self._markdown(line, following) if self._is_markdown else self._plain(line)

    def rest(self) -> Iterator[Block]:
        """The paragraph that is still open, closed."""
        yield from self._closed()

    def _plain(self, line: Line) -> Iterator[Block]:
        if not line.text.strip():
            yield from self._closed()
        elif len(self._paragraph) == 1 and _TEXT_UNDERLINE.match(line.text):
            yield self._titled(1)
        else:
            if line.text[0].isspace():
                yield from self._closed()
            self._paragraph.append(line)

    def _markdown(self, line: Line, following: str) -> Iterator[Block]:
        text = line.text
        if self.open_until:
            self._look_for_end(text)
        elif not text.strip():
            yield from self._closed()
            self._is_table = False
        elif self._opens(line):
            yield from self._closed()
        elif self._is_row(text, following):
            yield from self._closed()
            self._is_table = True
            if not _DELIMITER_ROW.issuperset(text):
                yield Block("row", (line,))
        else:
            self._is_table = False
            yield from self._text_line(line)

    def _is_row(self, text: str, following: str) -> bool:
        if "|" not in text:
            return False
        is_header = "|" in following and "-" in following and _DELIMITER_ROW.issuperset(following)
        return self._is_table or is_header or text.lstrip().startswith("|")

    def _look_for_end(self, text: str) -> None:
        end = self.open_until
        if end[0] in "`~":
            is_end = text.strip().startswith(end) and not text.strip().strip(end[0])
        elif end == HTML:
            is_end = not text.strip()
        else:
            is_end = end in text if end == COMMENT else text.strip() in (FRONT_MATTER, "...")
        if is_end:
            self.open_until = ""

    def _opens(self, line: Line) -> bool:
        """Whether the line begins a block of code, HTML, front matter or is a definition: nothing to quote."""
        quote = _QUOTE.match(line.text)
        text = line.text[quote.end() :] if quote else line.text
        fence = _FENCE.match(text)
        if fence is not None and not (fence[1][0] == "`" and "`" in fence[2]):
            self.open_until = fence[1]
        elif line.number == 1 and text.strip() == FRONT_MATTER:
            self.open_until = FRONT_MATTER
        elif _HTML.match(text):
            if text.lstrip().startswith("<!--"):
                self.open_until = "" if COMMENT in text else COMMENT
            else:
                self.open_until = HTML
        elif not self._paragraph and not self._is_list and _INDENTED.match(text):
            return True
        else:
            return not self._paragraph and _DEFINITION.match(text) is not None
        return True

    def _text_line(self, line: Line) -> Iterator[Block]:
        text = line.text
        title, underline, quote = _TITLE.match(text), _UNDERLINE.match(text), _QUOTE.match(text)
        if title is not None:
            yield from self._closed()
            self._is_list = False
            yield from _title_in(Line(line.number, text[title.end() :].strip()), len(title[1]))
        elif underline is not None and self._paragraph and not self._is_quote and not self._is_list:
            yield self._titled(1 if underline[1][0] == "=" else 2)
        elif _RULE.match(text):
            yield from self._closed()
        elif quote is not None:
            if not self._is_quote:
                yield from self._closed()
            self._is_quote = True
            yield from self._quoted(Line(line.number, text[quote.end() :]))
        elif (item := self._item(text)) is not None:
            yield from self._closed()
            self._is_list = True
            self._append(Line(line.number, text[item.end() :]))
        else:
            if not self._paragraph:
                self._is_list = self._is_list and text[0].isspace()
            self._append(line)

    def _item(self, text: str) -> re.Match[str] | None:
        """The mark of a list item; within a paragraph a number other than 1 is none (a year, say)."""
        item = _ITEM.match(text)
        if item is None or self._is_list or not self._paragraph:
            return item
        return item if text.lstrip()[:2] in ("- ", "+ ", "* ", "1.", "1)") else None

    def _quoted(self, line: Line) -> Iterator[Block]:
        """One line of a block quote: an empty one, a title or an item ends the paragraph in it."""
        item = _ITEM.match(line.text)
        if not line.text.strip() or _TITLE.match(line.text):
            yield from self._closed()
            return
        if item is not None:
            yield from self._closed()
            self._is_quote = True
            line = Line(line.number, line.text[item.end() :])
        self._append(line)

    def _append(self, line: Line) -> None:
        if line.text.strip():
            self._paragraph.append(line)

    def _titled(self, level: int) -> Block:
        lines, self._paragraph = tuple(self._paragraph), []
        return Block("title", lines, level)

    def _closed(self) -> Iterator[Block]:
        if self._paragraph:
            yield Block("quote" if self._is_quote else "paragraph", tuple(self._paragraph))
        self._paragraph, self._is_quote = [], False


def _title_in(line: Line, level: int) -> Iterator[Block]:
    """The title in `line`, without the marks that may close it; none if nothing is left."""
    unmarked = line.text.rstrip("#")
    words = line.text if unmarked and not unmarked[-1].isspace() else unmarked.rstrip()
    if words:
        yield Block("title", (Line(line.number, words),), level)
