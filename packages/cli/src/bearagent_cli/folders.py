"""Where a user's settings and data lie, by the habits of each platform. Pure: it looks at what it is given."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

NAME = "bearagent"


def config_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The folder of the config file, there or not: `$XDG_CONFIG_HOME` or `~/.config`, on macOS in `~/Library`."""
    return _folder(environment, platform, "XDG_CONFIG_HOME", ".config")


def data_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """The folder of the default database: `$XDG_DATA_HOME` or `~/.local/share`, on macOS in `~/Library`."""
    return _folder(environment, platform, "XDG_DATA_HOME", ".local/share")


def _folder(environment: Mapping[str, str], platform: str, variable: str, below_home: str) -> Path:
    chosen = environment.get(variable, "")
    if os.path.isabs(chosen):  # a relative one must be ignored: it would depend on the current folder
        return Path(chosen) / NAME
    below_home = "Library/Application Support" if platform == "darwin" else below_home
    return Path(environment.get("HOME") or Path.home()) / below_home / NAME
