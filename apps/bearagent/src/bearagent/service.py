"""BearAgentService: what the command line asks for, made of runtime and adapters.

Each method imports what it needs: `list` must be quick, and the runtime takes longer to load than that answer.
"""

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from bearagent_domain.views import EventPage, RunInspection, RunLine, RunPage, Verification
from bearagent_sqlite_store import FileRunLease, SqliteEventStore

if TYPE_CHECKING:
    from bearagent_cli.service import Check, RunRequest, ToolList
    from bearagent_cli.settings import Settings
    from bearagent_domain.ids import RunId
    from bearagent_domain.models import ModelProfile
    from bearagent_ports import EventListener, ModelProvider


class BearAgentService:
    """The `Service` of the command line for one set of settings. Opens the database for each question anew.

    `provider_of` gives the provider that answers for a model; without it, the providers of this app do.
    """

    def __init__(
        self, settings: "Settings", provider_of: "Callable[[ModelProfile], ModelProvider] | None" = None
    ) -> None:
        self._settings = settings
        self._provider_of = provider_of

    async def run(self, request: "RunRequest", listener: "EventListener") -> "RunId":
        """Create a run and drive it to rest."""
        from bearagent.providers import provider_named
        from bearagent.starting import start_run

        return await start_run(request, self._settings, listener, self._provider_of or provider_named)

    def inspect(self, name: str) -> RunInspection:
        """One run whole."""
        from bearagent.bootstrap import opened_queries

        with opened_queries(self._settings.database) as queries:
            return queries.inspect(queries.resolve(name))

    def events(self, name: str, *, after: int, limit: int) -> EventPage:
        """A page of its events."""
        from bearagent.bootstrap import opened_queries

        with opened_queries(self._settings.database) as queries:
            return queries.events(queries.resolve(name), after=after, limit=limit)

    def verify(self, name: str, *, head: str | None) -> Verification:
        """Its chain, fold, rows and heads."""
        from bearagent.bootstrap import opened_queries

        with opened_queries(self._settings.database) as queries:
            return queries.verify(queries.resolve(name), head)

    def runs(self, *, cursor: str | None, limit: int) -> RunPage:
        """A page of runs, asked of the store itself."""
        lease = FileRunLease(self._settings.database)
        with closing(SqliteEventStore.open_existing(self._settings.database)) as store:
            page = store.runs(cursor=cursor, limit=limit)
            lines = tuple(
                RunLine(run=row, driven=lease.is_held(row.run_id) if row.status.needs_driver else None)
                for row in page.runs
            )
        return RunPage(runs=lines, next_cursor=page.next_cursor, damaged=page.damaged)

    def tools(self) -> "ToolList":
        """The four workspace tools; their specs are the same for every folder."""
        from bearagent.system_sources import RandomIds
        from bearagent_cli.service import ToolList
        from bearagent_runtime import Registry
        from bearagent_workspace_tools import workspace_tools

        return ToolList(tools=Registry(workspace_tools(".", RandomIds().new_id)).specs)

    def diagnose(self) -> "tuple[Check, ...]":
        """Everything that a run on this machine needs."""
        from bearagent.diagnosis import diagnosed

        return diagnosed(self._settings)
