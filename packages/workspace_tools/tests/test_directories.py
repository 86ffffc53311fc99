"""The workspace folder itself: held open, recognised, and never silently exchanged."""

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.ids import new_id
from bearagent_domain.json_values import JsonObject
from bearagent_domain.tools import ToolResult
from bearagent_workspace_tools import workspace_tools
from bearagent_workspace_tools.directories import Workspace

CodeOf = Callable[..., ErrorCode]
CALLS: list[tuple[str, JsonObject]] = [
    ("list", {}),
    ("read", {"path": "docs/a.md"}),
    ("search", {"query": "x"}),
    ("write", {"path": "outputs/a.md", "content": "x"}),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_a_replaced_workspace_is_noticed_by_every_tool(
    workspace: Path, code_of: CodeOf, name: str, arguments: JsonObject
) -> None:
    workspace.rename(workspace.with_name("moved"))
    assert code_of(name, **arguments) is ErrorCode.WORKSPACE_CHANGED
    workspace.mkdir()
    assert code_of(name, **arguments) is ErrorCode.WORKSPACE_CHANGED
    assert (list(workspace.iterdir()), (workspace.with_name("moved") / "outputs").exists()) == ([], False)


def test_a_workspace_given_as_a_link_is_resolved_once(tmp_path: Path) -> None:
    """The naive repair of a containment test broke a root that is a link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to("real")
    held = Workspace(tmp_path / "link")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("other")
    with held.directory(()) as folder:
        assert os.path.samestat(os.fstat(folder), (tmp_path / "real").stat())


@pytest.mark.parametrize("place", ["nothing", "file", "", "a\0b"])
def test_what_is_no_folder_is_no_workspace(tmp_path: Path, place: str) -> None:
    (tmp_path / "file").touch()
    root = str(tmp_path / place) if place else ""
    with pytest.raises(BearAgentError) as caught:
        workspace_tools(root, new_id)
    assert caught.value.info.code is ErrorCode.WORKSPACE_INVALID
    assert str(tmp_path) not in repr(caught.value.info)


def test_no_handle_stays_open_after_calls(workspace: Path, call: Callable[..., ToolResult], code_of: CodeOf) -> None:
    (workspace / "docs/a.md").write_text("x")
    (workspace / "docs/link").symlink_to("a.md")

    def each() -> None:
        for name, arguments in CALLS:
            call(name, **arguments)
        code_of("read", path="docs/link")
        code_of("read", path="docs/a.md/b")
        code_of("write", path="outputs/a.md/b", content="x")

    each()
    before = handles_below(workspace)
    each()
    assert handles_below(workspace) == before


def handles_below(folder: Path) -> list[str]:
    """What this process holds open at or below `folder`; other tests may let go of theirs at any time."""
    places = []
    for handle in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the handle by which the list itself was read
            places.append(os.readlink(f"/proc/self/fd/{handle}"))
    return sorted(place for place in places if place.startswith(str(folder)))


ASKING = r"""
import asyncio, sys, time
from bearagent_domain.ids import new_id
from bearagent_ports import CallContext, ToolFailed
from bearagent_workspace_tools import workspace_tools

async def asked(tool, arguments):
    deadline_ms = int(time.monotonic() * 1000) + 9000
    call = CallContext(run_id=new_id(), activity_id=new_id(), attempt=1, deadline_ms=deadline_ms)
    prepared = tool.prepare(arguments)
    return await tool.execute(prepared, call, await tool.intend(prepared, call))

for tool, _ in workspace_tools(sys.argv[1], new_id):
    more = {"content": "x"} if tool.spec.name.endswith("write") else {}
    more |= {"query": "x"} if tool.spec.name.endswith("search") else {}
    try: asyncio.run(asked(tool, {"path": "outputs/\u8d44\u6599.md", **more})); print("ok")
    except ToolFailed as error: print(error.info.code.value)
"""


@pytest.mark.parametrize(("utf8", "codes"), [("0", {"path_not_unicode"}), ("1", {"path_not_found", "ok"})])
def test_a_name_that_this_python_can_not_ask_for_is_told(workspace: Path, utf8: str, codes: set[str]) -> None:
    variables = {"PYTHONUTF8": utf8, "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    (workspace / "outputs").mkdir(exist_ok=True)
    command = [sys.executable, "-c", ASKING, str(workspace)]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == codes
