"""A run profile: what a user may set for runs in a file. There is no field for a key, a URL or a path.

A profile is a JSON or TOML file with `schema_version`; unknown fields are refused.
"""

from typing import Annotated

from msgspec import Meta

from bearagent_domain.budgets import RunLimits
from bearagent_domain.documents import Doc, Rec
from bearagent_domain.ids import N0, N1, Line, Name, ToolName, Up64

CONTEXT_CHARS_DEFAULT = 524_288
PREVIEW_BYTES_MAX = 65_536


class AgentConfig(Rec, frozen=True, kw_only=True):
    """How the agent is asked. A null field takes the default."""

    instructions: Annotated[str, Meta(min_length=1, max_length=100_000)] | None = None
    provider: Name | None = None
    model: Line | None = None
    max_output_tokens: N1 | None = None
    temperature_milli: N0 | None = None
    seed: N0 | None = None
    context_chars: Annotated[int, Meta(ge=8_192, le=16_777_216)] | None = None


class Timeouts(Rec, frozen=True, kw_only=True):
    """Seconds. A null field takes the default."""

    model_total: N1 | None = None


class RunProfile(Doc, frozen=True, kw_only=True):
    """Agent, limits, timeouts, and the tools that are shown to the model and allowed by the policy alike."""

    agent: AgentConfig = AgentConfig()
    limits: RunLimits = RunLimits()
    timeouts: Timeouts = Timeouts()
    tools: Up64[ToolName] | None = None
