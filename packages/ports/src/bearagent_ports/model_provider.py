"""The port of model providers."""

from collections.abc import AsyncGenerator
from typing import Protocol

from bearagent_domain.errors import BearAgentError
from bearagent_domain.models import ModelEvent, ModelRequest


class ProviderFailed(BearAgentError):
    """The call gave no usable answer. `info` is safe to show; `info.retryable` describes, it authorises nothing."""


class ModelProvider(Protocol):
    """Asks one model. Contract suite: `bearagent_testkit.contracts.ModelProviderContract`."""

    @property
    def api(self) -> str:
        """The name of the wire interface, for the record: at most 40 of a-z, 0-9 and _, a letter first."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """The answer, piece by piece, ended by `Finished` (usage may follow). Whoever iterates closes it.

        Never retries. Raises `ProviderFailed` for anything that goes wrong; cancellation passes through.
        """
