"""A failure crosses a border as a stable code, a bounded sentence and bounded details."""

import re

import msgspec
import pytest

from bearagent_domain.errors import MESSAGE_CHARS_MAX, BearAgentError, ErrorCode, ErrorInfo, failure


def test_every_code_is_snake_case_and_named_like_its_member() -> None:
    assert [] == [code for code in ErrorCode if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", code.value)]
    assert [] == [code for code in ErrorCode if code.name != code.value.upper()]


def test_a_failure_cuts_its_message_and_keeps_its_details() -> None:
    info = failure(ErrorCode.IO_ERROR, "x" * (MESSAGE_CHARS_MAX + 1), retryable=True, path="a.md", line=3)
    assert len(info.message) == MESSAGE_CHARS_MAX
    assert info.retryable
    assert info.details == {"path": "a.md", "line": 3}
    assert msgspec.json.decode(msgspec.json.encode(info), type=ErrorInfo) == info


def test_an_error_reads_as_its_sentence_and_carries_its_info() -> None:
    error = BearAgentError(failure(ErrorCode.STORE_BUSY, "Another process is writing."))
    assert str(error) == "Another process is writing."
    assert error.info.code is ErrorCode.STORE_BUSY


@pytest.mark.parametrize(
    "document",
    [
        {"code": "no_such_code", "message": "x"},
        {"code": "io_error", "message": ""},
        {"code": "io_error", "message": "x" * (MESSAGE_CHARS_MAX + 1)},
        {"code": "io_error", "message": "x", "details": {"a": "x" * 501}},
        {"code": "io_error", "message": "x", "details": {"a": {"nested": 1}}},
        {"code": "io_error", "message": "x", "details": {"a": 0.5}},
        {"code": "io_error", "message": "x", "traceback": "…"},
    ],
)
def test_an_error_beyond_its_bounds_is_refused_when_decoded(document: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(document, ErrorInfo)
