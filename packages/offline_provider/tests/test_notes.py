"""Notes as text: whole, too long, cut, or not ours."""

import pytest

from bearagent_offline_provider.notes import (
    Delivery,
    DocumentNotes,
    Heading,
    Notes,
    PendingFile,
    PendingFolder,
    Plan,
    Quote,
    Skip,
    carried_in,
    delivery_text,
    notes_text,
)

SHA = "0" * 64


def notes_of(documents: int, quotes: int = 2, bytes_max: int = 65_536) -> Notes:
    plan = Plan(
        files=(PendingFile("a.md", 3, 7, "```"),),
        folders=(PendingFolder("docs", "b"),),
        skipped=(Skip("c.png", "not_text"),),
        counted=(("hidden", 3),),
        documents=documents,
        bytes_max=bytes_max,
    )
    quote, heading = Quote('She said "水\\n".', 1, 2, 90), Heading("Title", 1, 1, 1)
    document = DocumentNotes("docs/0.md", 10, SHA, 5, 5, (heading,) * 30, 1, (quote,) * quotes, (("water", 3),))
    return Notes(plan, (document,) * documents)


def test_notes_come_back_as_they_were() -> None:
    assert carried_in(notes_text(notes_of(3))) == notes_of(3)


def test_a_delivery_comes_back_as_it_was() -> None:
    delivery = Delivery(documents=1, size=2, citations=3, skipped=4, denied=5)
    assert carried_in(delivery_text(delivery)) == delivery


def test_too_many_sentences_are_left_out_evenly() -> None:
    text = notes_text(notes_of(200, quotes=24))
    assert len(text.encode()) <= 65_536
    carried = carried_in(text)
    assert isinstance(carried, Notes) and len(carried.documents) == 200
    assert len({(len(document.quotes), len(document.headings)) for document in carried.documents}) == 1
    assert carried.documents[0].headings_left_out == 1 + 30 - len(carried.documents[0].headings)


def test_documents_without_room_are_counted_as_lost() -> None:
    carried = carried_in(notes_text(notes_of(200, bytes_max=4_096)))
    assert isinstance(carried, Notes) and 0 < len(carried.documents) < 200
    assert carried.plan.documents_lost == 200 - len(carried.documents)


def test_a_text_cut_at_a_line_says_how_many_documents_are_lost() -> None:
    lines = notes_text(notes_of(5)).split("\n")
    carried = carried_in("\n".join(lines[:4]) + "\n")
    assert isinstance(carried, Notes)
    assert (len(carried.documents), carried.plan.documents_lost) == (2, 3)


@pytest.mark.parametrize("text", ["", "Hello.", "Notes of the offline provider for its next turn.\n{}", "\n" * 9])
def test_another_text_carries_nothing(text: str) -> None:
    assert carried_in(text) is None
