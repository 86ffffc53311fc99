"""BearAgent's file tools, confined to one folder."""

from bearagent_workspace_tools.tools import workspace_tools

__all__ = ["workspace_tools"]
