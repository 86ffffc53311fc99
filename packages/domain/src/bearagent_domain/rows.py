"""Projection rows: what `list` reads. Computed from events by the reducer, never a second truth (R4)."""

from bearagent_domain.documents import Rec
from bearagent_domain.events import SuspendReason
from bearagent_domain.ids import ActivityId, ArtifactId, CallId, Name, RunId
from bearagent_domain.runs import ActivityKind, ActivityStatus, RunStatus
from bearagent_domain.times import Time

OBJECTIVE_LINE_CHARS_MAX = 200


class RunRow(Rec, frozen=True, kw_only=True):
    """One run after its latest event. `objective` is its first 200 characters on one line."""

    run_id: RunId
    root_run_id: RunId
    status: RunStatus
    reason: SuspendReason | None
    objective: str
    created_at: Time
    updated_at: Time
    last_sequence: int
    model_calls: int
    tool_calls: int
    error_code: str | None


class ActivityRow(Rec, frozen=True, kw_only=True):
    """One activity after the latest event that touched it."""

    run_id: RunId
    activity_id: ActivityId
    kind: ActivityKind
    name: str
    attempt: int
    status: ActivityStatus
    call_id: CallId | None
    requested_sequence: int
    ended_sequence: int | None
    error_code: str | None


class ArtifactRow(Rec, frozen=True, kw_only=True):
    """One finished write."""

    artifact_id: ArtifactId
    run_id: RunId
    activity_id: ActivityId
    sequence: int
    path: str
    size: int
    sha256: str


class Rows(Rec, frozen=True, kw_only=True):
    """The rows that one append changes: the run, and each changed activity and new artifact once."""

    run: RunRow
    activities: tuple[ActivityRow, ...] = ()
    artifacts: tuple[ArtifactRow, ...] = ()


class Binding(Rec, frozen=True, kw_only=True):
    """What driving the run again needs and no event may hold: it never leaves the store (R5)."""

    workspace: str
    workspace_identity: str  # st_dev:st_ino of the folder
    provider: str
    api: Name
