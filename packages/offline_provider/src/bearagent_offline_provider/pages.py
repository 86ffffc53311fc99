"""What a page of a file adds to the ledger: titles, the best passages, and where to read on."""

from collections import Counter

import msgspec

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import JsonObject
from bearagent_domain.messages import ToolAnswer
from bearagent_offline_provider.documents import Page, Passage, Title, page_of
from bearagent_offline_provider.ledger import Ledger
from bearagent_offline_provider.listings import ROOT
from bearagent_offline_provider.notes import DocumentNotes, Heading, PendingFile, Quote
from bearagent_offline_provider.objectives import Objective
from bearagent_offline_provider.quoting import is_citable_path, is_quotable
from bearagent_offline_provider.ranking import PageWords, focus_of, without_repeats

QUOTES_MAX = 24  # of one document
TERMS_MAX = 16
HASH_CHARS = 12  # enough to see a change between two pages, and to find the bytes again
QUOTE_CHARS_MAX = 500
TITLE_CHARS_MAX = 200


def take_page(ledger: Ledger, path: str, answer: ToolAnswer) -> None:
    """Take in the answer to reading the file `path` from where it is pending."""
    if answer.error is not None:
        _take_error(ledger, path, answer.error.code)
    elif not _number(answer.facts, "total_lines"):
        ledger.stop(path, "empty")
    else:
        _take_text(ledger, ledger.files.pop(path, PendingFile(path)), answer)


def _take_error(ledger: Ledger, path: str, code: ErrorCode) -> None:
    is_named = path in ledger.objective.files
    if code is ErrorCode.PATH_IS_DIRECTORY and is_named:
        del ledger.files[path]
        ledger.add_folder(path)
    elif code is ErrorCode.PATH_NOT_FOUND and is_named and "/" not in path:
        del ledger.files[path]  # the objective gives a bare name: look for it
        ledger.wanted.append(path)
        for folder in ledger.objective.folders or (ROOT,):
            ledger.add_folder(folder)
    else:
        ledger.stop(path, code.value)


def _take_text(ledger: Ledger, pending: PendingFile, answer: ToolAnswer) -> None:
    facts, path = answer.facts, pending.path
    total, size, sha256 = (
        _number(facts, "total_lines"),
        _number(facts, "size"),
        str(facts.get("sha256", ""))[:HASH_CHARS],
    )
    document = ledger.documents.get(path)
    if document is None:
        document = DocumentNotes(path, size, sha256, total)
        if pending.start_line > 1:
            ledger.find_again()
            document = msgspec.structs.replace(document, remark="notes_lost")
    if document.sha256 != sha256 or facts.get("changed") is True:
        ledger.documents[path] = DocumentNotes(path, size, sha256, total, remark="changed")
        return
    is_cut, is_last = facts.get("line_cut") is True, facts.get("next_start_line") is None
    page = page_of(
        answer.content,
        path,
        start_line=pending.start_line,
        open_until=pending.open_until,
        is_last=is_last,
        is_cut=is_cut,
    )
    remark = "line_cut" if is_cut else document.remark
    ledger.documents[path] = _merged(document, page, ledger.objective, remark)
    if not is_last and page.next_line <= total:
        ledger.files = {path: PendingFile(path, size, page.next_line, page.open_until), **ledger.files}


def _merged(document: DocumentNotes, page: Page, objective: Objective, remark: str) -> DocumentNotes:
    """`document` with what `page` adds; of the quotes the best are kept."""
    words = PageWords(page)
    candidates = words.ranked(_may_be_quoted, focus_of(objective.words)) if is_citable_path(document.path) else ()
    found = [
        Quote(item.passage.text, item.passage.start_line, item.passage.end_line, item.score)
        for item in without_repeats(candidates, QUOTES_MAX)
    ]
    quotes = sorted((*document.quotes, *found), key=lambda quote: (-quote.score, quote.start_line))
    counts = Counter(dict(document.terms)) + words.counts if objective.compares else Counter()
    return msgspec.structs.replace(
        document,
        lines_read=page.next_line - 1,
        headings=(*document.headings, *(_heading(title) for title in page.titles)),
        quotes=tuple(quotes[:QUOTES_MAX]),
        terms=tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:TERMS_MAX]),
        remark=remark,
    )


def _may_be_quoted(passage: Passage) -> bool:
    return len(passage.text) <= QUOTE_CHARS_MAX and is_quotable(passage.text)


def _heading(title: Title) -> Heading:
    """One character more than fits says that the title is longer."""
    return Heading(title.text[: TITLE_CHARS_MAX + 1], title.level, title.start_line, title.end_line)


def _number(facts: JsonObject, name: str) -> int:
    value = facts.get(name)
    return value if isinstance(value, int) else 0
