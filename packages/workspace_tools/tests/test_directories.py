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


def test_a_python_without_utf_8_names_of_files_gets_no_workspace(tmp_path: Path) -> None:
    script = (
        "import sys; from bearagent_domain.errors import BearAgentError; "
        "from bearagent_workspace_tools import workspace_tools\n"
        "try: workspace_tools(sys.argv[1], str)\n"
        "except BearAgentError as error: print(error.info.code.value, error.info.message)"
    )
    plain = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    for variables, code in ((plain, "workspace_invalid"), (plain | {"PYTHONUTF8": "1"}, "")):
        command = [sys.executable, "-c", script, str(tmp_path)]
        done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=True)
        assert done.stdout.split(" ")[0].strip() == code
