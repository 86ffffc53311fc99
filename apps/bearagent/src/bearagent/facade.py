"""`open_runtime`: runs from Python, with models and tools of one's own. The shape is a draft (`API_STATUS`)."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

from bearagent.bootstrap import binding_of, installed_packages, require_outside
from bearagent.providers import OFFLINE, OFFLINE_MODEL, provider_named, rate_of
from bearagent.system_sources import RandomIds, SystemClock
from bearagent_domain.budgets import RunLimits
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.models import ModelProfile
from bearagent_domain.prices import RateTable
from bearagent_domain.records import RecordedEvent
from bearagent_domain.runs import RunState, RunStatus
from bearagent_domain.views import EventPage, RunInspection, RunPage, Verification
from bearagent_ports import ModelProvider, Policy, Tool
from bearagent_runtime import FixedToolPolicy, QueryService, Registry, RunService, RuntimeParts, StartRun
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from bearagent_workspace_tools import workspace_tools

__all__ = ["BearAgentError", "ModelProfile", "Run", "RunLimits", "Runtime", "open_runtime"]


@asynccontextmanager
async def open_runtime(
    database: str | os.PathLike[str],
    application: None = None,
    *,
    workspace: str | os.PathLike[str],
    models: Mapping[str, ModelProvider] | None = None,
    tools: Sequence[Tool] = (),
    policy: Policy | None = None,
    uid: str | None = None,
) -> AsyncIterator["Runtime"]:
    """A runtime over `database`, which is made if it is missing, for work on the folder `workspace`.

    `models` are providers by name; without, the offline provider answers. `tools` come beside the four workspace
    tools, and the default policy allows all of them by their effect. Leaving the context stops what still runs, which
    is then suspended as interrupted. Raises `BearAgentError`, also `application_not_found` for any `application`.
    """
    if application is not None:
        message = "Applications come with a later version. Leave `application` out."
        raise BearAgentError(failure(ErrorCode.APPLICATION_NOT_FOUND, message))
    place, file, ids = Path(workspace), Path(database), RandomIds()
    registry = Registry([*workspace_tools(workspace, ids.new_id), *((tool, None) for tool in tools)])
    require_outside(place, (file,))
    providers = models or {OFFLINE: provider_named(ModelProfile(provider=OFFLINE, model=OFFLINE_MODEL))}
    with closing(SqliteEventStore.open(file)) as store:
        parts = RuntimeParts(
            store=store,
            lease=FileRunLease(file),
            clock=SystemClock(),
            ids=ids,
            registry=registry,
            policy=policy or FixedToolPolicy(spec.name for spec in registry.specs),
            provider=next(iter(providers.values())),
        )
        runtime = Runtime(parts, providers, place, uid or "owner")
        try:
            yield runtime
        finally:
            await runtime.stop()


class Runtime:
    """What `open_runtime` gives: start runs, open old ones, list them, read their events."""

    def __init__(self, parts: RuntimeParts, models: Mapping[str, ModelProvider], workspace: Path, uid: str) -> None:
        self._parts = parts
        self._models = models
        self._workspace = workspace
        self._uid = uid
        self._queries = QueryService(parts.store, parts.lease)
        self._driving: dict[RunId, asyncio.Task[RunId]] = {}

    async def start(
        self,
        objective: str,
        *,
        instructions: str | None = None,
        model: ModelProfile | None = None,
        limits: RunLimits | None = None,
    ) -> "Run":
        """Start a run and give it as soon as it is recorded; it goes on in the background.

        Without `model`, the first of the runtime's providers answers, under its own name. Raises `BearAgentError` for a
        run that can't be made, and then nothing of it is stored.
        """
        model = model or self._default_model()
        provider = self._models.get(model.provider)
        if provider is None:
            message = f"There is no provider of that name. Known: {', '.join(self._models)}."
            raise BearAgentError(failure(ErrorCode.PROVIDER_NOT_CONFIGURED, message))
        start = StartRun(
            objective=objective,
            model=model,
            binding=binding_of(self._workspace, model.provider, provider.api),
            uid=self._uid,
            instructions=instructions,
            limits=limits or RunLimits(),
            packages=installed_packages(),
        )
        first = _FirstCommit()
        parts = replace(self._parts, provider=provider, rate=rate_of(model, RateTable()), listeners=(first,))
        task = asyncio.create_task(RunService(parts).start(start))
        try:
            await asyncio.wait({task, first.run_id}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()  # nobody will ever hold this run
            await asyncio.wait({task})
            raise
        if not first.run_id.done():
            await task  # raises what refused the run
        run_id = first.run_id.result()
        self._driving[run_id] = task
        return self.open(run_id)

    def open(self, name: str) -> "Run":
        """A run of the record: by id, by a unique prefix of at least 4 characters, or `latest`."""
        run_id = self._queries.resolve(name)
        return Run(run_id, self._queries, self._driving.get(run_id))

    def runs(self, *, cursor: str | None = None, limit: int = 20) -> RunPage:
        """At most `limit` runs, newest first."""
        return self._queries.runs(cursor=cursor, limit=limit)

    def events(self, run_id: RunId, after: int = 0, limit: int = 100) -> EventPage:
        """At most `limit` events of a run behind the sequence `after`."""
        return self._queries.events(run_id, after=after, limit=limit)

    async def stop(self) -> None:
        """Interrupt what still runs and wait until that is recorded."""
        for task in self._driving.values():
            task.cancel()
        await asyncio.gather(*self._driving.values(), return_exceptions=True)

    def _default_model(self) -> ModelProfile:
        name = next(iter(self._models))
        return ModelProfile(provider=name, model=OFFLINE_MODEL if name == OFFLINE else name)


class Run:
    """One run: its id, where it stands, and its result."""

    def __init__(self, run_id: RunId, queries: QueryService, driving: asyncio.Task[RunId] | None) -> None:
        self.run_id = run_id
        self._queries = queries
        self._driving = driving

    @property
    def status(self) -> RunStatus:
        """Where the run stands now, by its verified events."""
        return self._queries.inspect(self.run_id).status

    def verify(self, head: str | None = None) -> Verification:
        """Whether the record of this run holds, and contains `head`: `SEQUENCE:HASH` or a hash, as it was noted down.

        Raises `BearAgentError` with `usage` for a head that is none.
        """
        return self._queries.verify(self.run_id, head)

    async def result(self) -> RunInspection:
        """The run as it came to rest. One that this runtime does not drive is given as it stands.

        What a model or tool did wrong is in the result. Raises `BearAgentError` when the record failed.
        """
        if self._driving is not None:
            await asyncio.shield(self._driving)
        return self._queries.inspect(self.run_id)


class _FirstCommit:
    """An `EventListener` that tells of the run once it is stored."""

    def __init__(self) -> None:
        self.run_id: asyncio.Future[RunId] = asyncio.get_running_loop().create_future()

    def committed(self, events: Sequence[RecordedEvent], state: RunState) -> None:
        if not self.run_id.done():
            self.run_id.set_result(events[0].run_id)
