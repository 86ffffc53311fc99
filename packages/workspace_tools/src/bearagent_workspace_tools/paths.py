"""Path rules: text from a model becomes one normalised relative path, or a refusal. Pure, the same on every platform.

Only `\\` to `/`, `.` and empty parts are normalised. Nothing is decoded, expanded, folded or resolved; `..` is refused
even where it would stay inside.
"""

import re
import unicodedata
from typing import NoReturn

from bearagent_domain.errors import ErrorCode, failure
from bearagent_ports.tool import CallRefused

PART_BYTES_MAX = 255
PATH_BYTES_MAX = 1_024
PARTS_MAX = 32
ROOT_PATH = "."
OUTPUTS = "outputs"

_NONCHARACTER = re.compile(
    "[\ufdd0-\ufdef" + "".join(chr((plane << 16) + 0xFFFE + n) for plane in range(17) for n in (0, 1)) + "]"
)
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# What Unicode shows as nothing, without the joiners and variation selectors that emoji and Persian need.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
_DRIVE = re.compile("[A-Za-z]:")
_HOME = re.compile(r"~([a-z_][a-z0-9_-]*)?(/|\Z)")
_ONLY_DOTS = re.compile(r"(.*[/\\])?\.+([/\\].*)?", re.DOTALL)
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$", "clock$"]
    + [f"{name}{n}" for name in ("com", "lpt") for n in range(10)]
)
_RESERVED = re.compile('[<>"|?*]')
_SHORT_NAME = re.compile(r"(?=[^.]{2,8}(\.|\Z))[^.~]{1,6}~[0-9]{1,6}(\.[^.]{0,3})?")
_IGNORED_BY_SOME_DISKS = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_TEMPORARY = re.compile(r"\.bearagent-[0-9a-f-]{36}-[0-9]{1,9}-[0-9]\.part")


def normalised(value: object) -> str:
    """The one form of a path that policy, events and tools see: `a/b/c`, or `.` for the workspace itself.

    At most 255 UTF-8 bytes a part, 1,024 in all, 32 parts. Raises `CallRefused` with the code of the first broken rule.
    """
    if not isinstance(value, str):
        _refuse(ErrorCode.PATH_TYPE, "A path is a text such as docs/notes.md.")
    text = value.replace("\\", "/")
    _require_plain_text(text)
    _require_relative(text)
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        _refuse(ErrorCode.PATH_TRAVERSAL, "A path may not hold `..`; name it from the workspace downwards.")
    if len(parts) > PARTS_MAX:
        _refuse(ErrorCode.PATH_TOO_DEEP, f"A path has at most {PARTS_MAX} parts.")
    for part in parts:
        _require_portable(part)
    path = "/".join(parts) or ROOT_PATH
    _require_relative(path)  # once more: what stood behind `./` may begin the path now
    return path


def require_writable(path: str) -> None:
    """Raise `CallRefused` unless the normalised `path` names a file below `outputs/` that every system can hold."""
    parts = parts_of(path)
    if len(parts) < 2 or parts[0] != OUTPUTS:
        _refuse(
            ErrorCode.WRITE_OUTSIDE_OUTPUTS, "Files are written below outputs/ only, for example outputs/report.md."
        )
    if not unicodedata.is_normalized("NFC", path):
        _refuse(ErrorCode.PATH_NOT_NFC, "New names are written in composed form (Unicode NFC).")
    if _RESERVED.search(path):
        _refuse(ErrorCode.PATH_RESERVED_CHAR, 'New names hold none of < > " | ? *.')
    for part in parts:
        if _IGNORED_BY_SOME_DISKS.sub("", part).casefold() == ".git" or is_temporary(part):
            _refuse(ErrorCode.PATH_PROTECTED, "This name is reserved; choose another one.")
        if _SHORT_NAME.fullmatch(part):
            _refuse(ErrorCode.PATH_SHORT_NAME, "This looks like a short alias of another name; choose another one.")


def parts_of(path: str) -> tuple[str, ...]:
    """The parts of a normalised path; none for the workspace itself."""
    return () if path == ROOT_PATH else tuple(path.split("/"))


def child_of(path: str, name: str) -> str | None:
    """The normalised path of the entry `name` in the directory `path`, or None when no path can name it."""
    child = name if path == ROOT_PATH else f"{path}/{name}"
    try:
        return child if normalised(child) == child else None
    except CallRefused:
        return None


def temporary_name(activity_id: str, attempt: int, trial: int) -> str:
    """The name of the file in which an attempt stages its bytes; it holds nothing of the target's name."""
    return f".bearagent-{activity_id}-{attempt}-{trial}.part"


def is_temporary(name: str) -> bool:
    """Whether `name` is one of ours that a killed process may have left."""
    return _TEMPORARY.fullmatch(name) is not None


def look_alike_key(name: str) -> str:
    """Equal for names that some file system or reader takes for the same: full case folding and NFC."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _require_plain_text(text: str) -> None:
    if not text:
        _refuse(ErrorCode.PATH_EMPTY, "The path is empty. The workspace itself is `.`.")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        _refuse(ErrorCode.PATH_NOT_UNICODE, "The path is not valid Unicode text.")
    if _NONCHARACTER.search(text):
        _refuse(ErrorCode.PATH_NOT_UNICODE, "The path is not valid Unicode text.")
    if _CONTROL.search(text):
        _refuse(ErrorCode.PATH_CONTROL, "The path holds a control character.")
    if size > PATH_BYTES_MAX:
        _refuse(ErrorCode.PATH_TOO_LONG, f"A path has at most {PATH_BYTES_MAX:,} bytes.")
    if _BIDI.search(text):
        _refuse(ErrorCode.PATH_BIDI, "The path holds a character that changes the direction of writing.")
    if _INVISIBLE.search(text):
        _refuse(ErrorCode.PATH_INVISIBLE, "The path holds an invisible character.")


def _require_relative(text: str) -> None:
    if text.startswith("//"):
        _refuse(ErrorCode.PATH_UNC, "Network and device paths are not allowed; name it below the workspace.")
    if text.startswith("/"):
        _refuse(ErrorCode.PATH_ABSOLUTE, "Absolute paths are not allowed; name it below the workspace.")
    if _DRIVE.match(text):
        _refuse(ErrorCode.PATH_DRIVE, "Drive letters are not allowed; name it below the workspace.")
    if ":" in text:
        _refuse(ErrorCode.PATH_COLON, "A path may not hold a colon.")
    if _HOME.match(text):
        _refuse(ErrorCode.PATH_HOME, "`~` is never expanded; name it below the workspace.")


def _require_portable(part: str) -> None:
    if len(part.encode()) > PART_BYTES_MAX:
        _refuse(ErrorCode.PATH_TOO_LONG, f"A part of a path has at most {PART_BYTES_MAX} bytes.")
    compatible = unicodedata.normalize("NFKC", part)
    if compatible != part and _ONLY_DOTS.fullmatch(compatible):
        _refuse(ErrorCode.PATH_CONFUSABLE, "A part of the path looks like `..` or `.`.")
    if part[-1] == "." or part[-1].isspace():
        _refuse(ErrorCode.PATH_TRAILING, "No part of a path ends with a dot or a space.")
    if compatible.split(".")[0].rstrip().casefold() in _DEVICES:
        _refuse(ErrorCode.PATH_DEVICE, "A part of the path is the name of a device on some systems.")


def _refuse(code: ErrorCode, message: str) -> NoReturn:
    raise CallRefused(failure(code, message))
