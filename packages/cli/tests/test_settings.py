"""Settings: flags over environment over config file over defaults, each with its origin."""

from pathlib import Path

import pytest

from bearagent_cli.settings import Origin, Setting, loaded_settings
from bearagent_domain.errors import BearAgentError, ErrorCode


def configured(home: Path, content: str) -> None:
    (home / "bearagent").mkdir()
    (home / "bearagent/config.toml").write_text(content, encoding="utf-8")


def test_without_any_setting_the_offline_provider_works_on_the_current_folder(home: Path) -> None:
    settings = loaded_settings({}, {})
    assert settings.by_name["provider"] == Setting("provider", "offline", Origin.DEFAULT)
    assert settings.by_name["workspace"] == Setting("workspace", ".", Origin.DEFAULT)
    assert settings.database == home / "bearagent" / "bearagent.db"


def test_each_origin_stands_above_the_next(home: Path) -> None:
    configured(home, 'model = "config"\nprovider = "config"\nmax_seconds = 5\n')
    environment = {"BEARAGENT_MODEL": "environment", "BEARAGENT_PROVIDER": "environment"}
    settings = loaded_settings({"model": "flag", "provider": None}, environment)
    assert settings.by_name["model"] == Setting("model", "flag", Origin.FLAG)
    assert settings.by_name["provider"] == Setting("provider", "environment", Origin.ENVIRONMENT)
    assert settings.by_name["max_seconds"] == Setting("max_seconds", "5", Origin.CONFIG_FILE)


def test_an_empty_variable_is_no_setting() -> None:
    assert loaded_settings({}, {"BEARAGENT_PROVIDER": ""}).by_name["provider"].origin is Origin.DEFAULT


@pytest.mark.parametrize("text", ["", "a\udcffb", "a\0b"])
def test_a_setting_that_says_nothing_is_refused_by_name(text: str) -> None:
    with pytest.raises(BearAgentError, match=r"workspace \(flag\)") as caught:
        loaded_settings({"workspace": text}, {})
    assert caught.value.info.code is ErrorCode.SETTINGS_INVALID


def test_rates_come_from_the_config_file_alone(home: Path) -> None:
    row = 'model = "m"\ninput_micro_usd = 1\noutput_micro_usd = 2\nsource = "price list"\ndate = "2026-11-01"\n'
    configured(home, f"[[rates]]\n{row}")
    rate = loaded_settings({}, {}).rates.rate_of("m")
    assert rate is not None and rate.output_micro_usd == 2


@pytest.mark.parametrize(
    "content",
    ['policy = "allow_all"', "provider = true", "provider = [1]", "x", 'rates = [{model = "m"}]', "rates = 3"],
)
def test_a_config_file_that_is_wrong_is_refused_by_name(content: str, home: Path) -> None:
    configured(home, content)
    with pytest.raises(BearAgentError, match=r"config\.toml") as caught:
        loaded_settings({}, {})
    assert caught.value.info.code is ErrorCode.SETTINGS_INVALID


def test_nothing_in_the_workspace_is_a_setting(home: Path) -> None:
    (home / ".env").write_text("BEARAGENT_PROVIDER=evil\n")
    (home / "config.toml").write_text('provider = "evil"\n')
    (home / "bearagent.toml").write_text('provider = "evil"\n')
    assert loaded_settings({}, {}).text("provider") == "offline"


@pytest.mark.parametrize("uid", ["../me", "-x", "a b", "x" * 65, "熊"])
def test_a_user_id_that_is_none_is_refused(uid: str) -> None:
    with pytest.raises(BearAgentError) as caught:
        _ = loaded_settings({}, {"BEARAGENT_UID": uid}).uid
    assert caught.value.info.code is ErrorCode.SETTINGS_INVALID
