"""The contract suites over the testkit's own fakes: a suite that its reference fails is wrong itself."""

from collections.abc import Iterator, Sequence

import pytest

from bearagent_domain.json_values import JsonObject
from bearagent_ports import Clock, EventStore, IdSource, ModelProvider, RunLease, Tool
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
