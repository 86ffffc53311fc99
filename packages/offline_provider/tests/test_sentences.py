"""Sentences in English and Chinese."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_offline_provider.sentences import is_ended, sentence_spans


def sentences_of(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["The pump runs.", "It stops at night!", "Does it freeze?"],
        ["Dr. Brandt met Mr. Li at 3.5 bar, e.g. in winter.", "Fig. 2 shows it."],
        ["It was built by Smith et al. in 2019.", "Nobody knows why."],
        ["He lives in the U.S. and in Peru.", "She does not."],
        ["We came at 5 p.m. and left.", "Approx. 20 birds were seen."],
        ["Pumps, pipes, etc. are stored.", "The rest is sold."],
        ["Run `a.b. C.d` first.", "Then stop."],
        ["It ended (Nobody. Knew. Why.) in May.", "June came."],
        ["今天下雨。", "泵停了！", "真的吗？", "是的。"],
        ["他说：“不行。走吧。”", "她没有走。"],
        ["水位是 3.5 米。", "Next it fell."],
        ["See the note.[1]", "It is short."],
    ],
)
def test_sentences_are_told_apart(sentences: list[str]) -> None:
    joiner = "" if sentences[0].endswith(("。", "！")) and sentences[1][0] > "z" else " "
    assert sentences_of(joiner.join(sentences)) == sentences


def test_a_line_break_within_a_sentence_does_not_end_it() -> None:
    assert sentences_of("It runs\nat night. It stops\nby day.") == ["It runs\nat night.", "It stops\nby day."]


@pytest.mark.parametrize(
    ("text", "ended"), [("Yes.", True), ('"Yes!"', True), ("好。”", True), ("Yes", False), ("a:", False)]
)
def test_a_sentence_has_an_end(text: str, ended: bool) -> None:
    assert is_ended(text) is ended


@given(st.text(st.sampled_from("aA1 .!?。！？()（）“”`\n[]^*_"), max_size=80))
def test_spans_cover_all_but_white_space_in_order(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[start:end].split()) for start, end in spans) == "".join(text.split())
    assert all(start < end for start, end in spans)
    assert all(before[1] <= after[0] for before, after in zip(spans, spans[1:], strict=False))


@pytest.mark.parametrize("unit", ["(", "`", ". ", "a. ", "“”", "1. ", ")", "``` ` ", "。", ".)"])
def test_hostile_text_of_a_page_is_split_without_end(unit: str) -> None:
    assert sentence_spans(unit * (65_536 // len(unit)))
