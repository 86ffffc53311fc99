"""A run whole, as its records tell it: what `inspect` shows. Folded from events alone, never from rows (R4)."""

import msgspec

from bearagent_domain.artifacts import Artifact
from bearagent_domain.events import ActivityCompleted, ModelOutcome, PolicyDecided, RunCreated
from bearagent_domain.ids import ActivityId
from bearagent_domain.records import Head, RecordedEvent, corrupt
from bearagent_domain.runs import ActivityState, RunState, RunStatus
from bearagent_domain.views import ActivityView, DecisionView, LimitsView, RunInspection, UsageView
from bearagent_reducer.projections import artifact_of
from bearagent_reducer.runs import NEW_RUN, evolved_record

replace = msgspec.structs.replace


class Inspection:
    """Folds the records of one run, in order from the first, checking the chain on the way."""

    def __init__(self) -> None:
        self.state = NEW_RUN
        self.head = Head()
        self._created: tuple[RecordedEvent, RunCreated] | None = None
        self._updated_at: RecordedEvent | None = None
        self._activities: dict[ActivityId, ActivityState] = {}
        self._decisions: dict[ActivityId, DecisionView] = {}
        self._artifacts: list[Artifact] = []
        self._answer: str | None = None

    def add(self, record: RecordedEvent) -> None:
        """Take in the next record. Raises `RecordCorrupt` for a gap, a broken chain or an illegal step."""
        self.head = self.head.after(record)
        self.state = evolved_record(self.state, record)
        event, activity_id = record.event, record.activity_id
        self._updated_at = record
        if isinstance(event, RunCreated):
            if event.identity.run_id != record.run_id:
                corrupt("The first event names another run.")
            self._created = (record, event)
        if isinstance(event, ActivityCompleted) and isinstance(event.outcome, ModelOutcome):
            self._answer = event.outcome.response.text
        if activity_id is not None and self.state.latest is not None:
            self._activities[activity_id] = self.state.latest
            if isinstance(event, PolicyDecided):
                self._decisions[activity_id] = DecisionView(
                    verdict=event.verdict, rule=event.rule, reason=event.reason, resources=event.resources
                )
            artifact = artifact_of(event)
            if artifact is not None:
                self._artifacts.append(artifact)

    def view(self, *, driven: bool | None, kept: Head | None) -> RunInspection:
        """The run after the records so far, of which there must be one; `kept` is its head kept outside the log."""
        assert self._created is not None and self._updated_at is not None, "an empty log has no inspection"
        record, created = self._created
        state = self.state
        return RunInspection(
            run_id=record.run_id,
            origin_run_id=None,
            objective=created.objective,
            created_at=record.recorded_at,
            updated_at=self._updated_at.recorded_at,
            provider=created.snapshot.model.provider,
            model=created.snapshot.model.model,
            status=state.status,
            reason=state.reason,
            driven=driven,
            final_text=self._answer if state.status is RunStatus.SUCCEEDED else None,
            error=state.error,
            limits=_limits_view(state),
            usage=_usage_view(state),
            exhausted=state.exhausted,
            activities=tuple(self._activity_view(activity) for activity in self._activities.values()),
            artifacts=tuple(self._artifacts),
            last_sequence=self.head.sequence,
            head_hash=self.head.hash.hex(),
            head_kept=kept == self.head,
        )

    def _activity_view(self, activity: ActivityState) -> ActivityView:
        return ActivityView(
            activity_id=activity.activity_id,
            kind=activity.kind,
            name=activity.name,
            attempt=activity.attempt,
            status=activity.status,
            call_id=activity.call_id,
            requested_sequence=activity.requested_sequence,
            ended_sequence=activity.ended_sequence,
            error=activity.error,
            decision=self._decisions.get(activity.activity_id),
        )


def _limits_view(state: RunState) -> LimitsView:
    limits = state.limits
    return LimitsView(
        model_calls=limits.model_calls,
        tool_calls=limits.tool_calls,
        input_tokens=limits.input_tokens,
        output_tokens=limits.output_tokens,
        cost_micro_usd=limits.cost_micro_usd,
        active_ms=limits.active_ms,
    )


def _usage_view(state: RunState) -> UsageView:
    used = state.used
    return UsageView(
        model_calls=used.model_calls,
        tool_calls=used.tool_calls,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cost_micro_usd=used.cost_micro_usd if state.priced else None,
        active_ms=used.active_ms,
        estimated=state.estimated,
    )
