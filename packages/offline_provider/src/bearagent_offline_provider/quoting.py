"""What may stand in the report as it is, and how the rest is shown.

A cited list item is literal, so nothing in it can be escaped: a text that would change the report's structure, hide
characters, load something or look like a citation is not quoted at all. Everything else that comes from outside
(titles that cannot be quoted, paths, the objective) is shown escaped or in a code span.
"""

import re

_LOOKS_CITED = re.compile(r":\d+(?:\s*[-–]\s*\d+)?\s*\)")
_BLOCK_START = re.compile(r"(?:#|>|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$)|```|~~~|\||\[[^\]]*\]:|\[[ xX]\]\s|[-=_*\s]+$)")
_MARKUP = re.compile(r"<(?:[A-Za-z/!?])")
_AUTOLINK = re.compile(r"<https?://[^\s<>]*>")
_SCHEME = re.compile(r"\]\(\s*<?\s*(?!https?:|mailto:)[A-Za-z][A-Za-z0-9+.-]*:")
_BACKTICKS = re.compile("`+")
_PUNCTUATION = re.compile(r"([\\`*_\[\]<>#|~&!$])")
_LIST_MARK = re.compile(r"(\d{0,9})([-+=.)])")


def one_line(text: str) -> str:
    """`text` with each run of white space made one space: how a literal text is compared with its file."""
    return " ".join(text.split())


def is_quotable(text: str) -> bool:
    """Whether `text` (one line, white space made one) can be a list item of Markdown without being changed."""
    return _BLOCK_START.match(text) is None and is_inert(text)


def is_inert(text: str) -> bool:
    """Whether `text` inside a line is free of markup, images, hidden characters and look-alikes of citations."""
    if _LOOKS_CITED.search(text) or "![" in text or text.count("**") % 2 or has_hidden(text):
        return False
    if _SCHEME.search(text) or _MARKUP.search(_AUTOLINK.sub("", _without_code(text))):
        return False
    return len(_BACKTICKS.findall(text)) % 2 == 0


def has_hidden(text: str) -> bool:
    """Whether `text`, one line, holds control, format (bidi, zero-width), private or unassigned characters."""
    return not text.isprintable()


def escaped(text: str, chars_max: int) -> str:
    """`text` as one inert line of Markdown: hidden characters replaced, punctuation escaped, cut with an ellipsis.

    What looks like a citation gets a full-width colon, so that it is none for a reader either.
    """
    line = _LOOKS_CITED.sub(lambda match: "：" + match.group()[1:], one_line(_visible(text)))
    if len(line) > chars_max:
        line = line[: chars_max - 1] + "…"
    inert = _PUNCTUATION.sub(r"\\\1", line)
    mark = _LIST_MARK.match(inert)
    return inert if mark is None else f"{mark[1]}\\{inert[mark.end(1) :]}"


def code_span(text: str) -> str:
    """`text`, a path, as a code span that also fits a table cell; hidden characters and colons are shown escaped."""
    shown = one_line(_visible(text)).replace(":", "%3A").replace("|", "%7C")
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    if not longest:
        return f"`{shown}`"
    fence = "`" * (longest + 1)
    return f"{fence} {shown} {fence}"


def is_citable_path(path: str) -> bool:
    """Whether `path` can stand in a citation as it is. A colon would make `path:line` ambiguous."""
    return bool(path) and ":" not in path and path == one_line(path) and is_inert(path)


def _without_code(text: str) -> str:
    """`text` without the content of single-backtick code spans, where angle brackets are harmless."""
    return "".join(text.split("`")[::2]) if _BACKTICKS.findall(text).count("`") == text.count("`") else text


def _visible(text: str) -> str:
    return "".join("\ufffd" if has_hidden(char) and not char.isspace() else char for char in text)
