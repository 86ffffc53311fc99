"""Where the sentences of a paragraph begin and end, in English and Chinese.

Rules and word lists, no statistics: the same text always gives the same spans. Time is linear in the length of the
text. Known limits: a sentence that begins with a lower-case word is joined to the one before it, and quotation marks
that look the same on both sides do not keep their content together.
"""

import re
from collections.abc import Iterator
from typing import TypeAlias

from bearagent_offline_provider.languages import is_cjk

BRACKETED_CHARS_MAX = 400  # a longer bracket no longer keeps its sentences together
WORD_CHARS_MAX = 24  # how far back an abbreviation is looked for

Span: TypeAlias = tuple[int, int]

_CLOSERS = r"[\"'”’»)\]）】」』》*_]*"
_END = re.compile(rf"[.!?…。！？]+(?:\[\^?\w{{1,8}}\])*{_CLOSERS}")
_ENDED = re.compile(rf"[.!?…。！？](?:\[\^?\w{{1,8}}\])*{_CLOSERS}$")
_CHINESE_ENDS = frozenset("。！？")
_PAIRS = {")": "(", "]": "[", "）": "（", "】": "【", "”": "“", "」": "「", "』": "『", "》": "《"}
_OPENERS = frozenset(_PAIRS.values())
_BRACKET = re.compile("[" + re.escape("".join((*_PAIRS, *_PAIRS.values()))) + "]")
_BACKTICKS = re.compile("`+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)+")
_NUMBER = re.compile(r"\d+\.")
_NEXT_WORD = re.compile(r"\W*([^\W\d_]+)")

_NEVER_LAST = frozenset(
    "dr. mr. mrs. ms. prof. rev. gen. col. capt. lt. sgt. st. mt. e.g. i.e. cf. vs. viz. al. ca. approx. resp. esp. "
    "incl. excl. dept. fig. figs. eq. eqs. sec. secs. ch. vol. vols. pp. ed. eds. jan. feb. mar. apr. jun. jul. aug. "
    "sep. sept. oct. nov. dec. mon. tue. wed. thu. fri. sat. sun.".split()
)
_NOT_BEFORE_A_NUMBER = frozenset("no. nos. nr. art. p. tab. para. ver. v. temp. min. max. avg.".split())
_PERHAPS_LAST = frozenset("etc. inc. ltd. co. corp. ph.d. m.sc. b.sc. a.m. p.m. jr. sr. est.".split())
_FIRST_WORDS = frozenset(
    "the an it its this that these those we they he she you our their in on at if when while but however there after "
    "before for from to as all both each no not one two then since although because most many some such what where "
    "who why how".split()
)


def sentence_spans(text: str) -> tuple[Span, ...]:
    """The spans of the sentences of `text`, one paragraph, in order and without surrounding white space."""
    spans: list[Span] = []
    start = 0
    for end in (*_ends(text), len(text)):
        span = _trimmed(text, start, end)
        if span is not None:
            spans.append(span)
        start = end
    return tuple(spans)


def is_ended(text: str) -> bool:
    """Whether `text` ends like a sentence: with a full stop, question or exclamation mark, closed quotes included."""
    return _ENDED.search(text) is not None


def _ends(text: str) -> Iterator[int]:
    code, brackets = _code_spans(text), _bracket_spans(text)
    code_at = bracket_at = 0
    start = 0
    for match in _END.finditer(text):
        while code_at < len(code) and code[code_at][1] <= match.start():
            code_at += 1
        while bracket_at < len(brackets) and brackets[bracket_at][1] < match.end():
            bracket_at += 1
        in_code = code_at < len(code) and code[code_at][0] <= match.start()
        in_bracket = bracket_at < len(brackets) and _is_inside(match, brackets[bracket_at])
        if not in_code and not in_bracket and _is_end(text, start, match):
            yield match.end()
            start = match.end()


def _is_end(text: str, sentence_start: int, match: re.Match[str]) -> bool:
    end = match.end()
    if end == len(text):
        return True
    following = text[end]
    if not _CHINESE_ENDS.isdisjoint(match.group()):
        return not (match.group()[-1] in ")）" and is_cjk(following))
    if not following.isspace():
        return following != "." and is_cjk(following) and is_cjk(text[match.start() - 1]) and match.group()[0] in "!?"
    rest = text[end : end + 2 * WORD_CHARS_MAX].lstrip()
    if rest and rest[0].islower():
        return False
    is_full_stop = match.group().startswith(".") and not match.group().startswith("..")
    return not is_full_stop or _ends_by_full_stop(text, sentence_start, match, rest)


def _is_inside(match: re.Match[str], span: Span) -> bool:
    return span[0] < match.start() and match.end() < span[1]


def _ends_by_full_stop(text: str, sentence_start: int, match: re.Match[str], rest: str) -> bool:
    """Whether a single full stop ends the sentence, or only an abbreviation, an initial or an item number."""
    before = text[max(sentence_start, match.start() - WORD_CHARS_MAX) : match.start() + 1]
    word = before.split()[-1].lstrip("([{\"'“‘«*_`").lower() if before.split() else ""
    if word in _NEVER_LAST or (word in _NOT_BEFORE_A_NUMBER and rest[:1].isdigit()):
        return False
    if _NUMBER.fullmatch(word) and not text[sentence_start : match.start()].strip(" \n\t0123456789"):
        return False
    if word in _PERHAPS_LAST or _INITIALS.fullmatch(word):
        next_word = _NEXT_WORD.match(rest)
        return next_word is not None and next_word.group(1).lower() in _FIRST_WORDS
    return True


def _code_spans(text: str) -> list[Span]:
    """Backtick runs paired with the next run of the same length, as Markdown does it."""
    runs = [match.span() for match in _BACKTICKS.finditer(text)]
    later: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[index][1] - runs[index][0], []).append(index)
    spans: list[Span] = []
    index = 0
    while index < len(runs):
        same = later[runs[index][1] - runs[index][0]]
        while same and same[-1] <= index:
            same.pop()
        if same:
            spans.append((runs[index][0], runs[same[-1]][1]))
            index = same[-1]
        index += 1
    return spans


def _bracket_spans(text: str) -> list[Span]:
    """Outermost balanced brackets and directed quotation marks, in order; over-long ones left out."""
    opened: list[tuple[str, int]] = []
    closed: list[Span] = []
    for match in _BRACKET.finditer(text):
        index, char = match.start(), match.group()
        if char in _OPENERS:
            opened.append((char, index))
        elif char in _PAIRS and opened and opened[-1][0] == _PAIRS[char]:
            start = opened.pop()[1]
            if index + 1 - start <= BRACKETED_CHARS_MAX:
                while closed and closed[-1][0] > start:
                    closed.pop()
                closed.append((start, index + 1))
    return closed


def _trimmed(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    if not piece.strip():
        return None
    return start + len(piece) - len(piece.lstrip()), end - len(piece) + len(piece.rstrip())
