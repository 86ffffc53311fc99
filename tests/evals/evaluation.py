"""One fixed task carried out whole: real files, a real database, and what is left when all is closed again."""

import asyncio
import hashlib
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bearagent import RunLimits, open_runtime
from bearagent_domain.policies import Verdict
from bearagent_domain.runs import ActivityStatus, RunStatus
from bearagent_domain.views import ActivityView, EventView, RunInspection
from bearagent_ports import ModelProvider
from bearagent_testkit import ScriptedModel, ScriptedTurn

WORKSPACES = Path(__file__).parent / "workspaces"
EVENTS_MAX = 1_000
_CITATION = re.compile(r"^ *- (?P<text>.+) \((?P<path>[^()]+):(?P<start>\d+)(?:-(?P<end>\d+))?\)$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """A finished task: the run as the reopened record tells it, its events, and the folder before and after."""

    run: RunInspection
    events: tuple[EventView, ...]
    workspace: Path
    before: dict[str, bytes]

    @property
    def tools(self) -> list[ActivityView]:
        """The tool calls in order."""
        return [activity for activity in self.run.activities if activity.kind == "tool"]

    @property
    def read(self) -> list[str]:
        """The documents that were read, in order."""
        done = [tool for tool in self.tools if tool.status is ActivityStatus.COMPLETED]
        return [name for tool in done if tool.name == "workspace.read" for name in self._resources(tool)]

    @property
    def refused(self) -> list[str]:
        """The codes of the calls that were refused, in order."""
        return [tool.error.code for tool in self.tools if tool.error is not None]

    @property
    def changed(self) -> set[str]:
        """The files of the workspace that are not what they were before."""
        after = _files_in(self.workspace)
        return {path for path in self.before.keys() | after if self.before.get(path) != after.get(path)}

    def delivered(self, path: str) -> str:
        """The text at `path`: the only artifact, the only change, and the very bytes that the record names."""
        assert (self.run.status, self.run.error) == (RunStatus.SUCCEEDED, None)
        (artifact,) = self.run.artifacts
        data = (self.workspace / path).read_bytes()
        assert (artifact.path, artifact.size, artifact.sha256) == (path, len(data), hashlib.sha256(data).hexdigest())
        assert self.changed == {path}
        return data.decode()

    def cited(self, report: str) -> set[str]:
        """The documents that `report` quotes. Fails for a quotation that does not stand at the place it names."""
        citations = list(_CITATION.finditer(report))
        for citation in citations:
            lines = self.before[citation["path"]].decode().splitlines()
            start, end = int(citation["start"]), int(citation["end"] or citation["start"])
            assert citation["text"] in " ".join(" ".join(lines[start - 1 : end]).split()), citation[0]
        return {citation["path"] for citation in citations}

    def _resources(self, tool: ActivityView) -> list[str]:
        """What was decided on; nothing is carried out without a decision that allows it."""
        assert tool.decision is not None and tool.decision.verdict is Verdict.ALLOW
        return [resource.name for resource in tool.decision.resources]


class Evaluation:
    """Carries out one task with one provider: `scripted` plays the script, `offline` answers by itself."""

    def __init__(self, home: Path, provider: str) -> None:
        self.provider = provider
        self._home = home

    def carry_out(
        self, workspace: str, objective: str, script: Sequence[ScriptedTurn], *, limits: RunLimits | None = None
    ) -> Outcome:
        """Work on a copy of `workspaces/WORKSPACE`, then look at it with a new runtime."""
        folder = shutil.copytree(WORKSPACES / workspace, self._home / workspace)
        before, database = _files_in(folder), self._home / "data/runs.db"
        models: dict[str, ModelProvider] = {"scripted": ScriptedModel(script)} if self.provider == "scripted" else {}

        async def work() -> None:
            async with open_runtime(database, workspace=folder, models=models) as runtime:
                await (await runtime.start(objective, limits=limits)).result()

        async def look() -> tuple[RunInspection, tuple[EventView, ...]]:
            async with open_runtime(database, workspace=folder) as runtime:
                run = runtime.open("latest")
                return await run.result(), runtime.events(run.run_id, limit=EVENTS_MAX).events

        asyncio.run(work())
        return Outcome(*asyncio.run(look()), folder, before)


def _files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
