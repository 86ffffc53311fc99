"""A small workspace, and one function that calls a tool in it the way the runtime does."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.ids import ActivityId, RunId, new_id
from bearagent_domain.json_values import JsonValue
from bearagent_domain.tools import ToolResult
from bearagent_ports import CallContext
from bearagent_workspace_tools import workspace_tools


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    (root / "docs").mkdir(parents=True)
    return root


@pytest.fixture
def context() -> Callable[[], CallContext]:
    def fresh() -> CallContext:
        return CallContext(
            run_id=RunId(new_id()),
            activity_id=ActivityId(new_id()),
            attempt=1,
            deadline_ms=int(time.monotonic() * 1_000) + 60_000,
        )

    return fresh


@pytest.fixture
def call(workspace: Path, context: Callable[[], CallContext]) -> Callable[..., ToolResult]:
    """prepare, intend and execute of one tool of one set of tools, opened when first called."""
    tools = {tool.spec.name: tool for tool, _ in workspace_tools(workspace, new_id)}

    def called(name: str, **arguments: JsonValue) -> ToolResult:
        tool, of_this_call = tools[f"workspace.{name}"], context()
        prepared = tool.prepare(arguments)

        async def act() -> ToolResult:
            return await tool.execute(prepared, of_this_call, await tool.intend(prepared, of_this_call))

        return asyncio.run(act())

    return called


@pytest.fixture
def code_of(call: Callable[..., ToolResult]) -> Callable[..., ErrorCode]:
    """The code with which a call is refused or fails."""

    def code(name: str, **arguments: JsonValue) -> ErrorCode:
        with pytest.raises(BearAgentError) as caught:
            call(name, **arguments)
        return caught.value.info.code

    return code
