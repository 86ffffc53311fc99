"""Paths in an objective, and what each is there for: to be read, to be written, or to be left out.

A path is known by its look: a slash, or a suffix that documents have. The words before it tell its role. Chinese puts
no space between a verb and a path, so what runs into a path is taken off.
"""

import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

from bearagent_domain.documents import Rec
from bearagent_offline_provider.languages import HAN

OUTPUTS = "outputs/"
PATHS_MAX = 64
JOINER_CHARS_MAX = 12  # between paths of one list: "a.md, b.md and c.md"

Role: TypeAlias = Literal["read", "write", "leave_out"]

_ASCII = r"[A-Za-z0-9_.\-~+@]"
_NAME = rf"[A-Za-z0-9_.\-~+@{HAN}]"
# What may follow a folder's slash in Chinese without belonging to the path: "docs/下的文档".
_GLUE = "(?!下(?!载)|里|的|和|与|及|并|以及|目录|文件夹|内(?!容|部)|中(?!文|国|心|期|级|间))"
_SUFFIX = r"(?:\.[A-Za-z0-9]{1,8})"
_DOCUMENT_SUFFIX = (
    r"\.(?:md|markdown|mdown|mkd|txt|text|rst|adoc|org|log|tex|csv|tsv|json|yaml|yml|toml|xml|html?|pdf|docx?|bin|png)"
)
_FIRST = rf"(?:(?!{_DOCUMENT_SUFFIX}[{HAN}]){_NAME}){{0,128}}"  # not "a.md和b.md写到outputs"
_WORD = "[A-Za-z0-9]"  # an apostrophe stands in a word
_SLASH, _DEEP = "/{1,4}", "{0,31}"
_FOLDER_END = r"(?![A-Za-z0-9_~@+-]|\.[A-Za-z0-9.])"
_END = r"(?![A-Za-z0-9_/-]|\.[A-Za-z0-9])"
_MENTION = re.compile(
    rf"""[`"“「『](?P<quoted>[^`"“”「」『』\n]{{1,200}}?(?:{_SUFFIX}|/))[`"”」』]
    | (?<!{_WORD})'(?P<single>[^'\n]{{1,200}}?(?:{_SUFFIX}|/))'(?!{_WORD})
    | (?P<file>/?{_FIRST}{_SLASH}(?:{_GLUE}{_NAME}{{1,128}}{_SLASH}){_DEEP}?{_GLUE}{_NAME}{{0,128}}?{_SUFFIX}){_END}
    | (?P<name>{_NAME}{{1,128}}?{_DOCUMENT_SUFFIX}){_END}
    | (?P<folder>/?{_GLUE}{_NAME}{{1,128}}{_SLASH}(?:{_GLUE}{_NAME}{{1,128}}{_SLASH}){_DEEP}{_FOLDER_END})
    | (?P<loose>{_ASCII}{{1,128}}{_SLASH}(?:{_ASCII}{{1,128}}{_SLASH}){_DEEP}{_ASCII}{{0,128}}[A-Za-z0-9_])
    """,
    re.VERBOSE | re.IGNORECASE,
)
# A Chinese word that runs into the path behind it, up to one in Latin letters ("一份报告到outputs/"), or at the start.
_RUN_INTO_LATIN = re.compile(
    r"^.*(?:阅读|读取|读|看|总结|概括|概述|归纳|比较|对比|分析|介绍|整理|参考|根据|请|把|将|和|与|及|从|在|到|入|至|成|为|于|存|对"
    r"|除了|忽略|不要|跳过|文件夹|文件|文档|目录|报告|的)(?=\.{1,2}/$|[A-Za-z0-9_~+@-][A-Za-z0-9_.~+@-]*/?$)"
)
_RUN_INTO_CHINESE = re.compile(
    r"(?:请|帮我|先|再|然后|并|把|将|和|与|及|从|在|对)*"
    r"(?:阅读|读取|查看|总结|概括|概述|归纳|比较|对比|分析|介绍|整理|参考|根据|读|除了|忽略|跳过|写到|写入|保存到|存到|输出到)?"
    rf"(?:(?:文件夹|文件|文档|目录)?[下里中内]?的)?(?=[{HAN}])"
)
_VERBS = re.compile(
    r"(?P<write>\b(?:writ(?:e|ing)|rewrite|save|put|store|produce|create|generate|output|export|replace|overwrite"
    r"|update)\b|写|存|输出|生成|放|替换|更新|覆盖|导出)"
    r"|(?P<leave_out>\b(?:except|excluding|ignor(?:e|ing)|without|skip(?:ping)?|but not"
    r"|(?:do not|don't)(?:\s+(?:read|use))?)\b|除了|忽略|不要(?:阅读|读取|读|看)?|跳过|不包括)"
    r"|(?P<read>\b(?:read|reading|summari[sz]e|compare|review|introduce|look|study|based on)\b"
    r"|读|看|总结|概括|归纳|比较|对比|分析|介绍|根据|参考)",
    re.IGNORECASE,
)
_INTO = re.compile(
    r"(?:\b(?:to|into|as|in|named|called)\b\s*(?:the\s+)?(?:file\s+)?|到|入|至|为|成|在|叫|:|：|[-=]>|[→⇒])\W*$",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:\b(?:under|in|inside|within|from|of|to|folder|directory|read|summari[sz]e)|读|读取|总结|在|到)\W*$",
    re.IGNORECASE,
)


class Mention(Rec, frozen=True, kw_only=True):
    """A path as it stands in a text; `gap` is the text between the mention before and this one, `end` where it ends."""

    path: str
    role: Role
    gap: str
    end: int


def mentions_in(text: str) -> Iterator[Mention]:
    """The first 64 paths in `text`, in order."""
    end, role = 0, None
    for number, match in enumerate(_MENTION.finditer(text)):
        if number == PATHS_MAX:
            return
        path, start = _path_of(text, match)
        gap = text[end:start]
        if match["loose"] is not None and not path.startswith(OUTPUTS):
            if not _PLACE.search(gap):
                continue  # "and/or"
            path += "/"
        role = _role(path, gap, role)
        yield Mention(path=path, role=role, gap=gap, end=match.end())
        end = match.end()


def _path_of(text: str, match: re.Match[str]) -> tuple[str, int]:
    """The path, and where it starts: behind a Chinese word that runs into it."""
    if quoted := match["quoted"] or match["single"]:
        return _plain(quoted), match.start()
    path, start = match.group(), match.start()
    before = text[max(0, start - 2) : start]
    stands_apart = before[-1:].isspace() and before[:1].isalnum()
    first, slash, rest = path.partition("/")
    run_in = _RUN_INTO_LATIN.match(first + slash)
    if run_in is None and not stands_apart:
        run_in = _RUN_INTO_CHINESE.match(first + slash)
    if run_in is not None:
        first, start = first[run_in.end() :], start + run_in.end()
    return _plain(first + slash + rest), start


def _plain(path: str) -> str:
    """Without empty parts and dots, as the tools see it; a slash at the end stays, and one that leads to the root."""
    parts = [part for part in path.split("/") if part not in ("", ".")] or ["."]
    return "/" * path.startswith("/") + "/".join(parts) + "/" * path.endswith("/")


def _role(path: str, gap: str, before: Role | None) -> Role:
    """By the last verb before the path; without one, as the path before it, or by where it lies."""
    verbs = [match.lastgroup for match in _VERBS.finditer(gap)]
    last = verbs[-1] if verbs else None
    is_target = path.startswith(OUTPUTS) and (not path.endswith("/") or last != "read")
    leads_to = _INTO.search(gap) is not None
    if last == "leave_out":
        return "leave_out"
    if last == "write":
        return "write" if is_target or leads_to else "read"
    if last == "read":
        return "write" if is_target and leads_to else "read"
    if before in ("read", "leave_out") and len(gap) <= JOINER_CHARS_MAX and not (is_target and leads_to):
        return before
    return "write" if is_target else "read"
