"""Where settings and data lie on each platform."""

from pathlib import Path

import pytest

from bearagent_cli.folders import config_folder, data_folder


def test_linux_follows_the_base_directories() -> None:
    assert config_folder({"HOME": "/home/me"}, "linux") == Path("/home/me/.config/bearagent")
    assert data_folder({"HOME": "/home/me"}, "linux") == Path("/home/me/.local/share/bearagent")


def test_macos_keeps_both_in_the_library() -> None:
    library = Path("/Users/me/Library/Application Support/bearagent")
    assert config_folder({"HOME": "/Users/me"}, "darwin") == data_folder({"HOME": "/Users/me"}, "darwin") == library


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_a_variable_names_another_folder(platform: str) -> None:
    assert config_folder({"HOME": "/home/me", "XDG_CONFIG_HOME": "/x"}, platform) == Path("/x/bearagent")
    assert data_folder({"HOME": "/home/me", "XDG_DATA_HOME": "/x"}, platform) == Path("/x/bearagent")


def test_a_relative_folder_is_ignored() -> None:
    assert data_folder({"HOME": "/home/me", "XDG_DATA_HOME": "x"}, "linux") == Path("/home/me/.local/share/bearagent")
