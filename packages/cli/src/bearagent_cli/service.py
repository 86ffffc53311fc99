"""What the command line asks for. The app fulfils it; nothing here knows a store, a model or a tool."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeAlias

from bearagent_cli.settings import Settings
from bearagent_domain.documents import Doc, Rec
from bearagent_domain.ids import RunId
from bearagent_domain.profiles import RunProfile
from bearagent_domain.tools import ToolSpec
from bearagent_domain.views import EventPage, RunInspection, RunPage, Verification
from bearagent_ports import EventListener


class RunRequest(Rec, frozen=True, kw_only=True):
    """One run as its user wants it: flags, profile, environment and config file are already one `profile`."""

    objective: str
    workspace: Path
    uid: str
    profile: RunProfile


class Check(Rec, frozen=True, kw_only=True):
    """One thing that `doctor` looked at, in words for the user's own terminal: paths may stand in `detail`."""

    name: str
    ok: bool
    detail: str


class ToolList(Doc, frozen=True, kw_only=True):
    """The tools that a run may be given, sorted by name."""

    tools: tuple[ToolSpec, ...]


class Service(Protocol):
    """Everything that commands need, for one set of settings. Failures are `BearAgentError`s.

    A query never creates a file. Runs are named by id, by a unique prefix of at least 4 characters, or `latest`.
    """

    async def run(self, request: RunRequest, listener: EventListener) -> RunId:
        """Create a run and drive it to rest. A refusal leaves nothing behind.

        A cancellation is recorded as `run.suspended(interrupted)` and travels on.
        """

    def inspect(self, name: str) -> RunInspection:
        """One run whole, from its verified events."""

    def events(self, name: str, *, after: int, limit: int) -> EventPage:
        """At most `limit` events behind sequence `after`."""

    def verify(self, name: str, *, head: str | None) -> Verification:
        """Whether the record of one run holds and contains `head`, as someone noted it down."""

    def runs(self, *, cursor: str | None, limit: int) -> RunPage:
        """At most `limit` runs, newest first."""

    def tools(self) -> ToolList:
        """What a run may be given."""

    def diagnose(self) -> tuple[Check, ...]:
        """What is right and wrong on this machine. Creates nothing, raises nothing."""


OpenService: TypeAlias = Callable[[Settings], Service]
