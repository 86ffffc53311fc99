"""Settings: flags over environment over the user's config file over defaults, each with its origin.

Every setting has one name in three spellings: `--max-seconds`, `BEARAGENT_MAX_SECONDS`, `max_seconds = …`. Nothing in
a workspace is ever read here, and there is no setting for a key.
"""

import os
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

import msgspec

from bearagent_cli.folders import config_folder, data_folder
from bearagent_domain.documents import Rec
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import Uid
from bearagent_domain.json_values import is_storable_text
from bearagent_domain.prices import ModelRate, RateTable

LIMIT_FLAGS = (
    "max_model_calls",
    "max_tool_calls",
    "max_input_tokens",
    "max_output_tokens",
    "max_cost_usd",
    "max_seconds",
)
NAMES = ("db", "workspace", "provider", "model", "context_chars", "uid", *LIMIT_FLAGS)
CONFIG_BYTES_MAX = 1_048_576


class Origin(StrEnum):
    """Where the value of a setting comes from."""

    FLAG = "flag"
    ENVIRONMENT = "environment"
    CONFIG_FILE = "config file"
    DEFAULT = "default"


class Setting(Rec, frozen=True):
    """One setting as its origin spells it; null text means none."""

    name: str
    text: str | None
    origin: Origin


class Settings(Rec, frozen=True):
    """All settings of one command, and the model rates of the config file."""

    by_name: Mapping[str, Setting]
    config_file: Path
    rates: RateTable = RateTable()

    @property
    def database(self) -> Path:
        """The database file; it need not exist."""
        return Path(self._given("db")).expanduser()

    @property
    def workspace(self) -> Path:
        """The folder to work on; it need not exist."""
        return Path(self._given("workspace")).expanduser()

    @property
    def private_places(self) -> tuple[Path, ...]:
        """The database, the config folder and the data folder: what no model may read."""
        return self.database, self.config_file.parent, data_folder()

    @property
    def uid(self) -> str:
        """Who runs are recorded for. Raises `BearAgentError` (`settings_invalid`) when it is no user id."""
        try:
            return msgspec.convert(self.text("uid"), Uid)
        except msgspec.ValidationError as error:
            message = "uid must be 1 to 64 letters, digits and _ . @ - of ASCII, a letter or digit first."
            raise BearAgentError(failure(ErrorCode.SETTINGS_INVALID, message)) from error

    def text(self, name: str) -> str | None:
        """The value of a setting as written."""
        return self.by_name[name].text

    def _given(self, name: str) -> str:
        text = self.text(name)
        assert text is not None, "this setting has a default"
        return text


def loaded_settings(flags: Mapping[str, str | None], environment: Mapping[str, str] | None = None) -> Settings:
    """The settings under these flags. Raises `BearAgentError` (`settings_invalid`), also for a wrong config file."""
    config_file = config_folder() / "config.toml"
    config, rates = _config(config_file)
    return Settings(_resolved(flags, os.environ if environment is None else environment, config), config_file, rates)


def settings_without_config(flags: Mapping[str, str | None]) -> Settings:
    """The settings as if there were no config file: `doctor` goes on with them when the file is wrong."""
    return Settings(_resolved(flags, os.environ, {}), config_folder() / "config.toml")


def _resolved(
    flags: Mapping[str, str | None], environment: Mapping[str, str], config: Mapping[str, str]
) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for name in NAMES:
        variable = environment.get(f"BEARAGENT_{name.upper()}")
        if (text := flags.get(name)) is not None:
            found[name] = _usable(Setting(name, text, Origin.FLAG))
        elif variable:
            found[name] = _usable(Setting(name, variable, Origin.ENVIRONMENT))
        elif name in config:
            found[name] = _usable(Setting(name, config[name], Origin.CONFIG_FILE))
        else:
            found[name] = Setting(name, _default(name), Origin.DEFAULT)
    return found


def _usable(setting: Setting) -> Setting:
    """`setting`, unless nothing can be done with its text: an empty one must not silently become a default."""
    if not setting.text or not is_storable_text(setting.text):
        message = f"The setting {setting.name} ({setting.origin.value}) is empty or not UTF-8 text."
        raise BearAgentError(failure(ErrorCode.SETTINGS_INVALID, message))
    return setting


def _default(name: str) -> str | None:
    if name == "db":
        return str(data_folder() / "bearagent.db")
    return {"workspace": ".", "provider": "offline", "uid": "owner"}.get(name)


def _config(path: Path) -> tuple[dict[str, str], RateTable]:
    """The settings and rates of the config file; a file that is not there holds none."""
    try:
        with path.open("rb") as file:
            data = file.read(CONFIG_BYTES_MAX + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {}, RateTable()
    except OSError as error:
        raise _wrong(path, "can't be read") from error
    if len(data) > CONFIG_BYTES_MAX:
        raise _wrong(path, "is larger than 1 MiB")
    import tomllib  # most people have no config file, and every command waits for this module

    try:
        content = tomllib.loads(data.decode())
        rates = msgspec.convert(content.pop("rates", []), tuple[ModelRate, ...])
    except (ValueError, RecursionError) as error:  # also TOML, UTF-8 and msgspec errors
        raise _wrong(path, f"is wrong: {error}") from error
    return _config_texts(path, content), RateTable(rates=rates)


def _config_texts(path: Path, content: Mapping[str, object]) -> dict[str, str]:
    for name, value in content.items():
        if name not in NAMES:
            raise _wrong(path, f"holds the unknown setting {name!r}. Known: {', '.join(NAMES)}, rates")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise _wrong(path, f"gives {name} a value that is neither text nor a number")
    return {name: str(value) for name, value in content.items()}


def _wrong(path: Path, what: str) -> BearAgentError:
    return BearAgentError(failure(ErrorCode.SETTINGS_INVALID, f"The config file {path} {what}."))
