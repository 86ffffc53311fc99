"""Profiles: what their file says, between the flags above and the other settings below."""

from pathlib import Path

import pytest

from bearagent_cli.profiles import read_profile, resolved_profile
from bearagent_cli.settings import loaded_settings
from bearagent_domain.errors import BearAgentError, ErrorCode

TOML = 'schema_version = 1\n[agent]\nmodel = "profile"\ncontext_chars = 10_000\n[limits]\nmodel_calls = 7\n'
JSON = '{"schema_version": 1, "limits": {"active_ms": 250}, "tools": ["workspace.read"]}'


@pytest.fixture
def profile(home: Path) -> Path:
    file = home / "p.toml"
    file.write_text(TOML)
    return file


def test_a_profile_stands_above_environment_and_config_file(profile: Path) -> None:
    settings = loaded_settings({}, {"BEARAGENT_MODEL": "environment", "BEARAGENT_MAX_MODEL_CALLS": "1"})
    found = resolved_profile(settings, profile)
    assert (found.agent.model, found.limits.model_calls, found.agent.context_chars) == ("profile", 7, 10_000)


def test_flags_stand_above_a_profile(profile: Path) -> None:
    settings = loaded_settings({"model": "flag", "max_model_calls": "0", "context_chars": "9000"}, {})
    found = resolved_profile(settings, profile)
    assert (found.agent.model, found.limits.model_calls, found.agent.context_chars) == ("flag", 0, 9_000)


def test_settings_fill_what_a_profile_leaves_open(profile: Path) -> None:
    found = resolved_profile(loaded_settings({}, {"BEARAGENT_MAX_SECONDS": "0.25"}), profile)
    assert (found.limits.active_ms, found.agent.provider) == (250, "offline")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_profile_may_be_json(mark: str, home: Path) -> None:
    (home / "p.json").write_text(mark + JSON, encoding="utf-8")
    found = read_profile(home / "p.json")
    assert (found.limits.active_ms, found.tools) == (250, ("workspace.read",))


@pytest.mark.parametrize("name", ["p.json", "empty.json", "p.toml", "missing.toml", "."])
def test_what_is_no_profile_is_refused(name: str, home: Path) -> None:
    (home / "p.json").write_bytes(b"\xff")
    (home / "empty.json").touch()
    (home / "p.toml").write_text("schema_version = 1\n[agent]\nbase_url = 'http://x'\n")
    with pytest.raises(BearAgentError) as caught:
        read_profile(home / name)
    assert caught.value.info.code is ErrorCode.PROFILE_INVALID
    assert not caught.value.info.message.endswith("..")


@pytest.mark.parametrize("content", ["{}", '{"schema_version": 2}', '{"schema_version": "1"}', "[1]"])
def test_a_profile_of_another_version_or_of_none_is_refused(content: str, home: Path) -> None:
    (home / "p.json").write_text(content)
    with pytest.raises(BearAgentError, match="schema_version = 1"):
        read_profile(home / "p.json")


@pytest.mark.parametrize("flags", [{"provider": "Bad Name"}, {"model": "a\nb"}, {"context_chars": "10"}])
def test_a_setting_beyond_the_bounds_of_a_profile_is_refused(flags: dict[str, str | None]) -> None:
    with pytest.raises(BearAgentError) as caught:
        resolved_profile(loaded_settings(flags, {}), None)
    assert caught.value.info.code is ErrorCode.USAGE
