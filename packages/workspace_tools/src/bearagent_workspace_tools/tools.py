"""The four workspace tools, made for one folder."""

import os
from collections.abc import Callable

from bearagent_ports.reconciler import Reconciler
from bearagent_ports.tool import Tool
from bearagent_workspace_tools.directories import Workspace
from bearagent_workspace_tools.list_tool import ListTool
from bearagent_workspace_tools.read_tool import ReadTool
from bearagent_workspace_tools.search_tool import SearchTool
from bearagent_workspace_tools.write_tool import WriteReconciler, WriteTool


def workspace_tools(
    root: str | os.PathLike[str], new_artifact_id: Callable[[], str]
) -> tuple[tuple[Tool, Reconciler | None], ...]:
    """List, read, search and write below `root`, each with its reconciler or None.

    The folder is opened here and held. `new_artifact_id` gives a UUID4 each time. Raises `BearAgentError` with
    `workspace_invalid` when `root` is no folder that can be opened.
    """
    workspace = Workspace(root)
    return (
        (ListTool(workspace), None),
        (ReadTool(workspace), None),
        (SearchTool(workspace), None),
        (WriteTool(workspace, new_artifact_id), WriteReconciler(workspace)),
    )
