"""RunService: create a run, take its lease, drive it until it rests."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from bearagent_domain.budgets import RunLimits
from bearagent_domain.commands import CreateRun, SuspendRun
from bearagent_domain.documents import as_stored
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.events import RunCreated, SuspendReason
from bearagent_domain.ids import RunId, SessionId, TaskId
from bearagent_domain.json_values import JsonRefused
from bearagent_domain.models import ModelProfile
from bearagent_domain.objectives import require_objective
from bearagent_domain.prices import ModelRate, rates_hash
from bearagent_domain.profiles import CONTEXT_CHARS_DEFAULT, Timeouts
from bearagent_domain.rows import Binding
from bearagent_domain.snapshots import FingerprintPart, RunFingerprint
from bearagent_domain.tools import ToolSpec
from bearagent_ports import Clock, EventListener, EventStore, IdSource, ModelProvider, Policy, RunLease
from bearagent_runtime.active_time import ActiveTime
from bearagent_runtime.configurations import PLAIN_INSTRUCTIONS, plain_identity, plain_snapshot, startable_limits
from bearagent_runtime.context import ContextBuilder
from bearagent_runtime.executor import Executor
from bearagent_runtime.journal import Journal
from bearagent_runtime.loop import AgentLoop
from bearagent_runtime.model_calls import MODEL_TOTAL_SECONDS, ModelCalls
from bearagent_runtime.registry import Registry
from bearagent_runtime.tool_calls import ToolCalls


@dataclass(frozen=True, kw_only=True)
class RuntimeParts:
    """All that a runtime is made of. `rate` is null when the model is not priced."""

    store: EventStore
    lease: RunLease
    clock: Clock
    ids: IdSource
    registry: Registry
    policy: Policy
    provider: ModelProvider
    rate: ModelRate | None = None
    listeners: tuple[EventListener, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StartRun:
    """What a new run is given. Null instructions and limits take the defaults."""

    objective: str
    model: ModelProfile
    binding: Binding
    uid: str = "owner"
    instructions: str | None = None
    offered: tuple[str, ...] | None = None  # names of the tools shown to the model; null: all of the registry
    limits: RunLimits = RunLimits()
    context_chars_max: int = CONTEXT_CHARS_DEFAULT
    timeouts: Timeouts = Timeouts()
    packages: tuple[FingerprintPart, ...] = ()


class RunService:
    """The application command `start`. Applications and command line call it; nobody else drives."""

    def __init__(self, parts: RuntimeParts) -> None:
        self._parts = parts

    async def start(self, start: StartRun) -> RunId:
        """Create a run, drive it until it rests, and give its id.

        Raises `BearAgentError` before anything is stored when the run can't be made, `StoreError` when a commit
        failed. A cancellation is answered with `run.suspended(interrupted)`, committed, and travels on.
        """
        created, binding = self._created(start), _binding_of(start)
        parts = self._parts
        with parts.lease.hold(created.identity.run_id):
            journal = Journal.of_new_run(parts.store, parts.clock, created, binding)
            journal.tell(parts.listeners)
            journal.record(CreateRun(created=created))
            journal.commit()
            await self.drive(journal)
        return created.identity.run_id

    async def drive(self, journal: Journal) -> None:
        """Drive the run of `journal`, whose lease the caller holds, until it rests; keep its head outside the log."""
        active_time = ActiveTime(self._parts.clock)
        loop = self._loop_of(journal.created, active_time)
        try:
            await loop.drive(journal)
        except asyncio.CancelledError:
            self._interrupted(journal, active_time)
            raise
        self._keep_head(journal)

    def _interrupted(self, journal: Journal, active_time: ActiveTime) -> None:
        """The answer to a cancellation. Where waiting was given up, the activity stays started: nothing is claimed."""
        if journal.state.is_running and journal.state.open_activity is None:
            error = failure(ErrorCode.INTERRUPTED, "The run was interrupted.")
            reason: SuspendReason = "outcome_unknown" if journal.state.in_doubt else "interrupted"
            journal.record(SuspendRun(reason=reason, error=error, active_ms=active_time.take()))
        journal.commit()
        self._keep_head(journal)

    def _keep_head(self, journal: Journal) -> None:
        """What is stored stands, whether its head could be kept or not; a store that raises has not kept it."""
        with suppress(Exception):
            self._parts.store.keep_head(journal.run_id, journal.head)

    def _loop_of(self, created: RunCreated, active_time: ActiveTime) -> AgentLoop:
        parts = self._parts
        total_seconds = dict(created.snapshot.timeouts_s).get("model_total", MODEL_TOTAL_SECONDS)
        models = ModelCalls(
            parts.provider,
            ContextBuilder(created, parts.provider.api),
            parts.registry,
            parts.rate,
            parts.ids,
            parts.clock,
            active_time,
            total_seconds,
        )
        executor = Executor(parts.clock)
        tools = ToolCalls(parts.registry, parts.policy, executor, parts.ids, parts.clock, active_time)
        return AgentLoop(models, tools, active_time)

    def _created(self, start: StartRun) -> RunCreated:
        """The first event, with everything resolved and checked."""
        parts = self._parts
        require_objective(start.objective, start.context_chars_max)
        limits = startable_limits(start.limits, parts.rate)
        instructions = start.instructions or PLAIN_INSTRUCTIONS
        tools = self._offered(start.offered)
        snapshot = plain_snapshot(
            instructions=instructions,
            model=start.model,
            tools=tools,
            policy_hash=parts.policy.policy_hash,
            rates_hash=None if parts.rate is None else rates_hash(parts.rate),
            limits=limits,
            context_chars_max=start.context_chars_max,
            timeouts_s=(("model_total", start.timeouts.model_total or MODEL_TOTAL_SECONDS),),
        )
        run_id, task_id, session_id = (parts.ids.new_id() for _ in range(3))
        created = RunCreated(
            identity=plain_identity(RunId(run_id), TaskId(task_id), SessionId(session_id), start.uid),
            snapshot=snapshot,
            objective=start.objective,
            system_text=instructions,
            tools=tools,
            fingerprint=RunFingerprint(
                packages=start.packages,
                policy=parts.policy.name,
                policy_hash=parts.policy.policy_hash,
                tools=snapshot.tools,
            ),
        )
        try:
            return as_stored(created, RunCreated)
        except JsonRefused as error:
            message = "A setting of the run holds text or a number that can't be stored."
            raise BearAgentError(failure(ErrorCode.SETTINGS_INVALID, message)) from error

    def _offered(self, names: tuple[str, ...] | None) -> tuple[ToolSpec, ...]:
        specs = self._parts.registry.specs
        return specs if names is None else tuple(spec for spec in specs if spec.name in names)


def _binding_of(start: StartRun) -> Binding:
    try:
        return as_stored(start.binding, Binding)
    except JsonRefused as error:
        message = "The api of the provider must be a name: at most 40 of a-z, 0-9 and _, a letter first."
        raise BearAgentError(failure(ErrorCode.SETTINGS_INVALID, message)) from error
