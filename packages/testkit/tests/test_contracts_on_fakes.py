"""The contract suites over the testkit's own fakes: a suite that its reference fails is wrong itself."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from bearagent_domain.json_values import JsonObject
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, ToolResult
from bearagent_ports import (
    CallContext,
    Clock,
    Done,
    EventStore,
    Finding,
    IdSource,
    ModelProvider,
    NotDone,
    Reconciler,
    RunLease,
    Tool,
    Unknown,
)
from bearagent_testkit import (
    CountingIds,
    FakeTool,
    FixedClock,
    MemoryEventStore,
    MemoryRunLease,
    ScriptedCall,
    ScriptedModel,
    ScriptedTurn,
)
from bearagent_testkit.contracts import (
    ClockContract,
    EventStoreContract,
    IdSourceContract,
    ModelProviderContract,
    ReconcilerContract,
    RunLeaseContract,
    ToolContract,
)


class TestMemoryEventStore(EventStoreContract):
    @pytest.fixture
    def store(self) -> Iterator[EventStore]:
        store = MemoryEventStore()
        yield store
        store.close()


class TestMemoryRunLease(RunLeaseContract):
    @pytest.fixture
    def lease(self) -> Iterator[RunLease]:
        yield MemoryRunLease()


class TestFixedClock(ClockContract):
    @pytest.fixture
    def clock(self) -> Clock:
        return FixedClock()


class TestCountingIds(IdSourceContract):
    @pytest.fixture
    def ids(self) -> IdSource:
        return CountingIds()


class TestFakeTool(ToolContract):
    @pytest.fixture
    def tool(self) -> Tool:
        return FakeTool()

    @pytest.fixture
    def good_arguments(self) -> Sequence[JsonObject]:
        return [{"text": "hello"}, {"text": ""}]


class TestScriptedModel(ModelProviderContract):
    @pytest.fixture
    def provider(self) -> ModelProvider:
        return ScriptedModel([ScriptedTurn(text="x", calls=(ScriptedCall("fake.echo", {"text": "x"}),))])


class Shelf:
    """Holds one text. Puts it there as a tool's behaviour, and looks at it as its reconciler."""

    def __init__(self) -> None:
        self.text = "old"

    async def put(self, prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        self.text = str(prepared.arguments["text"])
        return ToolResult(content="put")

    async def reconcile(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> Finding:
        if self.text == prepared.arguments["text"]:
            return Done(result=ToolResult(content="put"), evidence="It is on the shelf.")
        if self.text == "old":
            return NotDone(evidence="The shelf is as before.")
        return Unknown(evidence="Something else is on the shelf.")


class TestShelf(ReconcilerContract):
    @pytest.fixture
    def reconciler(self) -> Reconciler:
        self.shelf = Shelf()
        return self.shelf

    @pytest.fixture
    def tool(self, reconciler: Reconciler) -> Tool:
        return FakeTool(effect=Effect.WORKSPACE_WRITE, behaviour=self.shelf.put)

    @pytest.fixture
    def arguments(self) -> JsonObject:
        return {"text": "new"}

    @pytest.fixture
    def meddle(self) -> Callable[[], object]:
        return lambda: setattr(self.shelf, "text", "somebody else's")
