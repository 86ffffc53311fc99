"""Which passages say most, by the words that a text repeats: no model, no chance, integers only.

A passage weighs as much as its words do in the document, more when they stand in a title or in the objective. English
and the like is taken by words, Chinese by pairs of characters.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from bearagent_domain.documents import Rec
from bearagent_offline_provider.documents import Page, Passage
from bearagent_offline_provider.languages import CJK, is_cjk
from bearagent_offline_provider.sentences import is_ended

COUNT_MAX = 20  # a word that is repeated more often weighs no more
TITLE_WEIGHT = 6
FOCUS_WEIGHT = 15
CELL_TERMS_MIN = 6  # a cell with fewer words says nothing without its row, unless it is a sentence
TERM_CHARS_MAX = 40
LENGTH_EVEN = 8  # words; shorter passages are not preferred for their few words

_RUN = re.compile(rf"[{CJK}]+|[^\W\d_{CJK}]+(?:['’-][^\W\d_{CJK}]+)*")
_STOP_WORDS = frozenset(
    "a about above after again all also am an and any are as at be because been before being below between both but by "
    "can could did do does doing done down during each few for from further had has have having he her here hers him "
    "his how i if in into is it its itself just may me might more most must my no nor not now of off on once one only "
    "or other our out over own per same shall she should so some such than that the their them then there these they "
    "this those through to too two under until up upon us very via was we were what when where which while who why "
    "will with within without would you your".split()
)
_TASK_WORDS = frozenset(
    "read reading report document documents file files folder directory write writing summary summarise summarize "
    "compare comparison introduce introduction text notes please every workspace english chinese save based cite cited "
    "citations sources source difference differences outputs".split()
)
_STOP_CHARS = frozenset("的了是在和与及或也都就而但被把从到对为以于着过等这那其之一不有我你他它们个很")
_TASK_PAIRS = frozenset(
    "阅读 读取 文档 文件 目录 一份 份报 报告 写入 写到 保存 输出 总结 概括 比较 对比 介绍 所有 全部 中文 英文".split()
)
_LEANING = re.compile(
    r"(?:this|that|these|those|it|they|he|she|such|here|however|but|also|and|so|then)\b|[这那它他她此其]", re.I
)


class Ranked(Rec, frozen=True):
    """A passage, its score and the distinct words that it was ranked by."""

    passage: Passage
    score: int
    terms: frozenset[str]


def terms_of(text: str) -> Iterator[str]:
    """The words of `text` that carry meaning, in order; of Chinese each pair of characters."""
    for match in _RUN.finditer(text):
        run = match.group()
        if is_cjk(run[0]):
            pairs = (run[index : index + 2] for index in range(len(run) - 1))
            yield from (pair for pair in pairs if _STOP_CHARS.isdisjoint(pair))
        elif 2 < len(run) <= TERM_CHARS_MAX and run.casefold() not in _STOP_WORDS:
            yield run.casefold()


def focus_of(words: str) -> frozenset[str]:
    """What an objective asks about, without the words of the task itself."""
    return frozenset(terms_of(words)) - _TASK_WORDS - _TASK_PAIRS


class PageWords:
    """The words of one page, taken once. `counts` says how often each stands in it, titles included."""

    def __init__(self, page: Page) -> None:
        self._passages = [(passage, tuple(terms_of(passage.text))) for passage in page.passages]
        self._titles = frozenset(term for title in page.titles for term in terms_of(title.text))
        self.counts = Counter(term for _, terms in self._passages for term in terms)
        self.counts.update(self._titles)

    def ranked(self, may_be_quoted: Callable[[Passage], bool], focus: frozenset[str]) -> tuple[Ranked, ...]:
        """The passages that may be quoted, best first; at the same score the earlier one first."""
        weights = {
            term: min(count, COUNT_MAX) + TITLE_WEIGHT * (term in self._titles) + FOCUS_WEIGHT * (term in focus)
            for term, count in self.counts.items()
        }
        found: list[Ranked] = []
        for passage, words in self._passages:
            terms = frozenset(words)
            is_sentence = passage.kind == "sentence" or is_ended(passage.text)
            if len(terms) >= (1 if is_sentence else CELL_TERMS_MIN) and may_be_quoted(passage):
                found.append(Ranked(passage, _score(passage, terms, weights), terms))
        return tuple(sorted(found, key=lambda item: -item.score))


def without_repeats(candidates: Iterable[Ranked], count_max: int) -> tuple[Ranked, ...]:
    """The first `count_max` candidates that share less than half of their words with each one chosen before."""
    chosen: list[Ranked] = []
    for candidate in candidates:
        if len(chosen) == count_max:
            break
        if all(2 * len(candidate.terms & other.terms) < len(candidate.terms) for other in chosen):
            chosen.append(candidate)
    return tuple(chosen)


def _score(passage: Passage, terms: frozenset[str], weights: dict[str, int]) -> int:
    score = 100 * sum(weights[term] for term in terms) // (len(terms) + LENGTH_EVEN)
    if passage.leads:
        score += score // 4
    if _LEANING.match(passage.text):  # says little without the sentence before it
        score -= score // 3
    return score
