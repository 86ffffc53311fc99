"""What may be asked of a run, in the imperative. `decide` turns a command into events or refuses it."""

from typing import Literal, TypeAlias

from bearagent_domain.budgets import Amounts, ModelUsage
from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorInfo
from bearagent_domain.events import AttemptCause, CancelCause, RunCreated, SuspendReason
from bearagent_domain.ids import ActivityId, CommandId, Sha
from bearagent_domain.models import ModelResponse, RequestManifest
from bearagent_domain.policies import PolicyDecision
from bearagent_domain.tools import Intent, ToolCall, ToolResult


class CreateRun(Rec, frozen=True, kw_only=True):
    """Make the run and start it."""

    created: RunCreated


class BeginRun(Rec, frozen=True, kw_only=True):
    """Start a run that was created only."""


class RequestModel(Rec, frozen=True, kw_only=True):
    """Ask a model; `held` is what the call may use at most."""

    activity_id: ActivityId
    manifest: RequestManifest
    held: Amounts
    attempt: int = 1
    cause: AttemptCause = "first"


class RequestTool(Rec, frozen=True, kw_only=True):
    """Answer the next open call of the turn."""

    activity_id: ActivityId
    call: ToolCall
    attempt: int = 1
    cause: AttemptCause = "first"


class DecidePolicy(Rec, frozen=True, kw_only=True):
    """Record what the policy said about the open tool activity."""

    activity_id: ActivityId
    decision: PolicyDecision
    prepared_hash: Sha | None = None


class StartActivity(Rec, frozen=True, kw_only=True):
    """The effect is about to begin."""

    activity_id: ActivityId
    intent: Intent = Intent()


class CompleteModel(Rec, frozen=True, kw_only=True):
    """The model answered. `usage` is null when the server gave none: then the hold counts."""

    activity_id: ActivityId
    response: ModelResponse
    usage: ModelUsage | None
    rates_hash: Sha | None = None
    provider_request_id: str | None = None
    active_ms: int = 0


class CompleteTool(Rec, frozen=True, kw_only=True):
    """The tool gave a result."""

    activity_id: ActivityId
    result: ToolResult
    active_ms: int = 0


class FailActivity(Rec, frozen=True, kw_only=True):
    """The activity failed, and what it did is known."""

    activity_id: ActivityId
    error: ErrorInfo
    active_ms: int = 0


class CancelActivity(Rec, frozen=True, kw_only=True):
    """Void this attempt."""

    activity_id: ActivityId
    cause: CancelCause
    active_ms: int = 0


class DoubtActivity(Rec, frozen=True, kw_only=True):
    """Nobody can tell what the effect did."""

    activity_id: ActivityId
    error: ErrorInfo
    active_ms: int = 0


class ReconcileActivity(Rec, frozen=True, kw_only=True):
    """Evidence settles the doubt. With `not_done`, an `error` answers the call; without one the attempt is void."""

    activity_id: ActivityId
    finding: Literal["done", "not_done"]
    evidence: str
    result: ToolResult | None = None
    error: ErrorInfo | None = None
    active_ms: int = 0


class ResolveActivity(Rec, frozen=True, kw_only=True):
    """A person settles the doubt."""

    activity_id: ActivityId
    outcome: Literal["succeeded", "failed", "retry"]
    reason: str
    by: str
    command_id: CommandId


class FinishRun(Rec, frozen=True, kw_only=True):
    """End the run or let it rest, as its state says."""

    active_ms: int = 0


class FailRun(Rec, frozen=True, kw_only=True):
    """End the run for a reason that no activity carries."""

    error: ErrorInfo


class SuspendRun(Rec, frozen=True, kw_only=True):
    """Let the run rest."""

    reason: SuspendReason
    error: ErrorInfo | None = None
    active_ms: int = 0
    command_id: CommandId | None = None


class WaitRun(Rec, frozen=True, kw_only=True):
    """Let the run wait for someone."""

    kind: str
    ref: str


class ResumeRun(Rec, frozen=True, kw_only=True):
    """Drive the run again."""

    cause: Literal["command", "crash"]
    workspace_replaced: bool = False
    command_id: CommandId | None = None


class RefuseResume(Rec, frozen=True, kw_only=True):
    """Record why the run can't be driven with what is installed."""

    code: str
    expected: str
    found: str


class RequestCancel(Rec, frozen=True, kw_only=True):
    """Start nothing more."""

    reason: str
    command_id: CommandId | None = None


class RaiseLimits(Rec, frozen=True, kw_only=True):
    """Allow more."""

    amounts: Amounts
    reason: str
    command_id: CommandId | None = None


Command: TypeAlias = (
    CreateRun
    | BeginRun
    | RequestModel
    | RequestTool
    | DecidePolicy
    | StartActivity
    | CompleteModel
    | CompleteTool
    | FailActivity
    | CancelActivity
    | DoubtActivity
    | ReconcileActivity
    | ResolveActivity
    | FinishRun
    | FailRun
    | SuspendRun
    | WaitRun
    | ResumeRun
    | RefuseResume
    | RequestCancel
    | RaiseLimits
)
