"""docs/errors.md names every code once, and the exit codes in it are those of the command line."""

import re
from pathlib import Path

import pytest

from bearagent_cli.exit_codes import of_error
from bearagent_domain.errors import ErrorCode

PAGE = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
_ROW = re.compile(r"^\| `([a-z0-9_]+)` \| (.+) \| (.+) \| (\d+|–) \|$", re.MULTILINE)


def section(title: str) -> dict[str, str]:
    """Code and exit code of each row below the heading `title`."""
    _, _, after = PAGE.read_text("utf-8").partition(f"\n## {title}\n")
    assert after, title
    return {match[1]: match[4] for match in _ROW.finditer(after.partition("\n## ")[0])}


COMMAND = section("A command could not do its work")
RUN = section("A run ended, or rests")
CALL = section("A tool call was refused or failed")


def test_the_page_names_every_code_once_and_no_other() -> None:
    named = [match[1] for match in _ROW.finditer(PAGE.read_text("utf-8"))]
    assert sorted(named) == sorted(ErrorCode)


def test_every_row_of_the_page_is_read_by_this_test() -> None:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert len(rows) == len(COMMAND) + len(RUN) + len(CALL)


@pytest.mark.parametrize("code", COMMAND)
def test_a_command_ends_as_the_page_says(code: str) -> None:
    assert str(of_error(ErrorCode(code))) == COMMAND[code]


def test_a_run_that_ended_with_an_error_never_exits_with_0_or_as_a_command_that_did_not_start() -> None:
    assert set(RUN.values()) == {"1", "5", "6", "130"}


def test_a_refused_call_ends_nothing() -> None:
    assert set(CALL.values()) == {"–"}
