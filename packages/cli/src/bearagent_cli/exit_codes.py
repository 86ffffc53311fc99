"""How a command ends, as a number. The same table stands in docs/command-line.md."""

from bearagent_domain.errors import ErrorCode
from bearagent_domain.runs import RunStatus
from bearagent_domain.views import RunInspection

SUCCEEDED = 0
FAILED = 1
USAGE = 2
ENVIRONMENT = 3
RECORD = 4
NEEDS_A_PERSON = 5
BUDGET = 6
VERIFICATION = 7
INTERRUPTED = 130

_USAGE_CODES = (
    ErrorCode.USAGE,
    ErrorCode.OBJECTIVE_INVALID,
    ErrorCode.OBJECTIVE_TOO_LARGE,
    ErrorCode.LIMIT_INVALID,
    ErrorCode.CURSOR_INVALID,
)
_RECORD_CODES = (ErrorCode.SCHEMA_VERSION_UNKNOWN, ErrorCode.DOCUMENT_INVALID, ErrorCode.ILLEGAL_TRANSITION)
_RECORD_FAMILIES = ("record_", "store_", "run_not_found", "run_ambiguous")


def of_error(code: ErrorCode) -> int:
    """The exit code of a command that failed with `code` before a run could tell its own end."""
    if code in _USAGE_CODES:
        return USAGE
    if code is ErrorCode.INTERNAL_ERROR:
        return FAILED
    if code is ErrorCode.INTERRUPTED:
        return INTERRUPTED
    if code in _RECORD_CODES or code.value.startswith(_RECORD_FAMILIES):
        return RECORD
    return ENVIRONMENT


def of_run(run: RunInspection) -> int:
    """The exit code of `run`: 0 only for a run that did its work."""
    match run.status:
        case RunStatus.SUCCEEDED:
            return SUCCEEDED
        case RunStatus.FAILED | RunStatus.CANCELLED:
            return FAILED
    return {"budget": BUDGET, "interrupted": INTERRUPTED}.get(run.reason or "", NEEDS_A_PERSON)
