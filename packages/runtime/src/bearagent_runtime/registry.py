"""Which tools there are, by exact name. Text from a model never becomes anything but a key looked up here (R3)."""

from collections.abc import Iterable
from dataclasses import dataclass

from bearagent_domain.documents import as_stored
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.json_values import JsonObject, JsonRefused
from bearagent_domain.tools import PreparedToolRequest, ToolSpec
from bearagent_ports import CallRefused, Reconciler, Tool
from bearagent_runtime.foreign_code import foreign_code, storable_error

NAMES_SHOWN_MAX = 20


@dataclass(frozen=True)
class RegisteredTool:
    """A tool with the reconciler that stands beside it, and its spec as it was when it was registered."""

    tool: Tool
    spec: ToolSpec
    reconciler: Reconciler | None


class Registry:
    """Tools with their reconcilers, fixed when it is made; no spec is asked for again.

    Two tools of one name, or a spec that can't be stored, are a mistake of the caller (`ValueError`).
    """

    def __init__(self, tools: Iterable[tuple[Tool, Reconciler | None]]) -> None:
        found = [RegisteredTool(tool, _stored_spec(tool), reconciler) for tool, reconciler in tools]
        self._tools = {one.spec.name: one for one in sorted(found, key=lambda one: one.spec.name)}
        if len(self._tools) != len(found):
            raise ValueError("two tools have the same name")

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """All specs, sorted by name."""
        return tuple(one.spec for one in self._tools.values())

    def find(self, name: str) -> RegisteredTool:
        """The tool of exactly that name. Raises `CallRefused` (`tool_unknown`), which names the tools there are."""
        found = self._tools.get(name)
        if found is None:
            known = ", ".join(list(self._tools)[:NAMES_SHOWN_MAX])
            raise CallRefused(failure(ErrorCode.TOOL_UNKNOWN, f"There is no tool of that name. Tools: {known}."))
        return found

    def prepared(self, name: str, arguments: JsonObject) -> tuple[RegisteredTool, PreparedToolRequest]:
        """The tool `name` and what it makes of `arguments`. Raises `CallRefused`, whatever the tool raises."""
        found = self.find(name)
        try:
            with foreign_code():
                return found, as_stored(found.tool.prepare(arguments), PreparedToolRequest)
        except CallRefused as refused:
            raise CallRefused(storable_error(refused, ErrorCode.ARGUMENTS_INVALID)) from refused
        except Exception as error:  # foreign code: a tool that breaks on its arguments does not take them
            message = "The tool can't take these arguments."
            raise CallRefused(failure(ErrorCode.ARGUMENTS_INVALID, message)) from error


def _stored_spec(tool: Tool) -> ToolSpec:
    try:
        return as_stored(tool.spec, ToolSpec)
    except JsonRefused as error:
        raise ValueError("a tool has a spec that can't be stored") from error
