"""Model providers by name, each imported when it is asked for, and what their models cost."""

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.models import OUTPUT_TOKENS_DEFAULT, ModelProfile
from bearagent_domain.prices import ModelRate, RateTable
from bearagent_domain.profiles import AgentConfig
from bearagent_ports import ModelProvider

OFFLINE = "offline"
OFFLINE_MODEL = "extractive"
OFFLINE_RATE = ModelRate(
    model=OFFLINE_MODEL, input_micro_usd=0, output_micro_usd=0, source="built in", date="2026-12-01"
)

_UNKNOWN = f"There is no provider of that name. Known: {OFFLINE}."


def provider_named(model: ModelProfile) -> ModelProvider:
    """The provider that answers for `model`. Raises `BearAgentError` with `provider_not_configured`."""
    if model.provider != OFFLINE:
        raise _not_configured(_UNKNOWN)
    if model.model != OFFLINE_MODEL:
        raise _not_configured(f"The offline provider has one model: {OFFLINE_MODEL}.")
    from bearagent_offline_provider import OfflineProvider

    return OfflineProvider()


def model_profile(agent: AgentConfig) -> ModelProfile:
    """The model that `agent` asks for, or the offline one. Raises `BearAgentError` with `provider_not_configured`."""
    provider = agent.provider or OFFLINE
    if agent.model is None and provider != OFFLINE:
        raise _not_configured(_UNKNOWN)  # only a provider that there is could be asked for its usual model
    return ModelProfile(
        provider=provider,
        model=agent.model or OFFLINE_MODEL,
        max_output_tokens=agent.max_output_tokens or OUTPUT_TOKENS_DEFAULT,
        temperature_milli=agent.temperature_milli,
        seed=agent.seed,
    )


def rate_of(model: ModelProfile, rates: RateTable) -> ModelRate | None:
    """What `model` costs: the offline one nothing, others as the user's rates say; null when nobody says."""
    return OFFLINE_RATE if model.provider == OFFLINE else rates.rate_of(model.model)


def _not_configured(message: str) -> BearAgentError:
    return BearAgentError(failure(ErrorCode.PROVIDER_NOT_CONFIGURED, message))
