"""The data of BearAgent: ids, events, models, tools, budgets, artifacts."""

from bearagent_domain.artifacts import Artifact
from bearagent_domain.errors import BearAgentError, ErrorCode, ErrorInfo, failure
from bearagent_domain.events import AnyEvent
from bearagent_domain.ids import new_id
from bearagent_domain.json_values import (
    JsonObject,
    JsonRefused,
    JsonValue,
    canonical_json,
    hash_of,
    parse_json_text,
    require_json,
)
from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    ModelRequest,
    TextDelta,
    UsageReported,
)
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.records import Head, RecordCorrupt, RecordedEvent, opened, seal
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, Resource, RetrySafety, ToolResult, ToolSpec

__all__ = [
    "AnyEvent",
    "ArgumentsDelta",
    "Artifact",
    "BearAgentError",
    "CallOpened",
    "Effect",
    "ErrorCode",
    "ErrorInfo",
    "FinishReason",
    "Finished",
    "Head",
    "Intent",
    "JsonObject",
    "JsonRefused",
    "JsonValue",
    "ModelEvent",
    "ModelRequest",
    "PolicyDecision",
    "PreparedToolRequest",
    "RecordCorrupt",
    "RecordedEvent",
    "Resource",
    "RetrySafety",
    "TextDelta",
    "ToolResult",
    "ToolSpec",
    "UsageReported",
    "Verdict",
    "canonical_json",
    "failure",
    "hash_of",
    "new_id",
    "opened",
    "parse_json_text",
    "require_json",
    "seal",
]
