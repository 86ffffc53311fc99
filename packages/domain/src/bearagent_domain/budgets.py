"""Limits and amounts, all integers: calls, tokens, micro-USD, milliseconds of active time. Unknown is never zero."""

from typing import Literal, TypeAlias

from bearagent_domain.documents import Doc, Rec
from bearagent_domain.ids import N0, N1

LimitName: TypeAlias = Literal[
    "model_calls", "tool_calls", "input_tokens", "output_tokens", "cost_micro_usd", "active_ms"
]
LIMIT_NAMES: tuple[LimitName, ...] = (
    "model_calls",
    "tool_calls",
    "input_tokens",
    "output_tokens",
    "cost_micro_usd",
    "active_ms",
)


class RunLimits(Doc, frozen=True, kw_only=True):
    """Declared limits. `None` means no stricter limit than the framework's, 0 means none allowed."""

    model_calls: N0 | None = None
    tool_calls: N0 | None = None
    input_tokens: N0 | None = None
    output_tokens: N0 | None = None
    cost_micro_usd: N0 | None = None
    active_ms: N0 | None = None
    depth: N0 | None = None
    children: N0 | None = None
    concurrency: N1 | None = None
    runs: N1 | None = None
    revisions: N0 | None = None
    validations: N1 | None = None
    context_tokens: N0 | None = None


DEFAULT_LIMITS = RunLimits(
    model_calls=200,
    tool_calls=1_000,
    input_tokens=2_000_000,
    output_tokens=200_000,
    active_ms=7_200_000,
    depth=3,
    children=8,
    concurrency=2,
    runs=32,
    revisions=2,
    validations=2,
    context_tokens=32_000,
)
HARD_CAPS = RunLimits(
    model_calls=5_000,
    tool_calls=20_000,
    input_tokens=100_000_000,
    output_tokens=10_000_000,
    cost_micro_usd=200_000_000,
    active_ms=172_800_000,
    depth=8,
    children=32,
    concurrency=8,
    runs=256,
    revisions=8,
    validations=4,
    context_tokens=256_000,
)


class Amounts(Rec, frozen=True, kw_only=True, omit_defaults=True):
    """What one activity holds or used, or a run used so far. Zeros are left out when stored."""

    model_calls: N0 = 0
    tool_calls: N0 = 0
    input_tokens: N0 = 0
    output_tokens: N0 = 0
    cost_micro_usd: N0 = 0
    active_ms: N0 = 0

    def plus(self, other: "Amounts") -> "Amounts":
        """The sum, amount by amount."""
        return Amounts(
            model_calls=self.model_calls + other.model_calls,
            tool_calls=self.tool_calls + other.tool_calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_micro_usd=self.cost_micro_usd + other.cost_micro_usd,
            active_ms=self.active_ms + other.active_ms,
        )


NOTHING = Amounts()


class ModelUsage(Rec, frozen=True, kw_only=True):
    """What one model call used. `cost_micro_usd` is null when the model is not priced.

    `estimated` says that the server gave no usage and the amounts held were counted instead.
    """

    input_tokens: N0
    output_tokens: N0
    cost_micro_usd: N0 | None = None
    estimated: bool = False
