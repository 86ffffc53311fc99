"""Cost is whole micro-USD, rounded up part by part; a model without a rate is not priced, which is not free."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_domain.prices import ModelRate, RateTable, cost_micro_usd, rates_hash

RATE = ModelRate(
    model="some-model", input_micro_usd=150_000, output_micro_usd=600_000, source="price list", date="2026-11-01"
)
RATES = st.integers(min_value=0, max_value=10**9)
TOKENS = st.integers(min_value=0, max_value=10**9)


@pytest.mark.parametrize(
    ("input_tokens", "output_tokens", "cost"),
    [(0, 0, 0), (1, 0, 1), (0, 1, 1), (1, 1, 2), (20, 5, 6), (21, 5, 7), (1_000_000, 1_000_000, 750_000)],
)
def test_each_part_of_a_cost_is_rounded_up(input_tokens: int, output_tokens: int, cost: int) -> None:
    assert cost_micro_usd(RATE, input_tokens, output_tokens) == cost


@given(RATES, TOKENS)
def test_a_cost_is_never_below_the_exact_one_and_less_than_one_above(rate: int, tokens: int) -> None:
    cost = cost_micro_usd(msgspec.structs.replace(RATE, input_micro_usd=rate), tokens, 0)
    assert 0 <= cost * 1_000_000 - rate * tokens < 1_000_000


def test_a_rate_is_found_by_the_exact_name_only() -> None:
    table = RateTable(rates=(RATE,))
    assert table.rate_of("some-model") == RATE
    assert table.rate_of("some-model-2") is None
    assert table.rate_of("some") is None
    assert table.rate_of("Some-Model") is None
    assert RateTable().rate_of("some-model") is None


def test_each_field_of_a_rate_counts_for_its_hash() -> None:
    changes: list[dict[str, int | str]] = [
        {"model": "x"},
        {"input_micro_usd": 1},
        {"output_micro_usd": 1},
        {"source": "x"},
        {"date": "x"},
    ]
    assert len({rates_hash(RATE), *(rates_hash(msgspec.structs.replace(RATE, **change)) for change in changes)}) == 6


@pytest.mark.parametrize(
    "change",
    [
        {"input_micro_usd": -1},
        {"output_micro_usd": 10**10 + 1},
        {"output_micro_usd": 0.5},
        {"source": ""},
        {"key": "x"},
    ],
)
def test_a_rate_that_is_no_rate_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**msgspec.to_builtins(RATE), **change}, ModelRate)
