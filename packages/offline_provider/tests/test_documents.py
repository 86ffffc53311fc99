"""One page of Markdown or plain text: titles, sentences and cells with their lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_offline_provider.documents import Page, page_of


def places(page: Page) -> list[tuple[str, int, int]]:
    return [(passage.text, passage.start_line, passage.end_line) for passage in page.passages]


def texts_in(content: str, path: str = "a.md") -> list[str]:
    return [passage.text for passage in page_of(content, path).passages]


def test_a_sentence_has_the_lines_on_which_it_stands() -> None:
    page = page_of("The pump runs\nat three bar. It\nstops.\n\nIt rests.\n", "a.md")
    assert places(page) == [("The pump runs at three bar.", 1, 2), ("It stops.", 2, 3), ("It rests.", 5, 5)]


def test_titles_have_levels_and_lines() -> None:
    page = page_of(
        "# One #\n\n## *Two*\n\nThree\n=====\n\nFour\nlines\n---\n\n#no title\n####### no title\n#\n", "a.md"
    )
    assert [(title.text, title.level, title.start_line, title.end_line) for title in page.titles] == [
        ("One", 1, 1, 1),
        ("*Two*", 2, 3, 3),
        ("Three", 1, 5, 5),
        ("Four lines", 2, 8, 9),
    ]


@pytest.mark.parametrize(
    "left_out",
    [
        "```\nCode is here. No.\n```",
        "~~~~ python\nCode. No.\n~~~\nMore code. No.\n~~~~",
        "    Indented code is here. No.",
        "<div>\nHTML is here. No.\n</div>",
        "<!-- A comment. No.\n\nIt goes on. No. -->",
        "[link]: http://example.org/No. 'No.'",
        "|---|---|",
        "***",
    ],
)
def test_what_is_no_prose_is_left_out(left_out: str) -> None:
    assert texts_in(f"It begins.\n\n{left_out}\n\nIt ends.\n") == ["It begins.", "It ends."]


def test_indented_text_behind_a_list_belongs_to_it_and_is_code_elsewhere() -> None:
    content = "- One.\n\n    Two.\n\nThree.\n\n    Four.\n"
    assert texts_in(content) == ["One.", "Two.", "Three."]


def test_front_matter_is_left_out_at_the_beginning_only() -> None:
    assert texts_in("---\ntitle: It is no sentence.\n---\nIt begins.\n") == ["It begins."]
    assert texts_in("It begins.\n\n---\n\nIt goes on.\n") == ["It begins.", "It goes on."]


def test_list_items_are_paragraphs_of_their_own() -> None:
    content = (
        "- One is here. It\n  goes on.\n- [ ] Two is open.\n3. Three is here.\n   - Four is here.\n- no sentence\n"
    )
    assert texts_in(content) == ["One is here.", "It goes on.", "Two is open.", "Three is here.", "Four is here."]


def test_a_number_within_a_paragraph_is_no_list_item() -> None:
    assert texts_in("It was built in\n1990. Then it\n1. One.\n2. Two.\n") == ["It was built in 1990.", "One.", "Two."]


def test_a_title_ends_a_list() -> None:
    assert texts_in("- One.\n\n# Title\n\n    Code is here. No.\n") == ["One."]


def test_a_table_gives_whole_cells() -> None:
    content = "| part | task |\n|:--|--:|\n| valve | It `opens` \\| closes. |\nAfter it. | No cell here.\n\nIt ends.\n"
    page = page_of(content, "a.md")
    cells = [passage.text for passage in page.passages if passage.kind == "cell"]
    assert cells == ["part", "task", "valve", "It `opens` \\| closes.", "After it.", "No cell here."]
    assert page.passages[-1].text == "It ends."


def test_a_quotation_gives_only_sentences_on_one_line() -> None:
    assert texts_in("> One is here. Two goes\n> on. Three is here.\n>\n> - Four is here.\n") == [
        "One is here.",
        "Three is here.",
        "Four is here.",
    ]


def test_plain_text_has_no_marks_of_markdown() -> None:
    page = page_of("NOTES\n=====\n\n# is a comment here.\n    It is indented.\n　　第一段。\n", "a.txt")
    assert [title.text for title in page.titles] == ["NOTES"]
    assert [passage.text for passage in page.passages] == ["# is a comment here.", "It is indented.", "第一段。"]


def test_the_first_passage_under_a_title_leads() -> None:
    page = page_of("# A\n\nOne. Two.\n\n## B\n\nThree.\n", "a.md")
    assert [passage.leads for passage in page.passages] == [True, False, True]


def test_other_line_ends_and_marks_are_no_lines() -> None:
    page = page_of("\ufeff# One\r\n\r\nTwo\u2028is\x0bhere.\r\nThree.\r\n", "a.md")
    assert [title.text for title in page.titles] == ["One"]
    assert places(page) == [("Two is here.", 3, 3), ("Three.", 4, 4)]


def test_a_paragraph_at_the_end_of_a_page_waits_for_the_next_one() -> None:
    page = page_of("One.\n\nTwo goes\n", "a.md", is_last=False)
    assert (places(page), page.next_line) == ([("One.", 1, 1)], 3)


def test_a_sentence_that_fills_a_page_is_given_on_neither_side() -> None:
    first = page_of("One. Two goes\n", "a.md", is_last=False)
    second = page_of("on. Three.\n", "a.md", start_line=first.next_line, open_until=first.open_until)
    assert places(first) == [("One.", 1, 1)] and places(second) == [("Three.", 2, 2)]


@pytest.mark.parametrize("opening", ["```", "<!--", "---"])
def test_what_is_open_at_the_end_of_a_page_stays_open(opening: str) -> None:
    first = page_of(f"{opening}\nIt is code.\n", "a.md", is_last=False)
    second = page_of("It is code.\n", "a.md", start_line=first.next_line, open_until=first.open_until)
    assert not first.passages and not second.passages and second.open_until


def test_a_cut_line_gives_its_whole_sentences() -> None:
    for cut in ("Two is he", "Two is 3."):
        page = page_of(f"One is here. {cut}", "a.md", is_last=False, is_cut=True)
        assert (places(page), page.next_line) == ([("One is here.", 1, 1)], 2)


@given(
    st.lists(
        st.sampled_from(
            ["# T", "A b. C d!", "goes on", "- x. Y.", "> q. R.", "| a. | b |", "|---|---|", "```", "", "  z.", "==="]
        ),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 8),
)
def test_pages_give_only_what_the_whole_gives(lines: list[str], page_lines: int) -> None:
    content = "\n".join(lines) + "\n"
    whole = page_of(content, "a.md")
    found: list[tuple[str, int, int]] = []
    start, open_until = 1, ""
    while start <= len(lines):
        end = min(len(lines), start + page_lines - 1)
        part = "\n".join(lines[start - 1 : end]) + "\n"
        page = page_of(part, "a.md", start_line=start, open_until=open_until, is_last=end == len(lines))
        found += places(page)
        assert page.next_line > start
        start, open_until = page.next_line, page.open_until
    literal = [(" ".join(" ".join(lines[first - 1 : last]).split()), text) for text, first, last in found]
    assert all(text in line for line, text in literal)
    assert len(found) <= len(whole.passages) + sum("|" in line for line in lines) * 2 + len(lines)


@pytest.mark.parametrize(
    "unit",
    [
        "#",
        "# ",
        " ",
        "|",
        "| ",
        "- ",
        "> ",
        "`",
        "\n",
        "\n# ",
        "\n- ",
        "\n|",
        "-",
        "=\n",
        "<",
        "<!--",
        "[",
        "[a",
        "\t",
        "* ",
    ],
)
@pytest.mark.parametrize("path", ["a.md", "a.txt"])
def test_a_hostile_page_is_read_without_end(unit: str, path: str) -> None:
    page = page_of("x" + unit * (65_536 // len(unit)) + "x", path)
    assert page.next_line > 1
