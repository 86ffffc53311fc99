"""The order in which passages are taken."""

from bearagent_offline_provider.documents import Passage, page_of
from bearagent_offline_provider.ranking import PageWords, focus_of, terms_of, without_repeats


def best_of(content: str, objective: str = "", count: int = 1) -> list[str]:
    ranked = PageWords(page_of(content, "a.md")).ranked(lambda passage: True, focus_of(objective))
    return [item.passage.text for item in without_repeats(ranked, count)]


def test_a_passage_of_repeated_words_comes_first() -> None:
    content = (
        "Nobody asked the gardener. The river carries sand. Sand fills the river. The river needs sand and water.\n"
    )
    assert "river" in best_of(content)[0]


def test_words_of_the_objective_weigh_more() -> None:
    content = "The river carries sand. Sand fills the river. The heron nests in old reed.\n"
    assert best_of(content, "What about the heron?") == ["The heron nests in old reed."]


def test_words_of_a_title_weigh_more() -> None:
    content = "# Herons\n\nSheep graze on dry meadows there. Shy herons avoid people nearby.\n"
    assert best_of(content) == ["Shy herons avoid people nearby."]


def test_the_words_of_the_task_itself_do_not_weigh() -> None:
    assert focus_of("Read the documents and write a report about herons") == {"herons"}
    assert focus_of("总结 苍鹭") == {"苍鹭"}


def test_chinese_is_ranked_by_pairs_of_characters() -> None:
    assert list(terms_of("苍鹭的巢, the river-bed, DNA")) == ["苍鹭", "river-bed", "dna"]
    assert best_of("今天很热。苍鹭筑巢在芦苇。芦苇里有苍鹭筑巢。\n")[0].count("苍鹭") == 1


def test_the_first_sentence_under_a_title_is_preferred() -> None:
    assert best_of("# A\n\nSheep graze there. Herons nest there.\n") == ["Sheep graze there."]
    assert best_of("# A\n\nWe did. Herons nest there.\n\n# B\n\nSheep graze there.\n") == ["Sheep graze there."]


def test_a_sentence_that_leans_on_the_one_before_is_not_preferred() -> None:
    assert best_of("# A\n\nWe did. They graze nearby quietly. Sheep graze there quietly.\n") == [
        "Sheep graze there quietly."
    ]


def test_what_is_too_long_for_a_word_is_none() -> None:
    assert list(terms_of("x" * 41 + " herons")) == ["herons"]


def test_a_passage_that_repeats_another_is_not_taken() -> None:
    content = "The old heron nests here. The old heron nests there. Sheep graze on meadows.\n"
    assert len(best_of(content, count=3)) == 2


def test_passages_that_may_not_be_quoted_still_lend_their_words_weight() -> None:
    def may_be_quoted(passage: Passage) -> bool:
        return not passage.text.startswith("Sand")

    words = PageWords(page_of("Sand, sand, sand. The sand rests. The moon shines.\n", "a.md"))
    assert words.ranked(may_be_quoted, frozenset())[0].passage.text == "The sand rests."


def test_a_cell_of_few_words_is_no_passage_unless_it_is_a_sentence() -> None:
    assert best_of("| height above water |\n|---|\n| The valve opens. |\n", count=3) == ["The valve opens."]
