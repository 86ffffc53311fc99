"""The contracts of the ports, over each of the four tools and over the reconciler of writes."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bearagent_domain.ids import new_id
from bearagent_domain.json_values import JsonObject
from bearagent_ports import Reconciler, Tool
from bearagent_testkit.contracts import ReconcilerContract, ToolContract
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


class TestWriteReconciler(ReconcilerContract):
    @pytest.fixture(params=["new", "replaced"])
    def tool(self, request: pytest.FixtureRequest, tmp_path: Path) -> Tool:
        (tmp_path / "outputs").mkdir()
        if request.param == "replaced":
            (tmp_path / "outputs/a.md").write_text("old\n")
        self.pair = next(pair for pair in workspace_tools(tmp_path, new_id) if pair[0].spec.name == "workspace.write")
        return self.pair[0]

    @pytest.fixture
    def reconciler(self, tool: Tool) -> Reconciler:
        reconciler = self.pair[1]
        assert reconciler is not None
        return reconciler

    @pytest.fixture
    def arguments(self) -> JsonObject:
        return {"path": "outputs/a.md", "content": "new\n"}

    @pytest.fixture
    def meddle(self, tmp_path: Path) -> Callable[[], object]:
        return lambda: (tmp_path / "outputs/a.md").write_text("somebody else's\n")
