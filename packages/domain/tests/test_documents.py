"""A stored document is read by its version first; foreign values pass through their schema before they are kept."""

import math

import msgspec
import pytest

from bearagent_domain.artifacts import Artifact
from bearagent_domain.budgets import RunLimits
from bearagent_domain.documents import as_stored, read_document
from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.ids import ArtifactId
from bearagent_domain.json_values import JsonRefused
from bearagent_domain.tools import ToolResult


def code_of(data: bytes) -> ErrorCode:
    with pytest.raises(BearAgentError) as caught:
        read_document(data, RunLimits)
    return caught.value.info.code


def test_a_document_of_the_known_version_is_read() -> None:
    assert read_document(b'{"schema_version": 1, "tool_calls": 3}', RunLimits) == RunLimits(tool_calls=3)


@pytest.mark.parametrize(
    "data", [b"{}", b'{"schema_version": null}', b'{"schema_version": 0}', b'{"schema_version": 2, "new_field": 1}']
)
def test_a_document_without_or_with_another_version_is_refused_by_its_version(data: bytes) -> None:
    assert code_of(data) is ErrorCode.SCHEMA_VERSION_UNKNOWN


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"not json",
        b'{"schema_version": "1"}',
        b'{"schema_version": 1.5}',
        b'{"schema_version": 1, "tool_calls": -1}',
        b'{"schema_version": 1, "unknown": 1}',
        b'{"schema_version": 1, "tool_calls": "3"}',
        b'{"schema_version": 1} {}',
        b"\xff\xfe",
        b'{"schema_version": 1, "x": ' + b"[" * 100_000,
    ],
)
def test_a_document_that_does_not_fit_is_refused(data: bytes) -> None:
    assert code_of(data) is ErrorCode.DOCUMENT_INVALID


def test_a_refusal_holds_nothing_of_the_document() -> None:
    with pytest.raises(BearAgentError) as caught:
        read_document(b'{"schema_version": 1, "api_key": "sk-secret"}', RunLimits)
    assert "sk-secret" not in caught.value.info.message
    assert "api_key" not in caught.value.info.message


def test_a_foreign_value_that_fits_comes_back_equal() -> None:
    result = ToolResult(content="done", facts={"lines": 3})
    assert as_stored(result, ToolResult) == result


@pytest.mark.parametrize(
    "value",
    [
        ToolResult(content="a\0b"),
        ToolResult(content="\ud800"),
        ToolResult(content="", facts={"ratio": math.nan}),
        ToolResult(content="", facts={"data": b"bytes"}),  # type: ignore[dict-item]
        ToolResult(content=b"bytes"),  # type: ignore[arg-type]
        ToolResult(content="", artifact=Artifact(artifact_id=ArtifactId("1"), path="a", size=1, sha256="0" * 64)),
        ToolResult(content="", facts={"object": object()}),  # type: ignore[dict-item]
    ],
)
def test_a_foreign_value_that_would_not_read_back_is_refused(value: msgspec.Struct) -> None:
    with pytest.raises(JsonRefused) as caught:
        as_stored(value, ToolResult)
    assert caught.value.info.code is ErrorCode.JSON_INVALID


def test_a_foreign_value_nested_without_end_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(JsonRefused):
        as_stored(ToolResult(content="", facts={"endless": endless}), ToolResult)  # type: ignore[dict-item]
