"""What an objective must be, wherever it comes in."""

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.events import OBJECTIVE_CHARS_MAX
from bearagent_domain.json_values import is_storable_text


def require_objective(text: str, context_chars_max: int) -> None:
    """Raise `BearAgentError` unless `text` can be the objective of a run with so large a context.

    `objective_invalid` for one that is empty or can't be stored, `objective_too_large` for one that is longer than half
    of the context or 262,144 characters.
    """
    if not text.strip():
        raise BearAgentError(failure(ErrorCode.OBJECTIVE_INVALID, "The objective is empty. Say what should be done."))
    if not is_storable_text(text):
        message = "The objective holds NUL or text that is not UTF-8. Give it as plain UTF-8 text."
        raise BearAgentError(failure(ErrorCode.OBJECTIVE_INVALID, message))
    chars_max = min(OBJECTIVE_CHARS_MAX, context_chars_max // 2)
    if len(text) > chars_max:
        raise objective_too_large(f"The objective has {len(text):,} characters; {chars_max:,} are allowed.")


def objective_too_large(what: str) -> BearAgentError:
    """The failure that `what` tells, with what to do."""
    message = f"{what} Put the material into a file of the workspace and name it."
    return BearAgentError(failure(ErrorCode.OBJECTIVE_TOO_LARGE, message))
