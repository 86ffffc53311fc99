"""`workspace.search`: literal, bounded, and open about what it left out."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import canonical_json
from bearagent_domain.tools import ToolResult

Call = Callable[..., ToolResult]
CodeOf = Callable[..., ErrorCode]


def places(result: ToolResult) -> list[tuple[str, int]]:
    return [(found["path"], found["line"]) for found in map(json.loads, result.content.split("\n")[:-1])]


def test_matches_come_in_the_order_of_their_paths(workspace: Path, call: Call) -> None:
    for path in ("docs/z.md", "docs/a/deep.md", "docs/a.md", "b.md", "docs/a-b.md"):
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text("none\nthe Bear\n")
    result = call("search", query="bEAR")
    assert places(result) == [(p, 2) for p in ("b.md", "docs/a-b.md", "docs/a.md", "docs/a/deep.md", "docs/z.md")]
    assert result.facts == {"path": ".", "matches": 5, "truncated": False, "files": 5, "skipped": 0}


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("a Straße here", "STRASSE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("熊在冬眠", "冬眠"),
        ("x (a+)+$ y", "(A+)+$"),
        ("[un[", "[un["),
    ],
)
def test_a_query_is_literal_and_case_does_not_matter(workspace: Path, call: Call, text: str, query: str) -> None:
    (workspace / "docs/a.txt").write_text(f"first\n{text}\n", "utf-8")
    result = call("search", query=query)
    assert places(result) == [("docs/a.txt", 2)]
    assert json.loads(result.content)["text"] == text


@pytest.mark.parametrize("query", ["(a+)+$", "(a|a)*b", "(x+x+)+y", "[unclosed("])
def test_a_pattern_is_only_text(workspace: Path, call: Call, query: str) -> None:
    (workspace / "docs/a.txt").write_text("a" * 60 + "!")
    assert call("search", query=query).facts["matches"] == 0


def test_lines_are_those_of_read(workspace: Path, call: Call) -> None:
    (workspace / "docs/log.txt").write_bytes(b"a\rb\nc\r\n")
    assert places(call("search", query="b")) == [("docs/log.txt", 1)]
    assert json.loads(call("search", query="c").content) == {"line": 2, "path": "docs/log.txt", "text": "c"}


@pytest.mark.parametrize("before", [0, 1, 262_143, 262_144, 1_048_575, 1_048_576, 3_000_000])
def test_a_match_far_inside_a_long_line_is_found_once_and_shown(workspace: Path, call: Call, before: int) -> None:
    (workspace / "docs/long.txt").write_text("x\n" + "é" * before + "NeedlE" + "y" * 2_000_000 + "\nneedle", "utf-8")
    result = call("search", query="needle")
    assert places(result) == [("docs/long.txt", 2), ("docs/long.txt", 3)]
    shown = json.loads(result.content.split("\n")[0])["text"]
    assert "NeedlE" in shown and len(shown) <= 300


def test_what_cannot_be_searched_is_counted(workspace: Path, call: Call) -> None:
    """A recursive search stopped for ever at a FIFO in the tree."""
    docs = workspace / "docs"
    os.mkfifo(docs / "pipe")
    (docs / "link").symlink_to("/etc")
    (docs / "binary").write_bytes(b"needle\0")
    (docs / "latin").write_bytes(b"needle \xff")
    (docs / "cut").write_bytes(b"needle \xe4\xbd")
    (docs / os.fsdecode(b"\xff.md")).write_text("needle")
    (docs / "good.md").write_text("needle")
    result = call("search", query="needle")
    assert places(result) == [("docs/good.md", 1)]
    assert (result.facts["files"], result.facts["skipped"]) == (1, 6)


def test_a_cut_result_says_why(workspace: Path, call: Call) -> None:
    (workspace / "docs/a.txt").write_text("x\n" * 50)
    full = call("search", query="x", max_matches=50)
    assert (full.facts["matches"], full.facts["truncated"]) == (50, False)
    cut = call("search", query="x", max_matches=49)
    assert (cut.facts["matches"], cut.facts["truncated"], cut.facts["reason"]) == (49, True, "max_matches")


def test_many_long_matches_fit_into_a_result(workspace: Path, call: Call) -> None:
    (workspace / "docs/a.txt").write_text(("x" + '\x01"\\' * 99 + "\n") * 1_000)
    result = call("search", query="x", max_matches=1_000)
    assert result.facts["reason"] == "result_bytes"
    assert len(canonical_json(result)) <= 131_072


def test_only_the_folder_asked_for_is_walked(workspace: Path, call: Call) -> None:
    (workspace / "other").mkdir()
    (workspace / "other/a.md").write_text("x")
    (workspace / "docs/a.md").write_text("x")
    assert call("search", query="x", path="docs").facts["files"] == 1
    assert places(call("search", query="x", path="docs/a.md")) == [("docs/a.md", 1)]


def test_a_chain_of_two_thousand_folders_is_cut_and_said_so(workspace: Path, call: Call) -> None:
    here = os.open(workspace / "docs", os.O_RDONLY)
    for _ in range(2_000):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    (workspace / "docs/a.md").write_text("x")
    try:
        result, listed = call("search", query="x"), call("list", path="docs")
    finally:
        subprocess.run(["rm", "-rf", workspace / "docs/d"], check=True)  # Python's own removal recurses
    assert places(result) == [("docs/a.md", 1)]
    assert (result.facts["truncated"], result.facts["reason"]) == (True, "depth")
    assert listed.facts["entries"] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": ""},
        {"query": "a\nb"},
        {"query": "a\0"},
        {"query": "\ud800"},
        {"query": 5},
        {"query": "x" * 1_001},
        {"query": "x", "max_matches": 0},
        {"query": "x", "max_matches": 1_001},
        {"query": "x", "max_matches": True},
        {"query": "x", "regex": True},
    ],
)
def test_arguments_are_taken_strictly(code_of: CodeOf, arguments: dict[str, object]) -> None:
    assert code_of("search", **arguments) is ErrorCode.ARGUMENTS_INVALID


def test_a_start_that_is_not_there_or_no_file_fails(workspace: Path, code_of: CodeOf) -> None:
    (workspace / "docs/link").symlink_to("..")
    os.mkfifo(workspace / "docs/pipe")
    assert code_of("search", query="x", path="nothing") is ErrorCode.PATH_NOT_FOUND
    assert code_of("search", query="x", path="docs/link") is ErrorCode.PATH_LINK
    assert code_of("search", query="x", path="docs/pipe") is ErrorCode.PATH_NOT_REGULAR
