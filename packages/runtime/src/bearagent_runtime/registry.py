"""Which tools there are, by exact name. Text from a model never becomes anything but a key looked up here (R3)."""

from collections.abc import Iterable

from bearagent_domain.documents import as_stored
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.json_values import JsonObject
from bearagent_domain.tools import PreparedToolRequest, ToolSpec
from bearagent_ports import CallRefused, Reconciler, Tool
from bearagent_runtime.foreign_code import foreign_code, storable_error

NAMES_SHOWN_MAX = 20


class Registry:
    """Pairs of tool and reconciler, fixed when it is made. Two tools of one name are a mistake of the caller."""

    def __init__(self, tools: Iterable[tuple[Tool, Reconciler | None]]) -> None:
        pairs = sorted(tools, key=lambda pair: pair[0].spec.name)
        self._tools = {tool.spec.name: tool for tool, _ in pairs}
        self._reconcilers = {tool.spec.name: reconciler for tool, reconciler in pairs}
        if len(self._tools) != len(pairs):
            raise ValueError("two tools have the same name")

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """All specs, sorted by name."""
        return tuple(tool.spec for tool in self._tools.values())

    def find(self, name: str) -> Tool:
        """The tool of exactly that name. Raises `CallRefused` (`tool_unknown`), which names the tools there are."""
        tool = self._tools.get(name)
        if tool is None:
            known = ", ".join(list(self._tools)[:NAMES_SHOWN_MAX])
            raise CallRefused(failure(ErrorCode.TOOL_UNKNOWN, f"There is no tool of that name. Tools: {known}."))
        return tool

    def prepared(self, name: str, arguments: JsonObject) -> tuple[Tool, PreparedToolRequest]:
        """The tool `name` and what it makes of `arguments`. Raises `CallRefused`, whatever the tool raises."""
        tool = self.find(name)
        try:
            with foreign_code():
                return tool, as_stored(tool.prepare(arguments), PreparedToolRequest)
        except CallRefused as refused:
            raise CallRefused(storable_error(refused, ErrorCode.ARGUMENTS_INVALID)) from refused
        except Exception as error:  # foreign code: a tool that breaks on its arguments does not take them
            message = "The tool can't take these arguments."
            raise CallRefused(failure(ErrorCode.ARGUMENTS_INVALID, message)) from error

    def reconciler_of(self, name: str) -> Reconciler | None:
        """The reconciler that stands beside the tool `name`."""
        return self._reconcilers.get(name)
