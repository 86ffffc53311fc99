"""Which language a text is in, as far as it matters here: Chinese or English."""

import re
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["en", "zh"]

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
CJK = HAN + "\u3040-\u30ff"  # with Japanese kana: scripts that put no space between words

_HAN = re.compile(f"[{HAN}]")
_CJK = re.compile(f"[{CJK}]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")


def language_of(text: str) -> Language:
    """`zh` when Han characters outweigh Latin words (a Chinese word has about two characters), else `en`."""
    return "zh" if len(_HAN.findall(text)) > 2 * len(_LATIN_WORD.findall(text)) else "en"


def is_cjk(char: str) -> bool:
    """Whether `char` belongs to a script that is written without spaces."""
    return _CJK.match(char) is not None
