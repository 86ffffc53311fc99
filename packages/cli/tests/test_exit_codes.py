"""Exit codes: a run that did not do its work never ends with 0."""

import msgspec
import pytest

from bearagent_cli.exit_codes import of_error, of_run
from bearagent_domain.errors import ErrorCode
from bearagent_domain.runs import RunStatus
from bearagent_testkit import CountingIds, FixedClock, sample_run
from tests.e2e.played_service import inspection_of

SAMPLE = inspection_of(sample_run(CountingIds(), FixedClock()).records)


@pytest.mark.parametrize(
    ("status", "reason", "code"),
    [
        (RunStatus.SUCCEEDED, None, 0),
        (RunStatus.FAILED, None, 1),
        (RunStatus.CANCELLED, None, 1),
        (RunStatus.WAITING, "approval", 5),
        (RunStatus.SUSPENDED, "outcome_unknown", 5),
        (RunStatus.SUSPENDED, "provider_unavailable", 5),
        (RunStatus.SUSPENDED, "paused", 5),
        (RunStatus.SUSPENDED, "budget", 6),
        (RunStatus.SUSPENDED, "interrupted", 130),
        (RunStatus.RUNNING, None, 5),
    ],
)
def test_a_run_ends_by_its_status(status: RunStatus, reason: str | None, code: int) -> None:
    assert of_run(msgspec.structs.replace(SAMPLE, status=status, reason=reason)) == code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (ErrorCode.USAGE, 2),
        (ErrorCode.OBJECTIVE_INVALID, 2),
        (ErrorCode.OBJECTIVE_TOO_LARGE, 2),
        (ErrorCode.LIMIT_INVALID, 2),
        (ErrorCode.CURSOR_INVALID, 2),
        (ErrorCode.WORKSPACE_INVALID, 3),
        (ErrorCode.DATA_INSIDE_WORKSPACE, 3),
        (ErrorCode.PROFILE_INVALID, 3),
        (ErrorCode.SETTINGS_INVALID, 3),
        (ErrorCode.COST_UNPRICED, 3),
        (ErrorCode.PROVIDER_NOT_CONFIGURED, 3),
        (ErrorCode.RUN_DRIVEN_ELSEWHERE, 3),
        (ErrorCode.IO_ERROR, 3),
        (ErrorCode.RUN_NOT_FOUND, 4),
        (ErrorCode.RUN_AMBIGUOUS, 4),
        (ErrorCode.RECORD_CORRUPT, 4),
        (ErrorCode.RECORD_TRUNCATED, 4),
        (ErrorCode.SCHEMA_VERSION_UNKNOWN, 4),
        (ErrorCode.STORE_MISSING, 4),
        (ErrorCode.STORE_NOT_A_DATABASE, 4),
        (ErrorCode.STORE_SCHEMA_UNKNOWN, 4),
        (ErrorCode.STORE_FULL, 4),
        (ErrorCode.INTERNAL_ERROR, 1),
        (ErrorCode.INTERRUPTED, 130),
    ],
)
def test_a_failure_ends_by_its_code(code: ErrorCode, expected: int) -> None:
    assert of_error(code) == expected


def test_no_failure_ends_with_success() -> None:
    assert 0 not in {of_error(code) for code in ErrorCode}
