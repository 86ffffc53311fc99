"""docs/command-line.md tells of the command line as it is."""

from pathlib import Path

import typer
from typer.core import TyperGroup

from bearagent_cli import build_app
from bearagent_cli.settings import NAMES, Settings
from tests.e2e.played_service import PlayedService

PAGE = (Path(__file__).resolve().parents[2] / "docs/command-line.md").read_text("utf-8")


def no_service(settings: Settings) -> PlayedService:
    raise AssertionError("nothing is carried out here")


def group() -> TyperGroup:
    made = typer.main.get_command(build_app(no_service))
    assert isinstance(made, TyperGroup)
    return made


def test_every_command_has_its_row() -> None:
    assert [name for name in group().commands if f"| `bearagent {name}" not in PAGE] == []


def test_every_setting_has_its_row_with_its_variable() -> None:
    missing = [name for name in NAMES if f"| `{name}` |" not in PAGE or f"`BEARAGENT_{name.upper()}`" not in PAGE]
    assert missing == []


def test_every_flag_of_run_is_told() -> None:
    flags = {flag for parameter in group().commands["run"].params for flag in parameter.opts if flag.startswith("--")}
    assert {flag for flag in flags - {"--help"} if f"`{flag}" not in PAGE} == set()
