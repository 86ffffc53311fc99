"""`workspace.list`: one folder, sorted, page by page."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import canonical_json
from bearagent_domain.tools import ToolResult

Call = Callable[..., ToolResult]
CodeOf = Callable[..., ErrorCode]


def names_of(result: ToolResult) -> list[str]:
    return [json.loads(line)["name"] for line in result.content.splitlines()]


def test_each_entry_has_kind_name_and_size(workspace: Path, call: Call) -> None:
    docs = workspace / "docs"
    (docs / "b.md").write_text("four")
    (docs / "sub").mkdir()
    (docs / "link").symlink_to("/")
    os.mkfifo(docs / "pipe")
    result = call("list", path="docs")
    assert result.content == (
        '{"kind":"file","name":"b.md","size":4}\n{"kind":"link","name":"link","size":0}\n'
        '{"kind":"other","name":"pipe","size":0}\n{"kind":"directory","name":"sub","size":0}\n'
    )
    assert result.facts == {"path": "docs", "entries": 4, "next_cursor": None, "skipped": 0}


def test_the_workspace_itself_is_listed_by_default(call: Call) -> None:
    assert names_of(call("list")) == ["docs"]


def test_a_link_to_a_folder_is_shown_and_not_walked(workspace: Path, call: Call, code_of: CodeOf) -> None:
    (workspace / "docs/link").symlink_to("/")
    assert names_of(call("list", path="docs")) == ["link"]
    assert code_of("list", path="docs/link") is ErrorCode.PATH_LINK


@pytest.mark.parametrize("count", [0, 1, 499, 500, 501, 1_001])
def test_the_pages_together_are_the_folder_in_order(workspace: Path, call: Call, count: int) -> None:
    expected = sorted(f"n{n * 7919 % 100_003}.md" for n in range(count))
    for name in expected:
        (workspace / "docs" / name).touch()
    names: list[str] = []
    cursor: object = None
    for _ in range(4):
        page = call("list", path="docs", cursor=cursor)
        assert len(names_of(page)) == page.facts["entries"]
        names += names_of(page)
        cursor = page.facts["next_cursor"]
        if cursor is None:
            break
    assert names == expected


def test_a_page_of_long_names_fits_into_a_result(workspace: Path, call: Call) -> None:
    for n in range(500):
        (workspace / "docs" / (f"{n:03}" + '"' * 250)).touch()
    result = call("list", path="docs")
    assert result.facts["next_cursor"] is not None
    assert len(canonical_json(result)) <= 131_072


def test_names_that_no_path_can_hold_are_counted_not_shown(workspace: Path, call: Call) -> None:
    for name in (b"\xff.md", b"a\nb", b"trailing.", b"back\\slash", b"aux", b"c:d", "\u202e.md".encode(), b"good.md"):
        (workspace / "docs" / os.fsdecode(name)).touch()
    result = call("list", path="docs")
    assert (names_of(result), result.facts["skipped"]) == (["good.md"], 7)


def test_a_file_left_by_a_killed_write_is_not_shown(workspace: Path, call: Call) -> None:
    left = ".bearagent-123e4567-e89b-42d3-a456-426614174000-1-0.part"
    (workspace / "docs" / left).write_text("needle")
    assert names_of(call("list", path="docs")) == []
    assert call("search", query="needle").facts["matches"] == 0


def test_a_socket_is_listed_as_other(workspace: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace / "docs")  # the address of a socket is short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        assert '"kind":"other","name":"s"' in call("list", path="docs").content


def test_a_root_given_with_a_slash_is_the_same_folder(workspace: Path, call: Call) -> None:
    (workspace / "docs/a.md").touch()
    assert call("list", path="docs/").content == call("list", path="./docs").content


@pytest.mark.parametrize("cursor", ["", "../x", "a/b", "a\0", "\ud800", "x."])
def test_a_cursor_that_was_never_given_is_refused(code_of: CodeOf, cursor: str) -> None:
    assert code_of("list", path="docs", cursor=cursor) is ErrorCode.CURSOR_INVALID


@pytest.mark.parametrize("arguments", [{"cursor": 5}, {"recursive": True}, {"cursor": ["a"]}])
def test_arguments_are_taken_strictly(code_of: CodeOf, arguments: dict[str, object]) -> None:
    assert code_of("list", **arguments) is ErrorCode.ARGUMENTS_INVALID
