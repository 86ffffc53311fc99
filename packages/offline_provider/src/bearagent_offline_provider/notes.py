"""What the provider carries from turn to turn: its plan and its notes, in the text of each answer.

The text is a sentence for the reader of the record, then JSON Lines: the plan first, then one line per document. A text
that was cut at a line's end gives back what is whole; how many documents were lost is known from the plan. With many
documents fewer titles and sentences of each are kept, so that all fits into 64 KiB.
"""

from typing import TypeAlias

import msgspec

NOTES_BYTES_MAX = 65_536
PATHS_BYTES_MAX = 16_384  # of all paths together; files that come after that are only counted
INTRODUCTION = "Notes of the offline provider for its next turn."
DELIVERY = "The offline provider hands over its report."
# How many titles and sentences of each document are kept: the first pair with which all fits.
KEPT = ((60, 24), (40, 16), (24, 12), (16, 8), (12, 6), (10, 5), (8, 4), (6, 3), (4, 2), (2, 1), (1, 1), (0, 0))


class _Line(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Base of all that is carried: arrays, because the names of fields would take room."""


class Quote(_Line, frozen=True):
    """A passage that may stand in the report, and its score."""

    text: str
    start_line: int
    end_line: int
    score: int


class Heading(_Line, frozen=True):
    """A title for the outline."""

    text: str
    level: int
    start_line: int
    end_line: int


class DocumentNotes(_Line, frozen=True):
    """What is known of one document; `quotes` best first. `remark` is a code for what is wrong with it, or empty.

    `sha256` is its beginning; `terms` are kept for comparisons only; `lines_read` is less than `lines` as long as it is
    being read, and when the rest was left.
    """

    path: str
    size: int
    sha256: str
    lines: int
    lines_read: int = 0
    headings: tuple[Heading, ...] = ()
    headings_left_out: int = 0
    quotes: tuple[Quote, ...] = ()
    terms: tuple[tuple[str, int], ...] = ()
    remark: str = ""


class PendingFile(_Line, frozen=True):
    """A file to read from a line on; `open_until` as in `documents.Page`. The size is 0 when it is not known."""

    path: str
    size: int = 0
    start_line: int = 1
    open_until: str = ""


class PendingFolder(_Line, frozen=True):
    """A folder to list from a cursor on."""

    path: str
    cursor: str | None = None


class Skip(_Line, frozen=True):
    """Something that was not read, and the code that says why."""

    path: str
    reason: str


class Plan(_Line, frozen=True):
    """Where the work stands; calls that wait for their answers are still among `files` and `folders`.

    `wanted` are file names to look for; `counted` are the skips that had no room, by reason; `room` is the number of
    bytes that further paths may take. `is_narrow` says that the context is small: one file a turn.
    """

    files: tuple[PendingFile, ...] = ()
    folders: tuple[PendingFolder, ...] = ()
    wanted: tuple[str, ...] = ()
    skipped: tuple[Skip, ...] = ()
    counted: tuple[tuple[str, int], ...] = ()
    files_found: int = 0
    folders_found: int = 0
    turns: int = 0
    calls: int = 0
    documents: int = 0
    documents_lost: int = 0
    room: int = PATHS_BYTES_MAX
    bytes_max: int = NOTES_BYTES_MAX
    is_narrow: bool = False


class Notes(_Line, frozen=True):
    """The plan and the documents, in the order of their paths."""

    plan: Plan = Plan()
    documents: tuple[DocumentNotes, ...] = ()


class Delivery(_Line, frozen=True):
    """What the final answer tells, once the report is handed over for writing."""

    documents: int
    size: int
    citations: int
    skipped: int
    denied: int


Carried: TypeAlias = Notes | Delivery


def notes_text(notes: Notes) -> str:
    """`notes` as text of at most `plan.bytes_max` bytes; what has no room is left out, sentences and titles first."""
    for titles_max, quotes_max in KEPT:
        text = _text_of(shortened(notes, titles_max, quotes_max))
        if len(text.encode()) <= notes.plan.bytes_max:
            return text
    kept = shortened(notes, 0, 0)
    while kept.documents and len(text.encode()) > notes.plan.bytes_max:
        documents = kept.documents[: len(kept.documents) * 3 // 4]
        lost = kept.plan.documents_lost + len(kept.documents) - len(documents)
        kept = Notes(msgspec.structs.replace(kept.plan, documents_lost=lost), documents)
        text = _text_of(kept)
    return text


def shortened(notes: Notes, titles_max: int, quotes_max: int) -> Notes:
    """`notes` with so many titles and quotes of each document at most."""
    return Notes(notes.plan, tuple(_shortened(document, titles_max, quotes_max) for document in notes.documents))


def delivery_text(delivery: Delivery) -> str:
    """`delivery` as text."""
    return f"{DELIVERY}\n{msgspec.json.encode(delivery).decode()}\n"


def carried_in(text: str) -> Carried | None:
    """What `text` carries, as far as it is whole; None if it is not a text of ours or its plan is lost."""
    introduction, *lines = text.split("\n")
    try:
        if introduction == DELIVERY:
            return msgspec.json.decode(lines[0], type=Delivery)
        if introduction == INTRODUCTION:
            return _notes_in(lines)
    except (msgspec.MsgspecError, IndexError):
        return None
    return None


def _notes_in(lines: list[str]) -> Notes:
    plan = msgspec.json.decode(lines[0], type=Plan)
    documents: list[DocumentNotes] = []
    for line in lines[1 : 1 + plan.documents]:
        try:
            documents.append(msgspec.json.decode(line, type=DocumentNotes))
        except msgspec.MsgspecError:
            break
    lost = plan.documents_lost + plan.documents - len(documents)
    return Notes(msgspec.structs.replace(plan, documents_lost=lost), tuple(documents))


def _text_of(notes: Notes) -> str:
    plan = msgspec.structs.replace(notes.plan, documents=len(notes.documents))
    lines = [msgspec.json.encode(plan), *(msgspec.json.encode(document) for document in notes.documents)]
    return "\n".join([INTRODUCTION, *(line.decode() for line in lines), ""])


def _shortened(document: DocumentNotes, titles_max: int, quotes_max: int) -> DocumentNotes:
    headings, left_out = document.headings[:titles_max], document.headings_left_out
    return msgspec.structs.replace(
        document,
        headings=headings,
        headings_left_out=left_out + len(document.headings) - len(headings),
        quotes=document.quotes[:quotes_max],
        terms=document.terms if quotes_max else (),
    )
