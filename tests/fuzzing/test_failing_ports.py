"""The n-th call of every port fails, for each n, in each way: the record stays true, and nothing is repeated.

One run that uses everything is played again and again. Some call fails, or each from some call on; then the run ends by
a failure of BearAgent's own or rests with what happened on record, and whatever is stored verifies.
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from bearagent_domain.budgets import RunLimits
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.runs import RunStatus
from bearagent_domain.tools import Effect
from bearagent_ports import NotDone, OutcomeUnknown, ProviderFailed, StoreError, ToolFailed
from bearagent_runtime import FixedToolPolicy, QueryService, stored_records
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
from bearagent_testkit.fake_tools import FakeReconciler
from tests.driving import Scene
from tests.fuzzing.watched import CANARY, Watch, WatchedTool, does, leaves_a_doubt

SCRIPT = (
    ScriptedTurn(
        text="I look.", calls=(ScriptedCall("fake.read", {"text": "a"}), ScriptedCall("fake.write", {"text": "a"}))
    ),
    ScriptedTurn(calls=(ScriptedCall("fake.doubt", {"text": "b"}), ScriptedCall("fake.unknown", {"text": "b"}))),
    ScriptedTurn(text="Done."),
)
# Of this program, or asked before there is a run: what escapes there is a fault, and told as one.
OWN_CODE = ("clock", "ids", "lease")
CALLS_MAX = 1_000


@dataclass
class Breaker:
    """Counts the calls of all ports, and breaks the n-th one."""

    n: int
    error: BaseException
    port: str
    goes_on: bool = False
    happens_first: bool = False
    calls: Counter[str] = field(default_factory=Counter)
    hits: int = 0

    def is_hit(self, port: str) -> bool:
        """Whether this call is to fail."""
        if port != self.port:
            return False
        self.calls[port] += 1
        hit = self.calls[port] == self.n or (self.goes_on and self.calls[port] > self.n)
        self.hits += hit
        return hit


class Breaking:
    """Another object, whose methods named in `methods` may break; anything else is passed on."""

    def __init__(self, inner: Any, port: str, methods: tuple[str, ...], breaker: Breaker) -> None:
        self._inner, self._port, self._methods, self._breaker = inner, port, methods, breaker

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name not in self._methods:
            return found
        return self._asynchronous(found) if asyncio.iscoroutinefunction(found) else self._plain(found)

    def _plain(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if not self._breaker.is_hit(self._port):
                return method(*arguments, **named)
            if self._breaker.happens_first:
                method(*arguments, **named)
            raise self._breaker.error

        return call

    def _asynchronous(self, method: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*arguments: Any, **named: Any) -> Any:
            if not self._breaker.is_hit(self._port):
                return await method(*arguments, **named)
            if self._breaker.happens_first:
                await method(*arguments, **named)
            raise self._breaker.error

        return call


class Listener:
    """Hears of every commit."""

    def committed(self, events: object, state: object) -> None:
        """Nothing to do."""


PORTS = {
    "store": ("append", "read", "keep_head"),
    "tools": ("prepare", "intend", "execute"),
    "reconciler": ("reconcile",),
    "model": ("stream",),
    "policy": ("decide",),
    "clock": ("now", "monotonic_ms"),
    "ids": ("new_id",),
    "lease": ("hold",),
    "listener": ("committed",),
}
ERRORS: dict[str, Callable[[], BaseException]] = {
    "declared by a store": lambda: StoreError(failure(ErrorCode.STORE_FULL, "Full.")),
    "declared by a tool": lambda: ToolFailed(failure(ErrorCode.IO_ERROR, "No.")),
    "declared as a doubt": lambda: OutcomeUnknown(failure(ErrorCode.IO_ERROR, "No.")),
    "declared by a provider": lambda: ProviderFailed(failure(ErrorCode.PROVIDER_ERROR, "No.")),
    "odd": lambda: RuntimeError(CANARY),
    "of the system": lambda: OSError(28, CANARY),
    "a cancellation": lambda: asyncio.CancelledError(),
    "without words": lambda: AssertionError(),
}


@dataclass
class Played:
    """A run with one break in it: its store and watch, and what came out of `start`."""

    store: MemoryEventStore
    watch: Watch
    breaker: Breaker
    raised: BaseException | None


def played(breaker: Breaker) -> Played:
    store = MemoryEventStore()
    watch = Watch(store)
    reconciler = Breaking(FakeReconciler(NotDone(evidence="as before")), "reconciler", PORTS["reconciler"], breaker)
    tools = [
        (FakeTool("fake.read", behaviour=does), None),
        (FakeTool("fake.write", effect=Effect.WORKSPACE_WRITE, behaviour=does), None),
        (FakeTool("fake.doubt", effect=Effect.WORKSPACE_WRITE, behaviour=leaves_a_doubt), reconciler),
    ]

    def breaking(inner: object, port: str) -> Any:
        return Breaking(inner, port, PORTS[port], breaker)

    scene = Scene(
        tools=[(breaking(WatchedTool(tool, watch), "tools"), found) for tool, found in tools],
        policy=breaking(FixedToolPolicy(tool.spec.name for tool, _ in tools), "policy"),
        store=breaking(store, "store"),
        lease=breaking(MemoryRunLease(), "lease"),
        clock=breaking(FixedClock(), "clock"),
        ids=breaking(CountingIds(), "ids"),
        listeners=(breaking(Listener(), "listener"),),
    )
    raised: BaseException | None = None
    try:
        asyncio.run(scene.start(breaking(ScriptedModel(SCRIPT), "model"), limits=RunLimits(model_calls=5)))
    except (Exception, asyncio.CancelledError) as error:
        raised = error
    return Played(store, watch, breaker, raised)


def require_true(run: Played) -> None:
    """What is stored verifies; effects were announced and happened once; no secret; nothing foreign came out."""
    if run.breaker.port not in OWN_CODE and not isinstance(run.breaker.error, asyncio.CancelledError):
        assert run.raised is None or isinstance(run.raised, BearAgentError), repr(run.raised)
    counts = Counter(effect.activity_id for effect in run.watch.effects)
    assert set(counts.values()) <= {1} and all(effect.was_announced for effect in run.watch.effects)
    for run_id in run.store.matching(""):
        require_true_record(run, run_id)


def require_true_record(run: Played, run_id: RunId) -> None:
    found = QueryService(run.store).verify(run_id)
    assert found.ok, found
    inspected = QueryService(run.store).inspect(run_id)
    records = list(stored_records(run.store, run_id))
    assert not any(CANARY.encode() in record.body for record in records)
    if run.raised is None:
        assert inspected.status is not RunStatus.RUNNING
    struck = {effect.activity_id for effect in run.watch.effects}
    claimed = {
        activity.activity_id
        for activity in inspected.activities
        if activity.kind == "tool" and activity.status == "completed"
    }
    assert claimed <= struck


@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("port", PORTS)
@pytest.mark.parametrize("way", ["once", "from then on", "after it happened"])
def test_whichever_call_of_a_port_fails_the_record_is_true(port: str, kind: str, way: str) -> None:
    for n in itertools.count(1):
        breaker = Breaker(
            n, ERRORS[kind](), port, goes_on=way == "from then on", happens_first=way == "after it happened"
        )
        run = played(breaker)
        require_true(run)
        if breaker.hits == 0:
            assert n > 1, "the run never asks this port"
            assert run.raised is None
            print(f"{port}: {n - 1} calls")
            return
        assert n < CALLS_MAX
