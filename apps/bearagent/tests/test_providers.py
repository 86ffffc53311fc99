"""Providers by name, and what their models cost."""

import pytest

from bearagent.providers import model_profile, provider_named, rate_of
from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.models import ModelProfile
from bearagent_domain.prices import ModelRate, RateTable
from bearagent_domain.profiles import AgentConfig

PAID = ModelRate(model="m", input_micro_usd=3, output_micro_usd=4, source="price list", date="2026-11-01")


def test_without_a_wish_the_offline_model_answers() -> None:
    model = model_profile(AgentConfig())
    assert (model.provider, model.model) == ("offline", "extractive")
    assert provider_named(model).api == "offline"


def test_a_profile_says_how_the_model_is_asked() -> None:
    model = model_profile(AgentConfig(max_output_tokens=7, seed=1, temperature_milli=0))
    assert (model.max_output_tokens, model.seed, model.temperature_milli) == (7, 1, 0)


def test_a_provider_that_is_not_there_is_not_asked_for_its_usual_model() -> None:
    with pytest.raises(BearAgentError, match="no provider of that name"):
        model_profile(AgentConfig(provider="openai"))


@pytest.mark.parametrize(("provider", "model"), [("openai", "m"), ("offline", "m")])
def test_what_is_not_there_is_refused(provider: str, model: str) -> None:
    with pytest.raises(BearAgentError) as caught:
        provider_named(ModelProfile(provider=provider, model=model))
    assert caught.value.info.code is ErrorCode.PROVIDER_NOT_CONFIGURED


def test_the_offline_model_costs_nothing_and_others_what_their_row_says() -> None:
    rates = RateTable(rates=(PAID,))
    offline = rate_of(ModelProfile(provider="offline", model="extractive"), rates)
    assert offline is not None and offline.input_micro_usd == offline.output_micro_usd == 0
    assert rate_of(ModelProfile(provider="openai", model="m"), rates) is PAID
    assert rate_of(ModelProfile(provider="openai", model="n"), rates) is None
