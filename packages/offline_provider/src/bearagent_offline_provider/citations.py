"""List items with a place: the only lines of a report that carry `(path:line)`, and the text before it is literal."""

from collections.abc import Iterable

from bearagent_offline_provider.notes import DocumentNotes, Heading, Quote
from bearagent_offline_provider.phrases import Phrases
from bearagent_offline_provider.quoting import escaped, is_citable_path, is_quotable

TITLE_CHARS_MAX = 200


class CitationWriter:
    """Writes items and counts those that are cited."""

    def __init__(self, phrases: Phrases) -> None:
        self._phrases = phrases
        self.count = 0

    def quotes(self, document: DocumentNotes, quotes: Iterable[Quote]) -> str:
        """One item for each quote, in the order given."""
        return "\n".join(f"- {self._cited(document.path, quote)}" for quote in quotes)

    def outline(self, document: DocumentNotes) -> str:
        """The titles as nested items. One that can't stand in a list item as it is comes escaped and uncited."""
        items: list[str] = []
        open_levels: list[int] = []
        for heading in document.headings:
            while open_levels and open_levels[-1] >= heading.level:
                open_levels.pop()
            items.append("  " * len(open_levels) + "- " + self._title(document.path, heading))
            open_levels.append(heading.level)
        return "\n".join(items)

    def _title(self, path: str, heading: Heading) -> str:
        is_whole = len(heading.text) <= TITLE_CHARS_MAX
        if is_whole and is_citable_path(path) and is_quotable(heading.text):
            return self._cited(path, heading)
        return self._phrases.title_at.format(escaped(heading.text, TITLE_CHARS_MAX), heading.start_line)

    def _cited(self, path: str, passage: Quote | Heading) -> str:
        self.count += 1
        start, end = passage.start_line, passage.end_line
        return f"{passage.text} ({path}:{start})" if start == end else f"{passage.text} ({path}:{start}-{end})"
