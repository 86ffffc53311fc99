"""`doctor`: what is wrong on a machine is found before a run meets it, and nothing is made on the way."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from bearagent.diagnosis import diagnosed
from bearagent_cli.service import Check
from bearagent_cli.settings import loaded_settings
from bearagent_sqlite_store import SqliteEventStore

Diagnose = Callable[..., dict[str, Check]]
PRICED = """[[rates]]
model = "some-model"
input_micro_usd = 1
output_micro_usd = 1
source = "a price list"
date = "2026-11-30"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folders, empty, with a workspace in the current one."""
    home, workspace = tmp_path / "home", tmp_path / "workspace"
    home.mkdir()
    workspace.mkdir()
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.chdir(workspace)
    return home


@pytest.fixture
def diagnose(home: Path) -> Diagnose:
    def found(**flags: str) -> dict[str, Check]:
        return {check.name: check for check in diagnosed(loaded_settings(flags, {}))}

    return found


def test_a_fresh_machine_is_well_and_stays_empty(diagnose: Diagnose, home: Path) -> None:
    assert all(check.ok for check in diagnose().values())
    assert list(home.iterdir()) == []


def test_a_database_is_told_with_what_it_holds(diagnose: Diagnose, home: Path) -> None:
    with closing(SqliteEventStore.open(home / "x.db")):
        pass
    assert "runs 0, events 0" in diagnose(db=str(home / "x.db"))["database"].detail


def test_a_database_that_is_a_text_file_is_wrong(diagnose: Diagnose, home: Path) -> None:
    (home / "x.db").write_text("notes " * 1_000)
    assert not diagnose(db=str(home / "x.db"))["database"].ok


def test_a_database_inside_the_workspace_is_wrong(diagnose: Diagnose) -> None:
    assert "--db" in diagnose(db="x.db")["workspace"].detail


@pytest.mark.parametrize("workspace", ["nowhere", os.devnull])
def test_a_workspace_that_is_no_folder_is_wrong(workspace: str, diagnose: Diagnose) -> None:
    assert not diagnose(workspace=workspace)["workspace"].ok


def test_a_data_folder_that_can_not_be_made_is_wrong(diagnose: Diagnose, home: Path) -> None:
    (home / "file").write_text("")
    assert not diagnose(db=str(home / "file/sub/x.db"))["data folder"].ok


def test_a_provider_that_is_not_there_is_wrong(diagnose: Diagnose) -> None:
    assert not diagnose(provider="nobody", model="m")["provider"].ok


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("max_seconds", "-5"),
        ("max_tool_calls", "many"),
        ("context_chars", "7"),
        ("max_cost_usd", "0.0000001"),
        ("uid", "two words"),
    ],
)
def test_a_setting_that_no_run_could_start_with_is_wrong(name: str, text: str, diagnose: Diagnose) -> None:
    check = diagnose(**{name: text})["settings"]
    assert not check.ok and check.detail


def test_a_limit_on_costs_needs_a_model_with_rates(diagnose: Diagnose, home: Path) -> None:
    (home / "bearagent").mkdir()
    (home / "bearagent/config.toml").write_text(PRICED)
    assert diagnose(provider="elsewhere", model="some-model", max_cost_usd="1")["settings"].ok
    assert "rates" in diagnose(provider="elsewhere", model="another", max_cost_usd="1")["settings"].detail
