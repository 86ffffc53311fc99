"""What may be quoted, and what everything else looks like."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_offline_provider.quoting import code_span, escaped, is_citable_path, is_quotable


@pytest.mark.parametrize(
    "text",
    [
        "A plain sentence.",
        "Run `rm <file>` and [read on](https://example.org/x).",
        "It is *very* **good** at 12:30.",
        "See <https://example.org>.",
        "三巴（约 300 千帕）。",
    ],
)
def test_prose_is_quotable(text: str) -> None:
    assert is_quotable(text)


@pytest.mark.parametrize(
    "text",
    [
        "# title",
        "> quote",
        "- item",
        "12. item",
        "```",
        "| cell",
        "[a]: b",
        "[ ] task",
        "***",
        "look (a.md:12)",
        "look (a.md:1-2 )",
        "![x](y)",
        "<b>bold",
        "</p>",
        "<!-- x",
        "[x](javascript:y)",
        "[x](data:text)",
        "an `open span",
        "an **open mark",
        "bell\x07",
        "turned \u202e",
        "hidden \u200b",
        "private \ue000",
    ],
)
def test_what_changes_a_report_is_not_quotable(text: str) -> None:
    assert not is_quotable(text)


@pytest.mark.parametrize(
    ("path", "is_citable"),
    [("docs/a.md", True), ("资料/水 1.md", True), ("a:1.md", False), ("<b>.md", False), ("a`b.md", False), ("", False)],
)
def test_a_path_with_a_colon_or_markup_is_not_citable(path: str, is_citable: bool) -> None:
    assert is_citable_path(path) is is_citable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1. One", "1\\. One"),
        ("- x", "\\- x"),
        ("<b> [x](y) `z`", "\\<b\\> \\[x\\](y) \\`z\\`"),
        ("see (a.md:12)", "see (a.md：12)"),
        ("a\x1bb\n c", "a\ufffdb c"),
        ("abcdefgh", "abcd…"),
    ],
)
def test_other_text_is_shown_escaped(text: str, shown: str) -> None:
    assert escaped(text, 5 if text == "abcdefgh" else 80) == shown


@given(st.text(st.characters() | st.sampled_from("<>`*[]()!|:1#\\"), max_size=60))
def test_escaped_text_is_one_inert_line(text: str) -> None:
    shown = escaped(text, 50)
    assert shown.isprintable() and not re.search(r":\d+\)", shown)
    assert all(before == "\\" for before in re.findall(r"(.?)[<>`*\[\]!|#]", shown.replace("\\\\", "")))


@pytest.mark.parametrize(
    ("path", "shown"),
    [("docs/a.md", "`docs/a.md`"), ("a`b.md", "`` a`b.md ``"), ("a|b:1).md", "`a%7Cb%3A1).md`")],
)
def test_a_path_is_shown_in_a_code_span(path: str, shown: str) -> None:
    assert code_span(path) == shown
