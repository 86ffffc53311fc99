"""The report: well-formed Markdown in the language of the objective."""

from collections import Counter
from collections.abc import Iterator, Sequence

from bearagent_domain.documents import Rec
from bearagent_offline_provider.citations import CitationWriter
from bearagent_offline_provider.notes import KEPT, Delivery, DocumentNotes, Notes, shortened
from bearagent_offline_provider.objectives import Objective
from bearagent_offline_provider.phrases import Phrases, phrases_in
from bearagent_offline_provider.quoting import code_span, escaped
from bearagent_offline_provider.ranking import terms_of

REPORT_BYTES_MAX = 524_288  # what the write tool takes
OBJECTIVE_CHARS_MAX = 300
COMPARED_TERMS_MAX = 6
TERMS_SHOWN_MAX = 10
PATHS_SHOWN_MAX = 20  # of those skipped for one reason
QUOTES_SHOWN = ((1, 12), (5, 8), (20, 5))  # up to so many documents, so many sentences of each
QUOTES_SHOWN_MIN = 3
DENIALS = frozenset({"tool_not_allowed", "tool_effect_refused", "tool_unknown"})


class Report(Rec, frozen=True, kw_only=True):
    """The text, and what the final answer tells of it."""

    text: str
    delivery: Delivery


def report_of(notes: Notes, objective: Objective) -> Report:
    """The report on what is in `notes`, at most 512 KiB; the same notes and objective give the same bytes.

    With long paths, which stand behind each quotation, fewer titles and sentences are shown.
    """
    for titles_max, quotes_max in KEPT:
        report = _report_of(shortened(notes, titles_max, quotes_max), objective)
        if len(report.text.encode()) <= REPORT_BYTES_MAX:
            break
    return report


def _report_of(notes: Notes, objective: Objective) -> Report:
    phrases, documents = phrases_in(objective.language), notes.documents
    citations = CitationWriter(phrases)
    parts = [
        f"# {phrases.title}",
        phrases.objective.format(escaped(objective.text, OBJECTIVE_CHARS_MAX)),
        phrases.nature,
        *_read(notes, phrases),
    ]
    if len(documents) > 1:
        parts += _overview(documents, phrases, citations)
    if len(documents) > 1 and objective.compares:
        parts += _comparison(documents, phrases, citations)
    if documents:
        parts += _documents(documents, phrases, citations)
    parts += [f"## {phrases.skipped}", _skips(notes, phrases)]
    skips = Counter(dict(notes.plan.counted)) + Counter(skip.reason for skip in notes.plan.skipped)
    delivery = Delivery(
        documents=len(documents) + notes.plan.documents_lost,
        size=sum(document.size for document in documents),
        citations=citations.count,
        skipped=skips.total(),
        denied=sum(count for reason, count in skips.items() if reason in DENIALS),
    )
    return Report(text="\n\n".join(parts) + "\n", delivery=delivery)


def _read(notes: Notes, phrases: Phrases) -> Iterator[str]:
    yield f"## {phrases.read}"
    if notes.documents:
        rows = [_row(document, phrases) for document in notes.documents]
        yield "\n".join([phrases.table_head, "|---|---:|---:|---|", *rows])
    else:
        yield phrases.nothing_read
    if notes.plan.documents_lost:
        yield phrases.lost.format(notes.plan.documents_lost)


def _row(document: DocumentNotes, phrases: Phrases) -> str:
    read, lines = min(document.lines_read, document.lines), document.lines
    shown = f"{lines}" if read == lines else phrases.lines_of.format(read, lines)
    return f"| {code_span(document.path)} | {document.size} | {shown} | `{document.sha256}` |"


def _overview(documents: Sequence[DocumentNotes], phrases: Phrases, citations: CitationWriter) -> Iterator[str]:
    """The best sentence of each document."""
    items = [citations.quotes(document, document.quotes[:1]) for document in documents if document.quotes]
    if items:
        yield f"## {phrases.overview}"
        yield "\n".join(items)


def _comparison(documents: Sequence[DocumentNotes], phrases: Phrases, citations: CitationWriter) -> Iterator[str]:
    """What several documents say about the words that they share, and which words are each one's own."""
    yield f"## {phrases.comparison}"
    yield phrases.comparison_note
    holders = Counter(term for document in documents for term, _ in document.terms)
    weights = Counter[str]()
    for document in documents:
        weights.update(dict(document.terms))
    shared = sorted((term for term in holders if holders[term] > 1), key=lambda term: (-weights[term], term))
    for term in shared[:COMPARED_TERMS_MAX]:
        yield f"### {escaped(term, OBJECTIVE_CHARS_MAX)}"
        items = [_quote_with(term, document, citations) for document in documents]
        yield "\n".join(item for item in items if item) or phrases.no_sentences
    if not shared:
        yield phrases.no_shared_terms
    own = {
        document.path: [term for term, _ in document.terms if holders[term] == 1][:TERMS_SHOWN_MAX]
        for document in documents
    }
    yield f"### {phrases.own_terms}"
    yield "\n".join(f"- {code_span(path)}: {_listed(terms, phrases)}" for path, terms in own.items())


def _quote_with(term: str, document: DocumentNotes, citations: CitationWriter) -> str:
    found = next((quote for quote in document.quotes if term in terms_of(quote.text)), None)
    return citations.quotes(document, [found]) if found else ""


def _listed(terms: Sequence[str], phrases: Phrases) -> str:
    return phrases.separator.join(escaped(term, OBJECTIVE_CHARS_MAX) for term in terms) or "–"


def _documents(documents: Sequence[DocumentNotes], phrases: Phrases, citations: CitationWriter) -> Iterator[str]:
    quotes_max = next((shown for count, shown in QUOTES_SHOWN if len(documents) <= count), QUOTES_SHOWN_MIN)
    yield f"## {phrases.documents}"
    for document in documents:
        yield f"### {code_span(document.path)}"
        if document.remark:
            yield f"**{_reason(document.remark, phrases)}**"
        yield f"#### {phrases.outline}"
        yield citations.outline(document) or phrases.no_titles
        if document.headings_left_out:
            yield phrases.more_titles.format(document.headings_left_out)
        yield f"#### {phrases.sentences}"
        shown = sorted(document.quotes[:quotes_max], key=lambda quote: (quote.start_line, quote.end_line, -quote.score))
        yield citations.quotes(document, shown) or phrases.no_sentences


def _skips(notes: Notes, phrases: Phrases) -> str:
    """One item a reason, with the paths that are known by name."""
    paths: dict[str, list[str]] = {}
    for skip in notes.plan.skipped:
        paths.setdefault(skip.reason, []).append(skip.path)
    counted = dict(notes.plan.counted)
    items: list[str] = []
    for reason in sorted({*paths, *counted}):
        named = sorted(paths.get(reason, ()))
        shown = [code_span(path) for path in named[:PATHS_SHOWN_MAX]]
        further = len(named) - len(shown) + counted.get(reason, 0)
        if further:
            shown.append(phrases.more.format(further))
        items.append(f"- {_reason(reason, phrases)}: {phrases.separator.join(shown)}")
    return "\n".join(items) or phrases.nothing_skipped


def _reason(reason: str, phrases: Phrases) -> str:
    return f"{phrases.reasons.get(reason, phrases.unknown_reason)} (`{reason}`)"
