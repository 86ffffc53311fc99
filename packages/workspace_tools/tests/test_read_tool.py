"""`workspace.read`: pages of whole lines, the file's own bytes, bounded whatever the file is."""

import hashlib
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import canonical_json
from bearagent_domain.tools import ToolResult
from bearagent_ports import CallRefused

Call = Callable[..., ToolResult]
CodeOf = Callable[..., ErrorCode]


def test_a_page_is_the_text_as_it_stands_with_bom_and_crlf(workspace: Path, call: Call) -> None:
    data = b"\xef\xbb\xbf# A\r\nline\r\n"
    (workspace / "docs/win.md").write_bytes(data)
    result = call("read", path="docs/win.md")
    assert result.content.encode() == data
    assert result.facts == {
        "path": "docs/win.md",
        "start_line": 1,
        "end_line": 2,
        "total_lines": 2,
        "next_start_line": None,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }


def test_a_bare_carriage_return_ends_no_line(workspace: Path, call: Call) -> None:
    (workspace / "docs/log.txt").write_bytes(b"a\rb\nc\n")
    result = call("read", path="docs/log.txt")
    assert (result.content, result.facts["total_lines"]) == ("a\rb\nc\n", 2)


def test_other_unicode_line_ends_end_no_line(workspace: Path, call: Call) -> None:
    text = "a\u2028b\x0bc\x85d\x1ce\n"
    (workspace / "docs/odd.txt").write_text(text, "utf-8", newline="")
    result = call("read", path="docs/odd.txt")
    assert (result.content, result.facts["total_lines"]) == (text, 1)


@pytest.mark.parametrize(
    ("data", "total"), [(b"", 0), (b"\n", 1), (b"1\n" * 10, 10), (b"1\n2\n3\n4\n5\n6", 6), (b"x", 1), (b"\n\n", 2)]
)
def test_lines_are_counted_once_each(workspace: Path, call: Call, data: bytes, total: int) -> None:
    (workspace / "docs/a.txt").write_bytes(data)
    result = call("read", path="docs/a.txt")
    assert (result.content.encode(), result.facts["total_lines"], result.facts["next_start_line"]) == (
        data,
        total,
        None,
    )


def test_a_start_behind_the_end_is_a_clear_end_of_file(workspace: Path, call: Call) -> None:
    (workspace / "docs/ten.txt").write_text("x\n" * 10)
    result = call("read", path="docs/ten.txt", start_line=11)
    assert result.content == ""
    assert result.facts["end_of_file"] is True
    assert (result.facts["end_line"], result.facts["total_lines"], result.facts["next_start_line"]) == (10, 10, None)


@pytest.mark.parametrize("length", [1, 70, 900, 65_535, 65_536, 65_537, 70_000, 200_001])
@pytest.mark.parametrize("last_end", ["\n", ""])
def test_following_the_facts_gives_the_whole_file(workspace: Path, call: Call, length: int, last_end: str) -> None:
    """A document with an embedded image of one huge line filled the context for good."""
    text = "# start\n" + "é" * length + "\nz" + "x\n" * 5_000 + "end" + last_end
    (workspace / "docs/long.md").write_text(text, "utf-8")
    pages = pages_of(call, "docs/long.md")
    assert "".join(pages) == text
    assert max(len(page.encode()) for page in pages) <= 65_536


def pages_of(call: Call, path: str) -> list[str]:
    pages, line, offset = [], 1, 0
    while True:
        result = call("read", path=path, start_line=line, start_offset=offset)
        assert result.content
        pages.append(result.content)
        next_line, next_offset = result.facts["next_start_line"], result.facts.get("next_offset", 0)
        if next_line is None:
            return pages
        assert isinstance(next_line, int) and isinstance(next_offset, int)
        assert (next_line, next_offset) > (line, offset)
        line, offset = next_line, next_offset


def test_a_page_holds_the_lines_asked_for(workspace: Path, call: Call) -> None:
    (workspace / "docs/n.txt").write_text("".join(f"{n}\n" for n in range(1, 101)))
    result = call("read", path="docs/n.txt", start_line=10, max_lines=5)
    assert result.content == "10\n11\n12\n13\n14\n"
    assert (result.facts["end_line"], result.facts["next_start_line"], result.facts["total_lines"]) == (14, 15, 100)


def test_a_cut_line_keeps_its_number_and_says_where_to_go_on(workspace: Path, call: Call) -> None:
    (workspace / "docs/b.html").write_text("a\n" + "é" * 40_000 + "\nb\n", "utf-8")
    first = call("read", path="docs/b.html")
    assert (first.content, first.facts["next_start_line"], "line_cut" in first.facts) == ("a\n", 2, False)
    second = call("read", path="docs/b.html", start_line=2)
    assert second.facts["line_cut"] is True
    assert (second.facts["end_line"], second.facts["next_start_line"], second.facts["next_offset"]) == (2, 2, 65_536)


@pytest.mark.parametrize("offset", [3, 5, 1_000_000])  # within a character; behind the line; behind the file
def test_an_offset_that_is_not_in_its_line_is_refused(workspace: Path, code_of: CodeOf, offset: int) -> None:
    (workspace / "docs/a.txt").write_text("abé\nlonger line\n", "utf-8")
    assert code_of("read", path="docs/a.txt", start_offset=offset) is ErrorCode.ARGUMENTS_INVALID


@pytest.mark.parametrize("text", ["\n" * 90_000, "\x01" * 300_000, '"\\' * 50_000, "\t\x1b\n" * 50_000])
def test_a_page_fits_into_a_result_whatever_its_characters_cost_in_json(workspace: Path, call: Call, text: str) -> None:
    (workspace / "docs/odd.txt").write_text(text, newline="")
    result = call("read", path="docs/odd.txt", max_lines=1_000_000)
    assert result.content and text.startswith(result.content)
    assert len(canonical_json(result)) <= 131_072
    assert "".join(pages_of(call, "docs/odd.txt")) == text


@pytest.mark.parametrize(
    "data", [b"na\xefve text\n", b"\xff\xfe\0", b"ok\n" * 200_000 + b"\xff", b"a\0b", b"cut \xe4\xbd", b"\xed\xa0\x80"]
)
def test_what_is_not_utf8_text_is_not_shown(workspace: Path, code_of: CodeOf, data: bytes) -> None:
    (workspace / "docs/latin.txt").write_bytes(data)
    assert code_of("read", path="docs/latin.txt", max_lines=1) is ErrorCode.NOT_TEXT


def test_memory_does_not_grow_with_the_file(workspace: Path, call: Call) -> None:
    with open(workspace / "docs/big.log", "wb") as file:
        for _ in range(64):
            file.write(b"0123456789abcde\n" * 65_536)
    tracemalloc.start()
    try:
        result = call("read", path="docs/big.log", start_line=10, max_lines=5)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (result.facts["total_lines"], result.facts["size"]) == (64 * 65_536, 64 * 2**20)
    assert peak < 4 * 2**20


def test_a_sparse_file_of_a_tebibyte_is_refused_at_once(workspace: Path, code_of: CodeOf) -> None:
    (workspace / "docs/big").touch()
    os.truncate(workspace / "docs/big", 2**40)
    assert code_of("read", path="docs/big") is ErrorCode.FILE_TOO_LARGE


def test_an_ignore_file_hides_nothing(workspace: Path, call: Call) -> None:
    (workspace / ".gitignore").write_text("dist/\n")
    (workspace / "dist").mkdir()
    (workspace / "dist/app.js").write_text("x\n")
    assert call("read", path="dist/app.js").content == "x\n"
    assert call("search", query="x", path="dist").facts["matches"] == 1


def test_names_that_differ_in_case_are_two_files(workspace: Path, call: Call, code_of: CodeOf) -> None:
    (workspace / "docs/secrets.md").write_text("lower")
    assert call("read", path="docs/secrets.md").content == "lower"
    assert code_of("read", path="docs/Secrets.md") is ErrorCode.PATH_NOT_FOUND


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"path": "a", "extra": 1},
        {"path": "a", "start_line": 1.5},
        {"path": "a", "start_line": True},
        {"path": "a", "start_line": "1"},
        {"path": "a", "start_line": 0},
        {"path": "a", "max_lines": None},
        {"path": "a", "max_lines": 0},
        {"path": "a", "start_offset": -1},
    ],
)
def test_arguments_are_taken_strictly(code_of: CodeOf, arguments: dict[str, object]) -> None:
    assert code_of("read", **arguments) is ErrorCode.ARGUMENTS_INVALID


def test_a_refusal_names_a_bounded_number_of_fields(call: Call) -> None:
    with pytest.raises(CallRefused) as caught:
        call("read", **{f"{n}\U0001f43b" * 200: n for n in range(2_000)})
    fields = caught.value.info.details["fields"]
    assert isinstance(fields, str) and len(fields) <= 500 and len(caught.value.info.message) <= 1_000
