"""The port of policies: may this normalised action happen?"""

from typing import Protocol

from bearagent_domain.policies import PolicyDecision
from bearagent_domain.tools import PreparedToolRequest, ToolSpec


class Policy(Protocol):
    """Pure, and constant for a run. Contract suite: `bearagent_testkit.contracts.PolicyContract`."""

    @property
    def name(self) -> str:
        """How the fingerprint names this policy."""

    @property
    def policy_hash(self) -> str:
        """SHA-256 over all that its decisions depend on."""

    def decide(self, spec: ToolSpec, prepared: PreparedToolRequest) -> PolicyDecision:
        """The verdict on one action, by the trusted `spec` and the normalised request alone. Never raises."""
