"""Ids, names and bounded texts are checked when a document is decoded."""

from typing import Any

import msgspec
import pytest

from bearagent_domain.ids import (
    INTEGER_MAX,
    N0,
    N1,
    ActivityId,
    AppId,
    CallId,
    Line,
    Name,
    RoleId,
    RunId,
    Sha,
    ToolName,
    Uid,
    Version,
    is_call_id,
    is_canonical_id,
    new_id,
)

GOOD_ID = "0f8fad5b-d9cb-469f-a165-70867728950e"
NOT_CANONICAL_IDS = [
    "",
    GOOD_ID.upper(),
    GOOD_ID.replace("-", ""),
    "{" + GOOD_ID + "}",
    GOOD_ID + "\n",
    " " + GOOD_ID,
    "0f8fad5b-d9cb-169f-a165-70867728950e",  # version 1
    "0f8fad5b-d9cb-469f-c165-70867728950e",  # another variant
]


@pytest.mark.parametrize("text", NOT_CANONICAL_IDS)
def test_an_id_is_refused_when_it_is_no_uuid4_in_canonical_form(text: str) -> None:
    assert not is_canonical_id(text)
    for kind in (RunId, ActivityId):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(text, kind)


def test_a_new_id_is_canonical_and_new() -> None:
    made = {new_id() for _ in range(100)}
    assert len(made) == 100
    assert all(is_canonical_id(text) and msgspec.convert(text, RunId) == text for text in made)


@pytest.mark.parametrize("text", ["a", "call_1", "A-Z", "x" * 64])
def test_a_call_id_is_taken_when_it_has_64_plain_characters_at_most(text: str) -> None:
    assert is_call_id(text)
    assert msgspec.convert(text, CallId) == text


@pytest.mark.parametrize("text", ["", "x" * 65, "a b", "a\n", "é", "a.b", "\u0661"])
def test_a_call_id_is_refused_when_it_is_anything_else(text: str) -> None:
    assert not is_call_id(text)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(text, CallId)


TAKEN: list[tuple[Any, object]] = [
    (Sha, "0" * 64),
    (Name, "a_1"),
    (AppId, "bearagent-plain"),
    (RoleId, "bearagent-plain/agent"),
    (ToolName, "workspace.read"),
    (ToolName, "a.b.c"),
    (Version, "1.0.0"),
    (Uid, "owner@example.org"),
    (Line, "熊 and bear"),
    (Line, "x" * 200),
    (N0, 0),
    (N1, INTEGER_MAX),
]
REFUSED: list[tuple[Any, object]] = [
    (Sha, "0" * 63),
    (Sha, "A" * 64),
    (Sha, "0" * 64 + "\n"),
    (Name, "A"),
    (Name, "a" * 41),
    (Name, "a\n"),
    (AppId, "a"),
    (RoleId, "agent"),
    (ToolName, "a.b.c.d"),
    (ToolName, "workspace/read"),
    (ToolName, "workspace.read\n"),
    (ToolName, "a" * 33),
    (Version, "1.0"),
    (Version, "1.0.0-rc1"),
    (Uid, ""),
    (Uid, "-owner"),
    (Line, ""),
    (Line, "two\nlines"),
    (Line, "ends\n"),
    (Line, "x" * 201),
    (N0, -1),
    (N0, True),
    (N0, 1.5),
    (N1, 0),
    (N1, INTEGER_MAX + 1),
]


@pytest.mark.parametrize(("kind", "value"), TAKEN)
def test_a_value_is_taken_when_it_fits_its_kind(kind: Any, value: object) -> None:
    assert msgspec.convert(value, kind) == value


@pytest.mark.parametrize(("kind", "value"), REFUSED)
def test_a_value_is_refused_when_it_does_not_fit_its_kind(kind: Any, value: object) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(value, kind)
