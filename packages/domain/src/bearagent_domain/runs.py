"""The state of a run: what `evolve` makes of its events, and all that the loop needs to go on."""

from enum import StrEnum
from typing import Literal, TypeAlias

from bearagent_domain.budgets import NOTHING, Amounts, LimitName, RunLimits
from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorInfo
from bearagent_domain.events import SuspendReason
from bearagent_domain.ids import ActivityId, CallId
from bearagent_domain.json_values import hash_of
from bearagent_domain.policies import Verdict
from bearagent_domain.tools import Intent, ToolCall

ActivityKind: TypeAlias = Literal["model", "tool"]


class RunStatus(StrEnum):
    """Where a run stands. The last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    SUSPENDED = "suspended"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_terminal(self) -> bool:
        """Whether the run can never go on."""
        return self in (RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.CANCELLED)

    @property
    def needs_driver(self) -> bool:
        """Whether some process should be driving the run: where none does, it was interrupted."""
        return self in (RunStatus.QUEUED, RunStatus.RUNNING)


class ActivityStatus(StrEnum):
    """Where an activity stands. `requested` and `started` are open."""

    REQUESTED = "requested"
    STARTED = "started"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    OUTCOME_UNKNOWN = "outcome_unknown"


class ActivityState(Rec, frozen=True, kw_only=True):
    """The latest activity, kept after its end: rows, attempts and doubt need it."""

    activity_id: ActivityId
    kind: ActivityKind
    name: str
    attempt: int
    status: ActivityStatus
    call_id: CallId | None
    requested_sequence: int
    verdict: Verdict | None = None
    intent: Intent | None = None
    ended_sequence: int | None = None
    error: ErrorInfo | None = None

    @property
    def is_open(self) -> bool:
        """Whether an outcome is still owed."""
        return self.status in (ActivityStatus.REQUESTED, ActivityStatus.STARTED)


class RunState(Rec, frozen=True, kw_only=True):
    """A run after its latest event. O(1) in size but for the calls of the turn that have no answer yet.

    `priced` tells whether cost is known; `estimated` whether a hold was counted as used. `exhausted` is the limit that
    stopped the next activity, until the run is suspended for it.
    """

    status: RunStatus = RunStatus.QUEUED
    reason: SuspendReason | None = None
    error: ErrorInfo | None = None
    limits: RunLimits = RunLimits()
    used: Amounts = NOTHING
    held: Amounts = NOTHING
    priced: bool = False
    estimated: bool = False
    sequence: int = 0
    latest: ActivityState | None = None
    turn_id: ActivityId | None = None
    open_calls: tuple[ToolCall, ...] = ()
    exhausted: LimitName | None = None
    cancel_reason: str | None = None
    artifact_count: int = 0

    @property
    def is_running(self) -> bool:
        """Whether something may be asked for."""
        return self.status is RunStatus.RUNNING

    @property
    def in_doubt(self) -> bool:
        """Whether the outcome of the latest activity is unknown."""
        return self.latest is not None and self.latest.status is ActivityStatus.OUTCOME_UNKNOWN

    @property
    def open_activity(self) -> ActivityState | None:
        """The activity that still owes an outcome."""
        return self.latest if self.latest is not None and self.latest.is_open else None

    @property
    def active_ms_left(self) -> int | None:
        """Milliseconds of active time that the next activity may take, at least 1; null when there is no limit."""
        allowed = self.limits.active_ms
        return None if allowed is None else max(1, allowed - self.used.active_ms)

    @property
    def state_hash(self) -> str:
        """SHA-256 over the whole state, domain `state`: equal logs fold to equal hashes for ever."""
        return hash_of("state", self)
