"""What an objective asks for: which files or folders, where the report goes, in which language."""

import re
from collections.abc import Iterable

from bearagent_domain.documents import Rec
from bearagent_offline_provider.languages import Language, language_of
from bearagent_offline_provider.mentions import OUTPUTS, Mention, mentions_in

OUTPUT_DEFAULT = "outputs/report.md"
CHARS_READ_MAX = 16_384  # of the objective; paths behind that are not found

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,15}://\S+")
_WITHIN = re.compile(r"^\W*(?:under|in|inside|within|from)\s+(?:the\s+)?(?:folder\s+|directory\s+)?\W*$", re.IGNORECASE)
_WITHIN_CHINESE = re.compile(r"^\W*(?:目录|文件夹)?\s*[下中里内]?\s*的\s*(?:文件|文档)?\W*$")
_FOLDER_WORD = re.compile(r"\b(?:folder|directory)\b|目录|文件夹", re.IGNORECASE)
_IN_CHINESE = re.compile(r"\bin chinese\b|\bchinese (?:report|summary)\b|用(?:简体)?中文|以中文", re.IGNORECASE)
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

    @property
    def names_paths(self) -> bool:
        """Whether it names anything to read by a path."""
        return bool(self.files or self.folders)

    @property
    def may_speak_of_folders(self) -> bool:
        """Whether the workspace has to be listed to see which folders it means: all, or one without a slash."""
        return not self.folders and (not self.files or _FOLDER_WORD.search(self.words) is not None)


def objective_of(text: str) -> Objective:
    """What `text` asks for; the same text always gives the same."""
    whole, text = text, _URL.sub(" ", text[:CHARS_READ_MAX])
    mentions = tuple(mentions_in(text))
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


def _joined(mentions: Iterable[Mention]) -> tuple[str, ...]:
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
