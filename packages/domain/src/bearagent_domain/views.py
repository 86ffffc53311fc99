"""What a reader gets: one run whole, a page of events, a line of the list, a verdict. JSON output is these shapes."""

from enum import StrEnum

from bearagent_domain.artifacts import Artifact
from bearagent_domain.budgets import LimitName
from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorCode, ErrorInfo
from bearagent_domain.ids import ActivityId, CallId, RunId
from bearagent_domain.json_values import JsonObject
from bearagent_domain.policies import Verdict
from bearagent_domain.rows import RunRow
from bearagent_domain.runs import ActivityKind, ActivityStatus, RunStatus
from bearagent_domain.times import Time
from bearagent_domain.tools import Resource


class DecisionView(Rec, frozen=True, kw_only=True):
    """Why an activity was allowed or not."""

    verdict: Verdict
    rule: str
    reason: str
    resources: tuple[Resource, ...]


class ActivityView(Rec, frozen=True, kw_only=True):
    """One activity, all attempts in one."""

    activity_id: ActivityId
    kind: ActivityKind
    name: str
    attempt: int
    status: ActivityStatus
    call_id: CallId | None
    requested_sequence: int
    ended_sequence: int | None
    error: ErrorInfo | None
    decision: DecisionView | None


class LimitsView(Rec, frozen=True, kw_only=True):
    """The limits in force; null is none."""

    model_calls: int | None
    tool_calls: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_micro_usd: int | None
    active_ms: int | None


class UsageView(Rec, frozen=True, kw_only=True):
    """What was used. `cost_micro_usd` is null when the model is not priced."""

    model_calls: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cost_micro_usd: int | None
    active_ms: int
    estimated: bool


class RunInspection(Rec, frozen=True, kw_only=True):
    """A run as its verified events tell it. `driven` is null when nobody asked who holds the lease.

    `head_kept` is whether this very head is kept outside the log as well, as it is once a run has come to rest.
    """

    schema_version: int = 1
    run_id: RunId
    origin_run_id: RunId | None
    objective: str
    created_at: Time
    updated_at: Time
    provider: str
    model: str
    status: RunStatus
    reason: str | None
    driven: bool | None
    final_text: str | None
    error: ErrorInfo | None
    limits: LimitsView
    usage: UsageView
    exhausted: LimitName | None
    activities: tuple[ActivityView, ...]
    artifacts: tuple[Artifact, ...]
    last_sequence: int
    head_hash: str
    head_kept: bool


class EventView(Rec, frozen=True, kw_only=True):
    """One event as printed; the payload is the stored one, hashes are hex."""

    sequence: int
    type: str
    version: int
    recorded_at: Time
    activity_id: ActivityId | None
    payload: JsonObject
    prev_hash: str
    hash: str


class EventPage(Rec, frozen=True, kw_only=True):
    """Some events of one run, in order. `next_after_sequence` asks for the page behind it."""

    schema_version: int = 1
    run_id: RunId
    events: tuple[EventView, ...]
    next_after_sequence: int | None
    has_more: bool


class RunLine(Rec, frozen=True, kw_only=True):
    """One run of a list. `driven` tells whether a process holds its lease now (null for a run at rest)."""

    run: RunRow
    driven: bool | None


class RunPage(Rec, frozen=True, kw_only=True):
    """Some runs, newest first. `next_cursor` asks for the page behind it.

    `damaged` are the runs between them of which the list can say nothing else; `inspect` and `verify` read the events.
    """

    schema_version: int = 1
    runs: tuple[RunLine, ...]
    next_cursor: str | None
    damaged: tuple[RunId, ...]


class CheckOutcome(StrEnum):
    """How a check of the record came out."""

    HOLDS = "holds"
    FAILED = "failed"
    NOT_CHECKED = "not_checked"


class VerificationCheck(Rec, frozen=True, kw_only=True):
    """One check of `verify`: chain, fold, rows, kept_head or given_head. `code` tells what a failed one found."""

    name: str
    outcome: CheckOutcome
    code: ErrorCode | None
    detail: str


class Verification(Rec, frozen=True, kw_only=True):
    """Whether the record of a run holds: `ok` when no check failed.

    `last_sequence` and `head_hash` are the head of the log as far as its chain holds.
    """

    schema_version: int = 1
    run_id: RunId
    ok: bool
    last_sequence: int
    head_hash: str
    checks: tuple[VerificationCheck, ...]
