"""All events: a closed union in groups, past tense, each with its version. docs/record.md describes them one by one.

An event holds its payload only. Run, sequence, time and activity id stand in the record around it (`records.py`).
"""

from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec
from msgspec import Meta

from bearagent_domain.budgets import Amounts, LimitName, ModelUsage
from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorInfo
from bearagent_domain.ids import N0, N1, ActivityId, CallId, CommandId, Line, Name, Note, Sha, Uid
from bearagent_domain.models import ModelResponse, RequestManifest
from bearagent_domain.policies import Verdict
from bearagent_domain.snapshots import RunConfigSnapshot, RunFingerprint, RunIdentity
from bearagent_domain.tools import Intent, Resource, ToolResult, ToolSpec

OBJECTIVE_CHARS_MAX = 262_144

SuspendReason: TypeAlias = Literal[
    "paused", "interrupted", "budget", "provider_unavailable", "outcome_unknown", "resume_refused"
]
AttemptCause: TypeAlias = Literal["first", "retryable", "interrupted", "resolved"]
CancelCause: TypeAlias = Literal["cancelled", "interrupted", "not_done"]


class Event(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """Base of all events."""

    TYPE: ClassVar[str]
    VERSION: ClassVar[int] = 1


class RunCreated(Event, frozen=True, kw_only=True):
    """A run exists, with all that rules it until its end."""

    TYPE = "run.created"

    identity: RunIdentity
    snapshot: RunConfigSnapshot
    objective: Annotated[str, Meta(min_length=1, max_length=OBJECTIVE_CHARS_MAX)]
    system_text: str
    tools: tuple[ToolSpec, ...]
    fingerprint: RunFingerprint
    command_id: CommandId | None = None


class RunStarted(Event, frozen=True, kw_only=True):
    """The run may act from here on."""

    TYPE = "run.started"


class RunWaiting(Event, frozen=True, kw_only=True):
    """The run waits for someone; `ref` names what for."""

    TYPE = "run.waiting"

    kind: Name
    ref: Line


class RunSuspended(Event, frozen=True, kw_only=True):
    """The run rests before its end. `active_ms` is what it used since the last outcome."""

    TYPE = "run.suspended"

    reason: SuspendReason
    error: ErrorInfo | None = None
    active_ms: N0 = 0
    command_id: CommandId | None = None


class RunResumed(Event, frozen=True, kw_only=True):
    """Someone drives the run again, by command or after a crash."""

    TYPE = "run.resumed"

    cause: Literal["command", "crash"]
    workspace_replaced: bool = False
    command_id: CommandId | None = None


class RunResumeRefused(Event, frozen=True, kw_only=True):
    """The configuration at hand is not the one that the run was made under."""

    TYPE = "run.resume_refused"

    code: Name
    expected: Line
    found: Line


class RunCancelRequested(Event, frozen=True, kw_only=True):
    """No activity starts after this."""

    TYPE = "run.cancel_requested"

    reason: Note
    command_id: CommandId | None = None


class RunCancelled(Event, frozen=True, kw_only=True):
    """The run ended by someone's wish."""

    TYPE = "run.cancelled"

    reason: Note


class RunLimitsRaised(Event, frozen=True, kw_only=True):
    """The owner allows more; the amounts are added to the limits."""

    TYPE = "run.limits_raised"

    amounts: Amounts
    reason: Note
    command_id: CommandId | None = None


class RunSucceeded(Event, frozen=True, kw_only=True):
    """The run ended with an answer: the text of its last completed model activity."""

    TYPE = "run.succeeded"


class RunFailed(Event, frozen=True, kw_only=True):
    """The run ended without having done its work."""

    TYPE = "run.failed"

    error: ErrorInfo


class ModelWork(Rec, frozen=True, kw_only=True, tag="model", tag_field="kind"):
    """A request to a model. `request_hash` is the hash of the manifest, domain `request`."""

    manifest: RequestManifest
    request_hash: Sha


class ToolWork(Rec, frozen=True, kw_only=True, tag="tool", tag_field="kind"):
    """One call of the model activity `source_activity_id`, where its arguments stand."""

    call_id: CallId
    name: str
    source_activity_id: ActivityId
    arguments_hash: Sha | None = None


class ActivityRequested(Event, frozen=True, kw_only=True):
    """Something is about to be asked for, and what it may use at most is held."""

    TYPE = "activity.requested"

    attempt: N1 = 1
    cause: AttemptCause = "first"
    held: Amounts
    work: ModelWork | ToolWork


class PolicyDecided(Event, frozen=True, kw_only=True):
    """Whether the normalised action may happen, and by which rule. Denials are recorded like permissions."""

    TYPE = "policy.decided"

    verdict: Verdict
    rule: Name
    reason: Note
    resources: tuple[Resource, ...] = ()
    prepared_hash: Sha | None = None


class ActivityStarted(Event, frozen=True, kw_only=True):
    """The intent is on disk: from here on the outside world may have been touched (R1)."""

    TYPE = "activity.started"

    intent: Intent


class ModelOutcome(Rec, frozen=True, kw_only=True, tag="model", tag_field="kind"):
    """What a model answered and used."""

    response: ModelResponse
    usage: ModelUsage
    rates_hash: Sha | None = None
    provider_request_id: Line | None = None


class ToolOutcome(Rec, frozen=True, kw_only=True, tag="tool", tag_field="kind"):
    """What a tool gave back."""

    result: ToolResult


class ActivityCompleted(Event, frozen=True, kw_only=True):
    """The activity did what it should."""

    TYPE = "activity.completed"

    active_ms: N0 = 0
    outcome: ModelOutcome | ToolOutcome


class ActivityFailed(Event, frozen=True, kw_only=True):
    """The activity did not do what it should, and what it did is known. A tool's failure answers the model's call."""

    TYPE = "activity.failed"

    error: ErrorInfo
    active_ms: N0 = 0


class ActivityCancelled(Event, frozen=True, kw_only=True):
    """This attempt is void. The call that it was for stays unanswered."""

    TYPE = "activity.cancelled"

    cause: CancelCause
    active_ms: N0 = 0


class ActivityOutcomeUnknown(Event, frozen=True, kw_only=True):
    """Nobody can tell yet whether the effect happened (R2)."""

    TYPE = "activity.outcome_unknown"

    error: ErrorInfo
    active_ms: N0 = 0


class ActivityReconciled(Event, frozen=True, kw_only=True):
    """Evidence settled the doubt. `result` answers the call when the finding is `done`."""

    TYPE = "activity.reconciled"

    finding: Literal["done", "not_done"]
    evidence: Note
    result: ToolResult | None = None
    error: ErrorInfo | None = None
    active_ms: N0 = 0


class ActivityResolved(Event, frozen=True, kw_only=True):
    """A person settled the doubt."""

    TYPE = "activity.resolved"

    as_: Literal["succeeded", "failed", "retry"] = msgspec.field(name="as")
    reason: Note
    by: Uid
    command_id: CommandId


class BudgetExhausted(Event, frozen=True, kw_only=True):
    """The next activity would need more than a limit allows; it was not requested."""

    TYPE = "budget.exhausted"

    limit: LimitName
    allowed: N0
    needed: N0


RunEvent: TypeAlias = (
    RunCreated
    | RunStarted
    | RunWaiting
    | RunSuspended
    | RunResumed
    | RunResumeRefused
    | RunCancelRequested
    | RunCancelled
    | RunLimitsRaised
    | RunSucceeded
    | RunFailed
)
ActivityEvent: TypeAlias = (
    ActivityRequested
    | PolicyDecided
    | ActivityStarted
    | ActivityCompleted
    | ActivityFailed
    | ActivityCancelled
    | ActivityOutcomeUnknown
    | ActivityReconciled
    | ActivityResolved
)
AnyEvent: TypeAlias = RunEvent | ActivityEvent | BudgetExhausted

EVENT_TYPES: tuple[type[Event], ...] = (
    RunCreated,
    RunStarted,
    RunWaiting,
    RunSuspended,
    RunResumed,
    RunResumeRefused,
    RunCancelRequested,
    RunCancelled,
    RunLimitsRaised,
    RunSucceeded,
    RunFailed,
    ActivityRequested,
    PolicyDecided,
    ActivityStarted,
    ActivityCompleted,
    ActivityFailed,
    ActivityCancelled,
    ActivityOutcomeUnknown,
    ActivityReconciled,
    ActivityResolved,
    BudgetExhausted,
)
