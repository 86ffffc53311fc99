"""How the command line's `run` becomes a run: everything is made and checked first, the database opened last."""

from collections.abc import Callable
from contextlib import closing

from bearagent.bootstrap import binding_of, installed_packages, require_outside
from bearagent.providers import model_profile, rate_of
from bearagent.system_sources import RandomIds, SystemClock
from bearagent_cli.service import RunRequest
from bearagent_cli.settings import Settings
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.models import ModelProfile
from bearagent_domain.profiles import CONTEXT_CHARS_DEFAULT
from bearagent_ports import EventListener, ModelProvider
from bearagent_runtime import FixedToolPolicy, Registry, RunService, RuntimeParts, StartRun
from bearagent_runtime.configurations import startable_limits
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from bearagent_workspace_tools import workspace_tools


async def start_run(
    request: RunRequest,
    settings: Settings,
    listener: EventListener,
    provider_of: Callable[[ModelProfile], ModelProvider],
) -> RunId:
    """Create a run and drive it to rest. Raises `BearAgentError`; a run that is refused leaves nothing behind."""
    ids = RandomIds()
    profile, workspace, database = request.profile, request.workspace, settings.database
    registry = Registry(workspace_tools(workspace, ids.new_id))
    require_outside(workspace, settings.private_places)
    offered = _known_tools(profile.tools, registry)
    model = model_profile(profile.agent)
    provider, rate = provider_of(model), rate_of(model, settings.rates)
    startable_limits(profile.limits, rate)  # refuses what `start` would, before there is a database
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
            ids=ids,
            registry=registry,
            policy=FixedToolPolicy(offered),
            provider=provider,
            rate=rate,
            listeners=(listener,),
        )
        return await RunService(parts).start(start)


def _known_tools(names: tuple[str, ...] | None, registry: Registry) -> tuple[str, ...]:
    """The tools of a run: those of its profile, or all. Raises `BearAgentError` (`profile_invalid`)."""
    known = tuple(spec.name for spec in registry.specs)
    if names is None:
        return known
    if unknown := [name for name in names if name not in known]:
        message = f"The profile names tools that there are not: {', '.join(unknown)}. Tools: {', '.join(known)}."
        raise BearAgentError(failure(ErrorCode.PROFILE_INVALID, message))
    return names
