"""One run that writes one file: `python writing_run.py DATABASE WORKSPACE PATH`; the same ids and times each time.

The real runtime, tools and store. Prints the status of the run, or the code of the failure that ended it.
"""

import asyncio
import sys
from contextlib import closing
from pathlib import Path

from bearagent.bootstrap import binding_of, place_of
from bearagent.system_sources import SystemClock
from bearagent_domain.errors import BearAgentError
from bearagent_domain.models import ModelProfile
from bearagent_ports import EventStore
from bearagent_runtime import FixedToolPolicy, QueryService, Registry, RunService, RuntimeParts, StartRun
from bearagent_sqlite_store import FileRunLease, SqliteEventStore
from bearagent_testkit import CountingIds, ScriptedCall, ScriptedModel, ScriptedTurn
from bearagent_workspace_tools import workspace_tools

NEW = "# After\n" * 12_000  # more than one block


def write(store: EventStore, database: Path, workspace: Path, path: str) -> str:
    """Drive the run to rest; its status."""
    ids = CountingIds(start=1_000 * len(store.matching("", limit=1_000)) + 1)
    registry = Registry(workspace_tools(workspace, ids.new_id))
    call = ScriptedCall("workspace.write", {"path": path, "content": NEW})
    parts = RuntimeParts(
        store=store,
        lease=FileRunLease(database),
        clock=SystemClock(),
        ids=ids,
        registry=registry,
        policy=FixedToolPolicy(spec.name for spec in registry.specs),
        provider=ScriptedModel([ScriptedTurn(calls=(call,)), ScriptedTurn(text="Done.")]),
    )
    model = ModelProfile(provider="scripted", model="script")
    place = Path(place_of(workspace))
    start = StartRun(objective="Write.", model=model, binding=binding_of(place, "scripted", "scripted"))
    run_id = asyncio.run(RunService(parts).start(start))
    return QueryService(store).inspect(run_id).status


def main(database: Path, workspace: Path, path: str) -> None:
    try:
        with closing(SqliteEventStore.open(database)) as store:
            print(write(store, database, workspace, path))
    except BearAgentError as error:
        print(error.info.code)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
