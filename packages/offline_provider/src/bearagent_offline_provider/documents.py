"""One page of a document: its titles, sentences and table cells, literally and with the lines on which they stand."""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from bearagent_domain.documents import Rec
from bearagent_offline_provider.blocks import MARKDOWN_SUFFIXES, Block, BlockScanner, Line
from bearagent_offline_provider.quoting import one_line
from bearagent_offline_provider.sentences import is_ended, sentence_spans

PassageKind: TypeAlias = Literal["sentence", "cell"]

MID_PARAGRAPH = "¶"  # as `open_until`: the page before ended within a sentence

_CELL_END = re.compile(r"(?<!\\)\|")


class Passage(Rec, frozen=True):
    """A sentence, or a whole table cell: its text with white space made one, its lines, and whether it comes first."""

    text: str
    start_line: int
    end_line: int
    kind: PassageKind = "sentence"
    leads: bool = False  # the first one under a title, or of the document


class Title(Rec, frozen=True):
    """A whole title, with white space made one."""

    text: str
    level: int
    start_line: int
    end_line: int


class Page(Rec, frozen=True, kw_only=True):
    """What a page holds. The next one begins at `next_line`; `open_until` is to be given on with it."""

    titles: tuple[Title, ...]
    passages: tuple[Passage, ...]
    next_line: int
    open_until: str = ""


def page_of(
    content: str, path: str, *, start_line: int = 1, open_until: str = "", is_last: bool = True, is_cut: bool = False
) -> Page:
    """Read `content`, lines of the document `path` from `start_line` on. The work is linear in its length.

    Unless the page `is_last`, a paragraph that reaches its end is left for the next page. `is_cut` says that the one
    line of the page goes on behind it. Where a sentence lies across two pages all the same, no part of it is given.
    """
    lines = _lines(content, start_line)
    scanner = BlockScanner(is_markdown=_is_markdown(path), open_until=open_until.removeprefix(MID_PARAGRAPH))
    blocks = list(scanner.blocks(lines))
    next_line = start_line + len(lines)
    opened = scanner.paragraph_line
    goes_on = is_cut or (not is_last and opened == start_line)  # one paragraph fills the page
    if opened is not None and not is_last and not goes_on:
        next_line = opened
    else:
        blocks += scanner.rest()
    titles, passages = _contents(blocks)
    if goes_on and is_ended(lines[-1].text.rstrip()):  # maybe "3." of "3.5 bar"
        passages = passages[:-1]
    if open_until == MID_PARAGRAPH and passages and passages[0].start_line == start_line:
        passages = passages[1:]
    return Page(
        titles=tuple(titles),
        passages=tuple(passages),
        next_line=next_line,
        open_until=scanner.open_until or (MID_PARAGRAPH if goes_on else ""),
    )


def _lines(content: str, start_line: int) -> list[Line]:
    """Lines end with a newline and with nothing else, as in the facts of the read tool."""
    texts = content.removeprefix("\ufeff").split("\n")
    if not texts[-1]:
        texts.pop()
    return [Line(start_line + index, text) for index, text in enumerate(texts)]


def _is_markdown(path: str) -> bool:
    name = path.rsplit("/", 1)[-1].casefold()
    return name.endswith(MARKDOWN_SUFFIXES) or "." not in name


def _contents(blocks: list[Block]) -> tuple[list[Title], list[Passage]]:
    titles: list[Title] = []
    passages: list[Passage] = []
    leads = True
    for block in blocks:
        if block.kind == "title":
            text = one_line(" ".join(line.text for line in block.lines))
            titles.append(Title(text, block.level, block.lines[0].number, block.lines[-1].number))
            leads = True
            continue
        for passage in _cells(block) if block.kind == "row" else _sentences(block):
            passages.append(msgspec.structs.replace(passage, leads=leads))
            leads = False
    return titles, passages


def _sentences(block: Block) -> Iterator[Passage]:
    """The sentences of a paragraph. In a block quote only those on one line: the next begins with a mark."""
    text = "\n".join(line.text for line in block.lines)
    index, line_end = 0, len(block.lines[0].text)
    for start, end in sentence_spans(text):
        while start > line_end:
            index += 1
            line_end += 1 + len(block.lines[index].text)
        first = block.lines[index].number
        last = first + text.count("\n", start, end)
        sentence = text[start:end]
        if is_ended(sentence) and not (block.kind == "quote" and last != first):
            yield Passage(one_line(sentence), first, last)


def _cells(block: Block) -> Iterator[Passage]:
    line = block.lines[0]
    for cell in _CELL_END.split(line.text.strip().strip("|")):
        text = one_line(cell)
        if text:
            yield Passage(text, line.number, line.number, "cell")
