"""A service for the command line that plays one sample run: no store, no model, no tool."""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from bearagent_cli.service import Check, RunRequest, ToolList
from bearagent_cli.settings import Settings
from bearagent_domain.commands import SuspendRun
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_domain.json_values import parse_json_text
from bearagent_domain.records import RecordedEvent
from bearagent_domain.rows import RunRow
from bearagent_domain.views import (
    CheckOutcome,
    EventPage,
    EventView,
    RunInspection,
    RunLine,
    RunPage,
    Verification,
    VerificationCheck,
)
from bearagent_ports import EventListener
from bearagent_reducer import Inspection
from bearagent_testkit import SampleRun
from bearagent_testkit.fake_tools import FakeTool


@dataclass
class PlayedService:
    """Plays one sample run; keeps what it was asked. `error` is raised instead, `breaks` after the first events. With
    `signals`, the process is sent them once the run exists, and the run hangs until it is cancelled."""

    sample: SampleRun
    requests: list[RunRequest] = field(default_factory=list)
    settings: list[Settings] = field(default_factory=list)
    asked: list[tuple[object, ...]] = field(default_factory=list)
    error: Exception | None = None
    breaks: BearAgentError | None = None
    signals: tuple[int, ...] = ()
    driven: bool | None = None
    damage: ErrorCode | None = None
    damaged: tuple[RunId, ...] = ()

    async def run(self, request: RunRequest, listener: EventListener) -> RunId:
        """Tell of the first events, then of the rest."""
        self._raise()
        self.requests.append(request)
        self._commit(listener, self.sample.records[:2])
        if self.breaks is not None:
            raise self.breaks
        if self.signals:
            try:
                for number in self.signals:
                    os.kill(os.getpid(), number)
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.sample.do(SuspendRun(reason="interrupted"))
                raise
        self._commit(listener, self.sample.records[2:])
        return self.sample.run_id

    def inspect(self, name: str) -> RunInspection:
        """The sample, whatever its name."""
        self._raise()
        self.asked.append(("inspect", name))
        return inspection_of(self.sample.records, driven=self.driven)

    def events(self, name: str, *, after: int, limit: int) -> EventPage:
        """The page of the sample's events."""
        self._raise()
        self.asked.append(("events", name, after, limit))
        found = self.sample.records[after : after + limit]
        more = after + limit < len(self.sample.records)
        return EventPage(
            run_id=self.sample.run_id,
            events=tuple(map(event_view, found)),
            next_after_sequence=found[-1].sequence if more else None,
            has_more=more,
        )

    def verify(self, name: str, *, head: str | None) -> Verification:
        """One check, which fails if there is a `damage`."""
        self._raise()
        self.asked.append(("verify", name, head))
        outcome = CheckOutcome.HOLDS if self.damage is None else CheckOutcome.FAILED
        return Verification(
            run_id=self.sample.run_id,
            ok=self.damage is None,
            last_sequence=self.sample.head.sequence,
            head_hash=self.sample.head.hash.hex(),
            checks=(VerificationCheck(name="chain", outcome=outcome, code=self.damage, detail="As \x1b[2J found."),),
        )

    def runs(self, *, cursor: str | None, limit: int) -> RunPage:
        """The sample's row."""
        self._raise()
        self.asked.append(("runs", cursor, limit))
        line = RunLine(run=row_of(self.sample), driven=self.driven)
        return RunPage(runs=(line,), next_cursor="c1", damaged=self.damaged)

    def tools(self) -> ToolList:
        """One tool."""
        return ToolList(tools=(FakeTool().spec,))

    def diagnose(self) -> tuple[Check, ...]:
        """One check."""
        return (Check(name="Python", ok=self.error is None, detail="3.11"),)

    def _raise(self) -> None:
        if self.error is not None:
            raise self.error

    def _commit(self, listener: EventListener, records: list[RecordedEvent]) -> None:
        inspection = Inspection()
        for record in self.sample.records:
            inspection.add(record)
            if record in records:
                listener.committed([record], inspection.state)


def inspection_of(records: list[RecordedEvent], *, driven: bool | None = None) -> RunInspection:
    inspection = Inspection()
    for record in records:
        inspection.add(record)
    return inspection.view(driven=driven, kept=inspection.head)


def event_view(record: RecordedEvent) -> EventView:
    payload = parse_json_text(msgspec.json.encode(record.event).decode())
    assert isinstance(payload, dict)
    return EventView(
        sequence=record.sequence,
        type=record.event.TYPE,
        version=record.event.VERSION,
        recorded_at=record.recorded_at,
        activity_id=record.activity_id,
        payload=payload,
        prev_hash=record.prev_hash.hex(),
        hash=record.hash.hex(),
    )


def row_of(sample: SampleRun) -> RunRow:
    run = inspection_of(sample.records)
    return RunRow(
        run_id=run.run_id,
        root_run_id=run.run_id,
        status=run.status,
        reason=None,
        objective=run.objective,
        created_at=run.created_at,
        updated_at=run.updated_at,
        last_sequence=run.last_sequence,
        model_calls=run.usage.model_calls,
        tool_calls=run.usage.tool_calls,
        error_code=None,
    )


@dataclass(frozen=True)
class Ended:
    """What a command left: exit code and both streams."""

    code: int
    out: str
    err: str


Command = Callable[..., Ended]


def not_found() -> BearAgentError:
    return BearAgentError(failure(ErrorCode.RUN_NOT_FOUND, "No run fits that name."))
