"""Tools that do what a test tells them, and remember what was asked of them."""

from collections.abc import Awaitable, Callable

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.json_values import JsonObject
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, Resource, RetrySafety, ToolResult, ToolSpec
from bearagent_ports import CallContext, CallRefused, Finding, Unknown

Behaviour = Callable[[PreparedToolRequest, CallContext], Awaitable[ToolResult]]


async def echo(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    """The default behaviour: the `text` argument comes back."""
    return ToolResult(content=str(prepared.arguments.get("text", "")))


class FakeTool:
    """Takes `{"text": "…"}`. `behaviour` is its `execute`; with an effect, its resource is `outputs/TEXT`."""

    def __init__(
        self,
        name: str = "fake.echo",
        *,
        effect: Effect = Effect.NONE,
        behaviour: Behaviour = echo,
        intent: Intent | None = None,
        timeout_ms: int = 30_000,
        result_bytes_max: int = 262_144,
    ) -> None:
        self._spec = ToolSpec(
            name=name,
            spec_version="1.0.0",
            description="Gives back the text that it is given.",
            input_schema={"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
            effect=effect,
            retry=RetrySafety.SAFE if effect.changes_nothing else RetrySafety.NOT_SAFE,
            timeout_ms=timeout_ms,
            result_bytes_max=result_bytes_max,
        )
        self._behaviour = behaviour
        self._intent = Intent() if intent is None else intent
        self.executed: list[PreparedToolRequest] = []

    @property
    def spec(self) -> ToolSpec:
        """As declared when it was made."""
        return self._spec

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """Accepts exactly one text."""
        text = arguments.get("text")
        if set(arguments) != {"text"} or not isinstance(text, str):
            raise CallRefused(failure(ErrorCode.ARGUMENTS_INVALID, "Give exactly one argument: text."))
        resources: tuple[Resource, ...] = ()
        if not self._spec.effect.changes_nothing:
            resources = (Resource(kind="file", access="write", name=f"outputs/{text}"),)
        return PreparedToolRequest(tool=self._spec.name, arguments={"text": text}, resources=resources)

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """The intent given when it was made."""
        return self._intent

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """Remembers the call, then behaves."""
        self.executed.append(prepared)
        return await self._behaviour(prepared, call)


class FakeReconciler:
    """Always finds the same, and remembers how often it was asked."""

    def __init__(self, finding: Finding | None = None) -> None:
        self._finding = finding or Unknown(evidence="nothing to see")
        self.asked = 0

    async def reconcile(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> Finding:
        """The finding given when it was made."""
        self.asked += 1
        return self._finding
