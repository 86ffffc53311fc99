"""BearAgentService: what the command line asks for, made of runtime and adapters."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from bearagent.bootstrap import binding_of, installed_packages, opened_queries, require_outside, require_startable
from bearagent.diagnosis import diagnosed
from bearagent.providers import model_profile, provider_named, rate_of
from bearagent.system_sources import RandomIds, SystemClock
from bearagent_cli.service import Check, RunRequest, ToolList
from bearagent_cli.settings import Settings
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.models import ModelProfile
from bearagent_domain.profiles import CONTEXT_CHARS_DEFAULT
from bearagent_domain.views import EventPage, RunInspection, RunPage
from bearagent_ports import EventListener, ModelProvider
from bearagent_runtime import FixedToolPolicy, Registry, RunService, RuntimeParts, StartRun
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from bearagent_workspace_tools import workspace_tools


class BearAgentService:
    """The `Service` of the command line for one set of settings. Opens the database for each question anew."""

    def __init__(
        self, settings: Settings, provider_of: Callable[[ModelProfile], ModelProvider] = provider_named
    ) -> None:
        self._settings = settings
        self._provider_of = provider_of
        self._ids = RandomIds()

    async def run(self, request: RunRequest, listener: EventListener) -> RunId:
        """Create a run and drive it to rest; the database is opened when nothing is left to refuse."""
        profile, workspace, database = request.profile, Path(request.workspace), self._settings.database
        registry = Registry(workspace_tools(workspace, self._ids.new_id))
        require_outside(workspace, self._settings.private_places)
        offered = _known_tools(profile.tools, registry)
        model = model_profile(profile.agent)
        provider, rate = self._provider_of(model), rate_of(model, self._settings.rates)
        require_startable(profile.limits, rate)
        start = StartRun(
            objective=request.objective,
            model=model,
            binding=binding_of(workspace, model.provider, provider.api),
            uid=request.uid,
            instructions=profile.agent.instructions,
            offered=offered,
            limits=profile.limits,
            context_chars_max=profile.agent.context_chars or CONTEXT_CHARS_DEFAULT,
            timeouts=profile.timeouts,
            packages=installed_packages(),
        )
        with closing(SqliteEventStore.open(database)) as store:
            parts = RuntimeParts(
                store=store,
                lease=FileRunLease(database),
                clock=SystemClock(),
                ids=self._ids,
                registry=registry,
                policy=FixedToolPolicy(offered),
                provider=provider,
                rate=rate,
                listeners=(listener,),
            )
            return await RunService(parts).start(start)

    def inspect(self, name: str) -> RunInspection:
        """One run whole."""
        with opened_queries(self._settings.database) as queries:
            return queries.inspect(queries.resolve(name))

    def events(self, name: str, *, after: int, limit: int) -> EventPage:
        """A page of its events."""
        with opened_queries(self._settings.database) as queries:
            return queries.events(queries.resolve(name), after=after, limit=limit)

    def runs(self, *, cursor: str | None, limit: int) -> RunPage:
        """A page of runs."""
        with opened_queries(self._settings.database) as queries:
            return queries.runs(cursor=cursor, limit=limit)

    def tools(self) -> ToolList:
        """The four workspace tools; their specs are the same for every folder."""
        return ToolList(tools=Registry(workspace_tools(".", self._ids.new_id)).specs)

    def diagnose(self) -> tuple[Check, ...]:
        """Everything that a run on this machine needs."""
        return diagnosed(self._settings)


def _known_tools(names: tuple[str, ...] | None, registry: Registry) -> tuple[str, ...]:
    """The tools of a run: those of its profile, or all. Raises `BearAgentError` (`profile_invalid`)."""
    known = tuple(spec.name for spec in registry.specs)
    if names is None:
        return known
    if unknown := [name for name in names if name not in known]:
        message = f"The profile names tools that there are not: {', '.join(unknown)}. Tools: {', '.join(known)}."
        raise BearAgentError(failure(ErrorCode.PROFILE_INVALID, message))
    return names
