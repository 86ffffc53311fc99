"""Every entry of the table of hostile paths, through each of the four workspace tools."""

from pathlib import Path
from typing import Any

import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_ports import CallRefused
from tests.security.hostile_workspace import ARGUMENTS, READERS, TABLE, Workspace

INSIDE = (".", "README.md", "docs", "docs/a.md")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["id"])
def test_each_string_gets_its_verdict_from_each_tool(workspace: Workspace, case: dict[str, Any]) -> None:
    before = workspace.everything()
    for tool in ARGUMENTS:
        if case["write" if tool == "write" else "read"] == "allow":
            prepared = workspace.prepare(tool, case["path"])
            assert prepared.arguments["path"] == case["normalised"]
            assert [resource.name for resource in prepared.resources] == [case["normalised"]]
        else:
            with pytest.raises(CallRefused) as caught:
                workspace.prepare(tool, case["path"])
            assert caught.value.info.code == case["code"]
    assert workspace.everything() == before


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["id"])
def test_a_string_reaches_nothing_outside(workspace: Workspace, case: dict[str, Any]) -> None:
    """Whatever a path is taken for, what comes back is from inside, or the sentence that nothing is there."""
    before = workspace.everything()
    for tool in READERS:
        try:
            result = workspace.run(tool, case["path"])
        except BearAgentError:
            continue
        assert case["normalised"] in INSIDE
        assert "secret" not in result.content
    assert workspace.everything() == before


@pytest.mark.parametrize(
    "case", [case for case in TABLE["cases"] if case["write"] == "allow"], ids=lambda case: case["id"]
)
def test_a_writable_string_makes_exactly_the_file_it_names(workspace: Workspace, case: dict[str, Any]) -> None:
    before = set(workspace.everything())
    workspace.run("write", case["path"])
    target = workspace.root / case["normalised"]
    assert target.read_text() == "x"
    on_the_way = {str(folder) for folder in target.parents if folder.is_relative_to(workspace.root)}
    assert set(workspace.everything()) - before - on_the_way == {str(target)}


@pytest.mark.parametrize("case", TABLE["not_strings"], ids=lambda case: case["id"])
@pytest.mark.parametrize("tool", ARGUMENTS)
def test_what_is_no_string_is_refused(workspace: Workspace, tool: str, case: dict[str, Any]) -> None:
    assert workspace.code(tool, case["value"]) == case["code"]


PAIRS = {pair["id"]: (pair["a"], pair["b"]) for pair in TABLE["pairs"]}
SECOND_WRITE = {
    "U01": "path_collision",
    "U02": "path_not_nfc",
    "U03": "path_collision",
    "U04": None,
    "U05": "path_collision",
    "U06": "path_not_nfc",
    "U07": None,
    "U08": "path_collision",  # full case folding takes the ligature for its letters
    "U11": "path_trailing",
    "U12": "path_short_name",
    "U13": "path_colon",
}
ONE_SPELLING = ("U09", "U10")


def test_every_pair_of_the_table_is_looked_at() -> None:
    assert set(PAIRS) == {*SECOND_WRITE, *ONE_SPELLING}


@pytest.mark.parametrize("pair", SECOND_WRITE)
def test_the_second_of_a_pair_is_written_only_if_nobody_takes_it_for_the_first(workspace: Workspace, pair: str) -> None:
    first, second = PAIRS[pair]
    workspace.run("write", first)
    before, expected = workspace.everything(), SECOND_WRITE[pair]
    if expected is None:
        workspace.run("write", second)
        assert len(workspace.everything()) == len(before) + 1
    else:
        assert workspace.code("write", second) == expected
        assert workspace.everything() == before


@pytest.mark.parametrize("pair", ["U02", "U05"])
def test_the_first_of_a_pair_is_refused_while_the_second_is_there(workspace: Workspace, pair: str) -> None:
    first, second = PAIRS[pair]
    (workspace.root / "outputs").mkdir()
    (workspace.root / second).write_text("old")
    assert workspace.code("write", first) == "path_collision"


@pytest.mark.parametrize("pair", ONE_SPELLING)
@pytest.mark.parametrize("tool", READERS)
def test_two_spellings_of_one_path_are_one_request(workspace: Workspace, tool: str, pair: str) -> None:
    first, second = (workspace.prepare(tool, path) for path in PAIRS[pair])
    assert (first, first.prepared_hash) == (second, second.prepared_hash)


@pytest.mark.parametrize(
    "path",
    ["../outside/secret", "..%2foutside/secret", "docs/../../outside/secret", "docs//..//..//etc/passwd",
     "docs/ /../../x", "docs/%2e%2e/x", "docs/.. /x", "docs/\u2025/x", "docs/..\u00a0/x", "docs/.\u200b./x"],
)  # fmt: skip
@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_neighbour_folder_is_never_reached(workspace: Workspace, tool: str, path: str) -> None:
    before = workspace.everything()
    assert workspace.code(tool, path).startswith(("path_", "write_outside_outputs"))
    assert workspace.everything() == before


def test_every_code_of_the_table_is_an_error_code() -> None:
    codes = {case["code"] for case in (*TABLE["cases"], *TABLE["not_strings"]) if case["code"]}
    assert codes <= {str(code) for code in ErrorCode}
