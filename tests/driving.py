"""A runtime put together for tests: fakes for everything that a test does not care about."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bearagent_domain.budgets import RunLimits
from bearagent_domain.events import AnyEvent
from bearagent_domain.ids import RunId
from bearagent_domain.models import ModelProfile
from bearagent_domain.prices import ModelRate
from bearagent_domain.profiles import CONTEXT_CHARS_DEFAULT, Timeouts
from bearagent_domain.records import RecordedEvent
from bearagent_domain.rows import Binding
from bearagent_domain.views import RunInspection
from bearagent_ports import (
    Clock,
    EventListener,
    EventStore,
    IdSource,
    ModelProvider,
    Policy,
    Reconciler,
    RunLease,
    Tool,
)
from bearagent_runtime import (
    FixedToolPolicy,
    QueryService,
    Registry,
    RunService,
    RuntimeParts,
    StartRun,
    stored_records,
)
from bearagent_testkit import CountingIds, FakeTool, FixedClock, MemoryEventStore, MemoryRunLease, ScriptedModel
from bearagent_testkit.scripted_model import ScriptedTurn

PROFILE = ModelProfile(provider="scripted", model="script")
BINDING = Binding(workspace="/workspace", workspace_identity="1:2", provider="scripted", api="scripted")


@dataclass
class Scene:
    """Runs play here: one store, one set of tools, any number of runs."""

    tools: Sequence[tuple[Tool, Reconciler | None]] = field(default_factory=lambda: [(FakeTool(), None)])
    policy: Policy | None = None  # null: all tools of the scene are allowed
    store: EventStore = field(default_factory=MemoryEventStore)
    lease: RunLease = field(default_factory=MemoryRunLease)
    clock: Clock = field(default_factory=FixedClock)
    ids: IdSource = field(default_factory=CountingIds)
    rate: ModelRate | None = None
    listeners: tuple[EventListener, ...] = ()

    def parts(self, model: ModelProvider) -> RuntimeParts:
        """The runtime with `model`."""
        return RuntimeParts(
            store=self.store,
            lease=self.lease,
            clock=self.clock,
            ids=self.ids,
            registry=Registry(self.tools),
            policy=self.policy or FixedToolPolicy(tool.spec.name for tool, _ in self.tools),
            provider=model,
            rate=self.rate,
            listeners=self.listeners,
        )

    async def start(
        self,
        model: ModelProvider,
        *,
        objective: str = "Do it.",
        limits: RunLimits | None = None,
        context_chars_max: int = CONTEXT_CHARS_DEFAULT,
        timeouts: Timeouts | None = None,
    ) -> RunId:
        """Start a run and drive it to rest."""
        start = StartRun(
            objective=objective,
            model=PROFILE,
            binding=BINDING,
            limits=limits or RunLimits(),
            context_chars_max=context_chars_max,
            timeouts=timeouts or Timeouts(),
        )
        return await RunService(self.parts(model)).start(start)

    def play(
        self,
        *turns: ScriptedTurn,
        objective: str = "Do it.",
        limits: RunLimits | None = None,
        context_chars_max: int = CONTEXT_CHARS_DEFAULT,
    ) -> RunInspection:
        """Play `turns` as one run, and inspect it."""
        model = ScriptedModel(turns)
        run_id = asyncio.run(self.start(model, objective=objective, limits=limits, context_chars_max=context_chars_max))
        return self.inspect(run_id)

    def inspect(self, run_id: RunId) -> RunInspection:
        """The run as its record tells it."""
        return QueryService(self.store, self.lease).inspect(run_id)

    def records(self, run_id: RunId) -> list[RecordedEvent]:
        """All records of a run."""
        return list(stored_records(self.store, run_id))

    def events(self, run_id: RunId) -> list[AnyEvent]:
        """All events of a run."""
        return [record.event for record in self.records(run_id)]

    def types(self, run_id: RunId) -> list[str]:
        """The types of all events of a run."""
        return [event.TYPE for event in self.events(run_id)]
