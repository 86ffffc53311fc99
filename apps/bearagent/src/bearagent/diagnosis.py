"""What `doctor` looks at: Python, SQLite, folders, database, provider, settings. It creates and raises nothing."""

import codecs
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version

from bearagent.bootstrap import place_of, require_outside
from bearagent.providers import model_profile, provider_named, rate_of
from bearagent.system_sources import RandomIds
from bearagent_cli.profiles import resolved_profile
from bearagent_cli.service import Check
from bearagent_cli.settings import Settings
from bearagent_domain.errors import BearAgentError
from bearagent_domain.profiles import AgentConfig
from bearagent_runtime.configurations import startable_limits
from bearagent_sqlite_store import check_database
from bearagent_workspace_tools import workspace_tools

LOST_RUNS_SHOWN_MAX = 3
SUPPORTED_SYSTEMS = ("Darwin", "Linux")


class _Wrong(Exception):
    """A finding, in a sentence for the user's own terminal."""


def diagnosed(settings: Settings) -> tuple[Check, ...]:
    """All checks under `settings`, in the order in which a run would meet them."""
    looks: dict[str, Callable[[Settings], str]] = {
        "Python": _python,
        "SQLite": _sqlite,
        "workspace": _workspace,
        "data folder": _data_folder,
        "database": _database,
        "provider": _provider,
        "settings": _settings,
    }
    return tuple(_checked(name, look, settings) for name, look in looks.items())


def _checked(name: str, look: Callable[[Settings], str], settings: Settings) -> Check:
    try:
        return Check(name=name, ok=True, detail=look(settings))
    except BearAgentError as error:
        return Check(name=name, ok=False, detail=error.info.message)
    except _Wrong as found:
        return Check(name=name, ok=False, detail=str(found))
    except OSError as error:
        return Check(name=name, ok=False, detail=f"The system refused: {error.strerror}.")


def _python(settings: Settings) -> str:
    system = platform.system()
    if system not in SUPPORTED_SYSTEMS:
        raise _Wrong(f"{system} is not supported; Linux and macOS are.")
    if codecs.lookup(sys.getfilesystemencoding()).name != "utf-8":
        raise _Wrong("This Python takes no UTF-8 names of files. Set PYTHONUTF8=1, or a UTF-8 locale.")
    return f"{platform.python_version()} at {sys.executable}"


def _sqlite(settings: Settings) -> str:
    return f"apsw {version('apsw')}, which brings its own SQLite"


def _workspace(settings: Settings) -> str:
    workspace = settings.workspace
    if not workspace.is_dir() or not os.access(workspace, os.R_OK | os.X_OK):
        raise _Wrong(f"{workspace} is not a folder that can be read.")
    workspace_tools(workspace, RandomIds().new_id)
    require_outside(workspace, settings.private_places)
    return place_of(workspace)


def _data_folder(settings: Settings) -> str:
    folder = settings.database.parent
    there = next(place for place in (folder, *folder.resolve().parents) if place.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        raise _Wrong(f"{there} can't be written to.")
    return str(folder) if there == folder else f"{folder}, which the first run makes"


def _database(settings: Settings) -> str:
    if not settings.database.exists():
        return f"{settings.database}, which the first run makes"
    health = check_database(settings.database)
    if health.problems:
        raise _Wrong(f"{settings.database} is damaged: {'; '.join(health.problems)}. Work on a copy of it.")
    if health.lost_runs:
        some = ", ".join(health.lost_runs[:LOST_RUNS_SHOWN_MAX])
        raise _Wrong(
            f"{settings.database} held {len(health.lost_runs):,} more runs, which are lost: {some}. "
            "Its end was lost, or an older copy stands in its place."
        )
    return f"{settings.database}: runs {health.runs:,}, events {health.events:,}, bytes {health.size:,}"


def _provider(settings: Settings) -> str:
    model = model_profile(AgentConfig(provider=settings.text("provider"), model=settings.text("model")))
    provider_named(model)
    return f"{model.provider} / {model.model}: needs no key and no network"


def _settings(settings: Settings) -> str:
    profile = resolved_profile(settings, None)
    rate = rate_of(model_profile(profile.agent), settings.rates)
    startable_limits(profile.limits, rate)
    return f"every value fits; runs are recorded for {settings.uid}"
