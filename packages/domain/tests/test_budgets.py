"""Limits and amounts are whole numbers; no limit, no amount and nothing allowed are three different things."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_domain.budgets import DEFAULT_LIMITS, HARD_CAPS, LIMIT_NAMES, NOTHING, Amounts, ModelUsage, RunLimits
from bearagent_domain.ids import INTEGER_MAX

COUNTS = st.integers(min_value=0, max_value=INTEGER_MAX // 2)
AMOUNTS = st.builds(Amounts, **dict.fromkeys(LIMIT_NAMES, COUNTS))


@given(AMOUNTS, AMOUNTS)
def test_a_sum_adds_every_amount(one: Amounts, other: Amounts) -> None:
    total = one.plus(other)
    for name in Amounts.__struct_fields__:
        assert getattr(total, name) == getattr(one, name) + getattr(other, name)


@given(AMOUNTS)
def test_adding_nothing_changes_nothing(amounts: Amounts) -> None:
    assert amounts.plus(NOTHING) == amounts == NOTHING.plus(amounts)


def test_what_can_be_spent_can_be_limited() -> None:
    assert Amounts.__struct_fields__ == LIMIT_NAMES
    assert set(LIMIT_NAMES) <= set(RunLimits.__struct_fields__)


def test_no_default_exceeds_its_hard_cap_and_cost_has_no_default() -> None:
    for name in RunLimits.__struct_fields__:
        default, cap = getattr(DEFAULT_LIMITS, name), getattr(HARD_CAPS, name)
        assert default is None if name == "cost_micro_usd" else default <= cap


def test_no_limit_and_nothing_allowed_stay_apart_when_stored() -> None:
    limits = RunLimits(tool_calls=0)
    read_back = msgspec.json.decode(msgspec.json.encode(limits), type=RunLimits)
    assert (read_back.tool_calls, read_back.model_calls) == (0, None)


@pytest.mark.parametrize(
    "limits", [{"tool_calls": -1}, {"tool_calls": 1.5}, {"tool_calls": 2**53}, {"concurrency": 0}, {"patience": 1}]
)
def test_a_limit_that_is_no_count_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"schema_version": 1, **limits}, RunLimits)


def test_unknown_cost_is_stored_as_null_and_never_as_zero() -> None:
    usage = ModelUsage(input_tokens=1, output_tokens=2)
    assert msgspec.json.decode(msgspec.json.encode(usage))["cost_micro_usd"] is None
