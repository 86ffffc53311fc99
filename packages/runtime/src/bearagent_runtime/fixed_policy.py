"""The fixed policy: default deny. It allows configured tools of low risk, and writes below `outputs/` only."""

from collections.abc import Iterable

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.json_values import hash_of
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.tools import Effect, PreparedToolRequest, ToolSpec

OUTPUTS = "outputs/"
LOW_RISK = (Effect.NONE, Effect.WORKSPACE_READ, Effect.WORKSPACE_WRITE)


class FixedToolPolicy:
    """Judges by the tool's trusted spec and the normalised request alone; nothing that a model writes can change it."""

    def __init__(self, allowed: Iterable[str]) -> None:
        self._allowed = tuple(sorted(set(allowed)))

    @property
    def name(self) -> str:
        """As the fingerprint names it."""
        return "fixed"

    @property
    def policy_hash(self) -> str:
        """SHA-256 over the rules and the allowed tools, domain `policy`."""
        rules = {"name": self.name, "allowed": self._allowed, "effects": LOW_RISK, "writes": OUTPUTS}
        return hash_of("policy", rules)

    def decide(self, spec: ToolSpec, prepared: PreparedToolRequest) -> PolicyDecision:
        """Deny first: a dangerous effect, a tool that was not configured, a write elsewhere. Then allow."""
        if spec.effect not in LOW_RISK:
            reason = f"Tools with the effect {spec.effect.value} are never allowed by this policy."
            return _denied(prepared, "effect_refused", ErrorCode.TOOL_EFFECT_REFUSED, reason)
        if spec.name not in self._allowed:
            reason = "This tool is not among those that the run may use."
            return _denied(prepared, "not_on_allowlist", ErrorCode.TOOL_NOT_ALLOWED, reason)
        if spec.effect is Effect.WORKSPACE_WRITE and not _writes_to_outputs_only(prepared):
            reason = "Writing is allowed below outputs/ only."
            return _denied(prepared, "outputs_only", ErrorCode.WRITE_OUTSIDE_OUTPUTS, reason)
        reason = f"The tool is configured, and its effect is {spec.effect.value}."
        return PolicyDecision(verdict=Verdict.ALLOW, rule="allowed_tool", reason=reason, resources=prepared.resources)


def _writes_to_outputs_only(prepared: PreparedToolRequest) -> bool:
    writes = [resource.name for resource in prepared.resources if resource.access != "read"]
    return bool(writes) and all(name.startswith(OUTPUTS) and ".." not in name.split("/") for name in writes)


def _denied(prepared: PreparedToolRequest, rule: str, code: ErrorCode, reason: str) -> PolicyDecision:
    return PolicyDecision(
        verdict=Verdict.DENY,
        rule=rule,
        reason=reason,
        resources=prepared.resources,
        error=failure(code, reason),
    )
