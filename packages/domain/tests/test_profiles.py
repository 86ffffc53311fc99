"""A profile says how a run is done, and has no place for a key, a URL or a path."""

import json

import pytest

from bearagent_domain.budgets import RunLimits
from bearagent_domain.documents import read_document
from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.profiles import AgentConfig, RunProfile, Timeouts


def profile(**fields: object) -> bytes:
    return json.dumps({"schema_version": 1, **fields}).encode()


def code_of(data: bytes) -> ErrorCode:
    with pytest.raises(BearAgentError) as caught:
        read_document(data, RunProfile)
    return caught.value.info.code


def test_an_empty_profile_leaves_everything_to_the_defaults() -> None:
    assert read_document(profile(), RunProfile) == RunProfile()


def test_a_full_profile_is_read_whole() -> None:
    data = profile(
        agent={
            "instructions": "Be brief.",
            "provider": "offline",
            "model": "extractive",
            "max_output_tokens": 1,
            "temperature_milli": 0,
            "seed": 7,
            "context_chars": 8_192,
        },
        limits={"schema_version": 1, "tool_calls": 0},
        timeouts={"model_total": 60},
        tools=["workspace.read"],
    )
    assert read_document(data, RunProfile) == RunProfile(
        agent=AgentConfig(
            instructions="Be brief.",
            provider="offline",
            model="extractive",
            max_output_tokens=1,
            temperature_milli=0,
            seed=7,
            context_chars=8_192,
        ),
        limits=RunLimits(tool_calls=0),
        timeouts=Timeouts(model_total=60),
        tools=("workspace.read",),
    )


def test_no_tools_and_tools_not_named_are_different_things() -> None:
    assert read_document(profile(tools=[]), RunProfile).tools == ()
    assert read_document(profile(), RunProfile).tools is None


@pytest.mark.parametrize("field", ["api_key", "base_url", "key", "token", "path", "workspace", "db", "extra"])
def test_a_field_for_a_key_a_url_or_a_path_is_refused_wherever_it_stands(field: str) -> None:
    assert code_of(profile(**{field: "x"})) is ErrorCode.DOCUMENT_INVALID
    for part in ("agent", "limits", "timeouts"):
        assert code_of(profile(**{part: {field: "x"}})) is ErrorCode.DOCUMENT_INVALID


@pytest.mark.parametrize(
    "fields",
    [
        {"agent": {"instructions": ""}},
        {"agent": {"context_chars": 8_191}},
        {"agent": {"context_chars": 16_777_217}},
        {"agent": {"max_output_tokens": 0}},
        {"agent": {"provider": "Not a name"}},
        {"agent": {"model": "two\nlines"}},
        {"limits": {"tool_calls": -1}},
        {"timeouts": {"model_total": 0}},
        {"tools": ["../escape"]},
        {"tools": ["a"] * 65},
        {"tools": "workspace.read"},
    ],
)
def test_a_value_out_of_its_bounds_is_refused(fields: dict[str, object]) -> None:
    assert code_of(profile(**fields)) is ErrorCode.DOCUMENT_INVALID


@pytest.mark.parametrize("data", [b"{}", b'{"schema_version": 2}'])
def test_a_profile_without_a_known_version_is_refused(data: bytes) -> None:
    assert code_of(data) is ErrorCode.SCHEMA_VERSION_UNKNOWN
