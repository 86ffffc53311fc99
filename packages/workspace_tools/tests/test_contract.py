"""The contract of the tool port, over each of the four tools."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bearagent_domain.ids import new_id
from bearagent_domain.json_values import JsonObject
from bearagent_ports import Tool
from bearagent_testkit.contracts import ToolContract
from bearagent_workspace_tools import workspace_tools

GOOD_ARGUMENTS: dict[str, list[JsonObject]] = {
    "workspace.list": [{}, {"path": "docs"}, {"path": "."}],
    "workspace.read": [{"path": "docs/a.md"}, {"path": "docs/a.md", "start_line": 2, "max_lines": 1}],
    "workspace.search": [{"query": "inside"}, {"query": "Inside", "path": "docs"}],
    "workspace.write": [{"path": "outputs/a.md", "content": "# A\n"}, {"path": "outputs/a.md", "content": ""}],
}


@pytest.mark.parametrize("name", list(GOOD_ARGUMENTS))
class TestWorkspaceTools(ToolContract):
    @pytest.fixture
    def tool(self, name: str, tmp_path: Path) -> Tool:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs/a.md").write_text("inside\nand more\n")
        return next(tool for tool, _ in workspace_tools(tmp_path, new_id) if tool.spec.name == name)

    @pytest.fixture
    def good_arguments(self, name: str) -> Sequence[JsonObject]:
        return GOOD_ARGUMENTS[name]
