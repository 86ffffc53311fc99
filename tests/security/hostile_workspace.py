"""The table of hostile paths, and a workspace with a neighbour folder that nobody may reach."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest

from bearagent_domain.errors import BearAgentError
from bearagent_domain.ids import ActivityId, RunId, new_id
from bearagent_domain.tools import PreparedToolRequest, ToolResult
from bearagent_ports import CallContext, Tool
from bearagent_workspace_tools import workspace_tools

# The table holds lone surrogates, which a strict reader would refuse.
TABLE = json.loads((Path(__file__).parent / "cases/hostile_paths.json").read_text("utf-8"))
ARGUMENTS: dict[str, dict[str, Any]] = {"list": {}, "read": {}, "search": {"query": "x"}, "write": {"content": "x"}}
READERS = ("list", "read", "search")


class Workspace:
    """The four tools over one folder, and a neighbour folder that nobody may reach."""

    def __init__(self, tmp_path: Path) -> None:
        self.root = tmp_path / "workspace"
        self.outside = tmp_path / "outside"
        for folder in (self.root / "docs", self.outside):
            folder.mkdir(parents=True)
        (self.root / "docs/a.md").write_text("inside\n")
        (self.root / "README.md").write_text("readme\n")
        (self.outside / "secret").write_text("the secret\n")
        self.tools = tools_over(self.root)

    def prepare(self, tool: str, path: Any) -> PreparedToolRequest:
        return self.tools[tool].prepare({"path": path, **ARGUMENTS[tool]})

    def run(self, tool: str, path: Any, **arguments: Any) -> ToolResult:
        prepared = self.tools[tool].prepare({"path": path, **ARGUMENTS[tool], **arguments})
        call = CallContext(
            run_id=RunId(new_id()),
            activity_id=ActivityId(new_id()),
            attempt=1,
            deadline_ms=int(time.monotonic() * 1_000) + 60_000,
        )

        async def act() -> ToolResult:
            intent = await self.tools[tool].intend(prepared, call)
            return await self.tools[tool].execute(prepared, call, intent)

        return asyncio.run(act())

    def code(self, tool: str, path: Any) -> str:
        """The code of the refusal; what it tells holds neither a host path nor a byte from outside."""
        with pytest.raises(BearAgentError) as caught:
            self.run(tool, path)
        told = repr(caught.value.info)
        assert str(self.root.parent) not in told and "the secret" not in told
        return str(caught.value.info.code)

    def everything(self) -> list[str]:
        return sorted(str(path) for path in self.root.parent.rglob("*"))


def tools_over(root: Path) -> dict[str, Tool]:
    """The four tools by the last part of their names."""
    return {tool.spec.name.split(".")[1]: tool for tool, _ in workspace_tools(root, new_id)}
