"""Projection rows from records: what `list` reads, computed here and nowhere else (R4)."""

from bearagent_domain.artifacts import Artifact
from bearagent_domain.events import (
    ActivityCompleted,
    ActivityReconciled,
    AnyEvent,
    RunCreated,
    ToolOutcome,
)
from bearagent_domain.ids import ActivityId
from bearagent_domain.records import RecordedEvent
from bearagent_domain.rows import OBJECTIVE_LINE_CHARS_MAX, ActivityRow, ArtifactRow, Rows, RunRow
from bearagent_domain.runs import ActivityState, RunState


def artifact_of(event: AnyEvent) -> Artifact | None:
    """The artifact that `event` makes a fact, if it does."""
    if isinstance(event, ActivityCompleted) and isinstance(event.outcome, ToolOutcome):
        return event.outcome.result.artifact
    if isinstance(event, ActivityReconciled) and event.result is not None:
        return event.result.artifact
    return None


class RowProjection:
    """Folds the records of one run and gives the rows that changed since they were taken last."""

    def __init__(self) -> None:
        self._first: tuple[RecordedEvent, RunCreated] | None = None
        self._latest: tuple[RecordedEvent, RunState] | None = None
        self._activities: dict[ActivityId, ActivityState] = {}
        self._artifacts: list[ArtifactRow] = []

    def add(self, record: RecordedEvent, after: RunState) -> None:
        """Take in one record and the state after it."""
        if isinstance(record.event, RunCreated):
            self._first = (record, record.event)
        self._latest = (record, after)
        if record.activity_id is None or after.latest is None:
            return
        self._activities[record.activity_id] = after.latest
        artifact = artifact_of(record.event)
        if artifact is not None:
            self._artifacts.append(
                ArtifactRow(
                    artifact_id=artifact.artifact_id,
                    run_id=record.run_id,
                    activity_id=record.activity_id,
                    sequence=record.sequence,
                    path=artifact.path,
                    size=artifact.size,
                    sha256=artifact.sha256,
                )
            )

    def take(self) -> Rows:
        """The run's row, and each activity and artifact that changed since the last call, once."""
        rows = Rows(
            run=self._run_row(),
            activities=tuple(self._activity_row(state) for state in self._activities.values()),
            artifacts=tuple(self._artifacts),
        )
        self._activities, self._artifacts = {}, []
        return rows

    def _run_row(self) -> RunRow:
        assert self._first is not None and self._latest is not None, "a run has its first event"
        record, created = self._first
        latest, state = self._latest
        return RunRow(
            run_id=record.run_id,
            root_run_id=created.identity.root_run_id,
            status=state.status,
            reason=state.reason,
            objective=" ".join(created.objective[: OBJECTIVE_LINE_CHARS_MAX * 2].split())[:OBJECTIVE_LINE_CHARS_MAX],
            created_at=record.recorded_at,
            updated_at=latest.recorded_at,
            last_sequence=latest.sequence,
            model_calls=state.used.model_calls,
            tool_calls=state.used.tool_calls,
            error_code=None if state.error is None else state.error.code.value,
        )

    def _activity_row(self, state: ActivityState) -> ActivityRow:
        assert self._first is not None
        return ActivityRow(
            run_id=self._first[0].run_id,
            activity_id=state.activity_id,
            kind=state.kind,
            name=state.name,
            attempt=state.attempt,
            status=state.status,
            call_id=state.call_id,
            requested_sequence=state.requested_sequence,
            ended_sequence=state.ended_sequence,
            error_code=None if state.error is None else state.error.code.value,
        )
