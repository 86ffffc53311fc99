"""What a text from outside may send to a terminal: nothing but itself."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_cli.machine import json_line
from bearagent_cli.terminal import on_one_line, visible
from bearagent_domain.json_values import parse_json_text

OBEYED = {"Cc", "Zl", "Zp"}
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def test_every_character_that_a_terminal_obeys_is_escaped() -> None:
    obeyed = [chr(one) for one in range(0x3000) if unicodedata.category(chr(one)) in OBEYED or chr(one) in BIDI]
    for one in set(obeyed) - set("\n\t"):
        assert visible(one).startswith("\\"), hex(ord(one))
        assert one == "\r" or json_line(one).isprintable(), hex(ord(one))


def test_the_line_ends_of_windows_are_line_ends() -> None:
    assert visible("a\r\nb\rc") == "a\nb\\x0dc"


@given(st.text())
def test_no_text_moves_the_cursor_or_turns_the_line(text: str) -> None:
    shown = visible(text)
    assert not any(unicodedata.category(one) in OBEYED and one not in "\n\t" or one in BIDI for one in shown)
    shown.encode()


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    assert len(on_one_line(text).splitlines()) <= 1


@pytest.mark.parametrize("text", ["[bold]x[/red]", "list[str] [y/N]", "熊 👩‍🚀 é", "a  b\n\tc", ":bear:"])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_json_means_the_same_and_holds_no_control_code(text: str) -> None:
    shown = json_line({"text": text})
    assert parse_json_text(shown) == {"text": text}
    assert visible(shown) == shown
