"""What an objective asks for: which files or folders, where the report goes, in which language.

Paths are found by their look (a slash, or a suffix that documents have) and told apart by the words before them:
"write … to" makes a target, "except" leaves out, everything else is to be read. Nothing is looked up here.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from bearagent_domain.documents import Rec
from bearagent_offline_provider.languages import HAN, Language, language_of

OUTPUT_DEFAULT = "outputs/report.md"
OUTPUTS = "outputs/"
CHARS_READ_MAX = 20_000  # of the objective; paths behind that are not found
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
_END = r"(?![A-Za-z0-9_/-]|\.[A-Za-z0-9])"
_MENTION = re.compile(
    rf"""[`"“「『](?P<quoted>[^`"“”「」『』\n]{{1,200}}?(?:{_SUFFIX}|/))[`"”」』]
    | (?P<file>/?{_NAME}{{0,120}}/(?:{_GLUE}{_NAME}{{1,120}}/){{0,16}}?{_GLUE}{_NAME}{{0,120}}?{_SUFFIX}){_END}
    | (?P<name>{_NAME}{{1,120}}?{_DOCUMENT_SUFFIX}){_END}
    | (?P<folder>/?(?:{_GLUE}{_NAME}{{1,120}}/){{1,16}}(?![A-Za-z0-9_~@+-]|\.[A-Za-z0-9]))
    | (?P<loose>(?:{_ASCII}{{1,120}}/){{1,16}}{_ASCII}{{0,120}}[A-Za-z0-9_])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,15}://\S+")
# A Chinese word that runs into the path behind it: "请阅读资料/笔记.md".
_RUN_IN = re.compile(
    r"^.*(?:阅读|读取|读|查看|总结|概括|概述|归纳|比较|对比|分析|介绍|整理|参考|根据|请|把|将|和|与|及|从|在|到|入|至|成|为|于"
    rf"|存|对|除了|忽略|不要|跳过|文件夹|文件|文档|目录|报告|下的|里的|中的|内的|的)(?=[A-Za-z0-9_.~{HAN}/])"
)
_VERBS = re.compile(
    r"(?P<write>\b(?:writ(?:e|ing)|rewrite|save|put|store|produce|create|generate|output|export|replace|overwrite"
    r"|update)\b|写|存|输出|生成|放|替换|更新|覆盖|导出)"
    r"|(?P<leave_out>\b(?:except|excluding|ignor(?:e|ing)|without|skip(?:ping)?|but not|do not|don't)\b"
    r"|除了|忽略|不要|跳过|不包括)"
    r"|(?P<read>\b(?:read|reading|summari[sz]e|compare|review|introduce|look|study|based on)\b"
    r"|读|看|总结|概括|归纳|比较|对比|分析|介绍|根据|参考)",
    re.IGNORECASE,
)
_INTO = re.compile(r"(?:\b(?:to|into|as|in)\b\s*(?:the\s+)?(?:file\s+)?|到|入|至|为|成|在|:|：)\W*$", re.IGNORECASE)
_PLACE = re.compile(
    r"(?:\b(?:under|in|inside|within|from|of|to|folder|directory|read|summari[sz]e)|读|读取|总结|在|到)\W*$",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"^\W*(?:under|in|inside|within|from)\s+(?:the\s+)?(?:folder\s+|directory\s+)?\W*$", re.IGNORECASE)
_WITHIN_CHINESE = re.compile(r"^\W*(?:目录|文件夹)?\s*[下中里内]?\s*的\s*(?:文件|文档)?\W*$")
_IN_CHINESE = re.compile(r"\bin chinese\b|用(?:简体)?中文|以中文", re.IGNORECASE)
_IN_ENGLISH = re.compile(r"\bin english\b|用英文|用英语|以英文", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:compar\w*|contrast\w*|differ\w*|versus|vs|in common)\b|比较|对比|区别|差异|异同|不同", re.IGNORECASE
)


class Objective(Rec, frozen=True, kw_only=True):
    """What is to be done. Without `files` and `folders` the whole workspace is meant.

    `is_redirected` says that the objective names a target that is not below outputs/, so `output` is another one.
    `words` is the objective without its paths.
    """

    text: str
    language: Language
    output: str = OUTPUT_DEFAULT
    is_redirected: bool = False
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    compares: bool = False
    words: str = ""


class _Mention(Rec, frozen=True, kw_only=True):
    path: str
    role: Role
    gap: str  # the text between the mention before and this one
    end: int


def objective_of(text: str) -> Objective:
    """What `text` asks for; the same text always gives the same."""
    whole, text = text, _URL.sub(" ", text[:CHARS_READ_MAX])
    mentions = tuple(_mentions(text))
    words = " ".join(mention.gap for mention in mentions) + text[mentions[-1].end if mentions else 0 :]
    target = next((mention.path for mention in mentions if mention.role == "write"), OUTPUT_DEFAULT)
    output = _output_of(target)
    to_read = _joined(mention for mention in mentions if mention.role == "read")
    return Objective(
        text=whole,
        language=_language(words),
        output=output,
        is_redirected=output != target and not (target.endswith("/") and output.startswith(target)),
        files=tuple(path for path in to_read if not path.endswith("/")),
        folders=tuple(path.rstrip("/") or "/" for path in to_read if path.endswith("/")),
        left_out=tuple(mention.path.rstrip("/") for mention in mentions if mention.role == "leave_out"),
        compares=_COMPARES.search(words) is not None,
        words=words,
    )


def names_folder(words: str, name: str) -> bool:
    """Whether the objective's `words` speak of the folder `name` without a slash: "the docs folder", "docs 目录"."""
    literal = re.escape(name)
    spoken = re.compile(
        rf"""\b(?:under|in|inside|within|from|folder|directory)\s+(?:the\s+)?[`"'“「]?{literal}[`"'”」]?(?![\w-])"""
        rf"""|(?<![\w-]){literal}[`"'”」]?\s+(?:folder|directory)\b|[`"“「]{literal}[`"”」]"""
        rf"""|(?<![A-Za-z0-9_]){literal}[`"'”」]?\s*(?:目录|文件夹|下|里|中)"""
    )
    return spoken.search(words) is not None


def _mentions(text: str) -> Iterator[_Mention]:
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
        yield _Mention(path=path, role=role, gap=gap, end=match.end())
        end = match.end()


def _path_of(text: str, match: re.Match[str]) -> tuple[str, int]:
    """The path, and where it starts: behind a Chinese word that runs into it."""
    if match["quoted"] is not None:
        return _plain(match["quoted"]), match.start()
    path, start = match.group(), match.start()
    before = text[max(0, start - 2) : start]
    stands_apart = before[-1:].isspace() and before[:1].isalnum()
    first, slash, rest = path.partition("/")
    run_in = None if stands_apart else _RUN_IN.match(first + slash)
    if run_in is not None:
        first, start = first[run_in.end() :], start + run_in.end()
    return _plain(first + slash + rest), start


def _plain(path: str) -> str:
    while path.startswith("./"):
        path = path[2:]
    return path or "./"


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


def _joined(mentions: Iterable[_Mention]) -> tuple[str, ...]:
    """The paths to read; a bare name beside "under docs/" or "docs/ 下的" lies in that folder."""
    paths: list[str] = []
    for mention in mentions:
        folder = paths[-1] if paths and paths[-1].endswith("/") else None
        if mention.path.endswith("/") and _WITHIN.match(mention.gap) and paths and "/" not in paths[-1]:
            paths = [mention.path + path if "/" not in path else path for path in paths]
        elif folder and "/" not in mention.path and _WITHIN_CHINESE.match(mention.gap):
            paths[-1] = folder + mention.path
        else:
            paths.append(mention.path)
    return tuple(dict.fromkeys(paths))


def _output_of(target: str) -> str:
    """`target` if it is a path below outputs/, else a file of the same name there."""
    parts = [part for part in target.split("/") if part not in ("", ".")]
    if parts[:1] == ["outputs"] and ".." not in parts:
        parts = parts[1:] + ["report.md"] * target.endswith("/")
    else:
        parts = [] if target.endswith("/") else [part for part in parts[-1:] if part != ".."]
    return OUTPUTS + "/".join(parts) if parts else OUTPUT_DEFAULT


def _language(words: str) -> Language:
    if _IN_CHINESE.search(words):
        return "zh"
    return "en" if _IN_ENGLISH.search(words) else language_of(words)
