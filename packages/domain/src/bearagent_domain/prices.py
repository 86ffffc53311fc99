"""What a model costs: rows of a rate table, and cost in whole micro-USD, each part rounded up."""

from typing import Annotated

from msgspec import Meta

from bearagent_domain.documents import Doc, Rec
from bearagent_domain.ids import Line
from bearagent_domain.json_values import hash_of

TOKENS_PER_RATE = 1_000_000
RATE_MAX = 10_000_000_000  # 10,000 USD for a million tokens: the cost of any answer can still be kept

Rate = Annotated[int, Meta(ge=0, le=RATE_MAX)]


class ModelRate(Rec, frozen=True, kw_only=True):
    """Micro-USD per million tokens of one model, with where and when the figure was read."""

    model: Line
    input_micro_usd: Rate
    output_micro_usd: Rate
    source: Line
    date: Line


class RateTable(Doc, frozen=True, kw_only=True):
    """The rates that a run may be priced by. A model without a row is not priced, which is not free."""

    rates: tuple[ModelRate, ...] = ()

    def rate_of(self, model: str) -> ModelRate | None:
        """The row of `model` by exact name."""
        return next((rate for rate in self.rates if rate.model == model), None)


def rates_hash(rate: ModelRate) -> str:
    """SHA-256 over the row that a run uses, domain `rates`."""
    return hash_of("rates", rate)


def cost_micro_usd(rate: ModelRate, input_tokens: int, output_tokens: int) -> int:
    """The cost of so many tokens in micro-USD; input and output are each rounded up."""
    return _part(rate.input_micro_usd, input_tokens) + _part(rate.output_micro_usd, output_tokens)


def _part(micro_usd_per_million: int, tokens: int) -> int:
    return -(-micro_usd_per_million * tokens // TOKENS_PER_RATE)
