"""The objective, from where its user put it: an argument, standard input, or a file."""

import sys
from pathlib import Path
from typing import BinaryIO

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.events import OBJECTIVE_CHARS_MAX
from bearagent_domain.objectives import objective_too_large, require_objective
from bearagent_domain.profiles import CONTEXT_CHARS_DEFAULT

STDIN = "-"
OBJECTIVE_BYTES_MAX = 4 * OBJECTIVE_CHARS_MAX


def objective_from(argument: str | None, file: Path | None, context_chars: int | None) -> str:
    """The objective, without white space around it.

    Raises `BearAgentError`: `usage` when none or two were given, `objective_invalid` for one that is empty, can't be
    read or is not UTF-8, `objective_too_large` when it is longer than half of the context or 262,144 characters.
    """
    if (argument is None) == (file is None):
        message = "Give one objective: as an argument in quotes, as - to read standard input, or with --objective-file."
        raise BearAgentError(failure(ErrorCode.USAGE, message))
    if argument is not None and argument != STDIN:
        text = argument
    elif file is None:
        text = _text_of(sys.stdin.buffer, "standard input")
    else:
        text = _text_of_file(file)
    require_objective(text, context_chars or CONTEXT_CHARS_DEFAULT)
    return text.strip()


def _text_of_file(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return _text_of(stream, "the objective file")
    except OSError as error:
        message = f"The objective file can't be read: {error.strerror}."
        raise BearAgentError(failure(ErrorCode.OBJECTIVE_INVALID, message)) from error


def _text_of(stream: BinaryIO, name: str) -> str:
    data = stream.read(OBJECTIVE_BYTES_MAX + 1)
    if len(data) > OBJECTIVE_BYTES_MAX:
        raise objective_too_large(f"There is more than 1 MiB in {name}.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"What stands in {name} is not UTF-8 text (byte {error.start + 1})."
        raise BearAgentError(failure(ErrorCode.OBJECTIVE_INVALID, message)) from error
