"""`run inspect RUN` and `run events RUN` mean `inspect RUN` and `events RUN`; and every word is UTF-8 text."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer.core import TyperGroup

QUERIES_AFTER_RUN = ("inspect", "events")


def as_meant(group: "TyperGroup", words: Sequence[str]) -> list[str]:
    """`words` for the parser. A one-word objective, `run inspect`, stays an objective."""
    texts = [_text(word) for word in words]
    if len(texts) > 2 and texts[0] == "run" and texts[1] in QUERIES_AFTER_RUN:
        if len(_arguments(group, texts[1], texts[2:])) == 1:
            return texts[1:]
    return texts


def _arguments(group: "TyperGroup", name: str, words: Sequence[str]) -> list[str]:
    """The words that are neither a flag of the command nor the value of one."""
    takes_value = {
        spelling
        for parameter in group.commands[name].params
        if not getattr(parameter, "is_flag", True)
        for spelling in parameter.opts
    }
    return [
        word
        for index, word in enumerate(words)
        if not word.startswith("-") and (index == 0 or words[index - 1] not in takes_value)
    ]


def _text(word: str) -> str:
    """A word as UTF-8, also under a locale for which Python took its bytes apart."""
    try:
        return os.fsencode(word).decode()
    except UnicodeDecodeError:
        return word
