"""The fixed policy: default deny, low risk only, writes below outputs/ only; and the contract of every policy."""

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.tools import Effect, PreparedToolRequest, Resource
from bearagent_ports import Policy
from bearagent_runtime import FixedToolPolicy
from bearagent_testkit import FakeTool
from bearagent_testkit.contracts import PolicyContract


class TestFixedToolPolicy(PolicyContract):
    @pytest.fixture
    def policy(self) -> Policy:
        return FixedToolPolicy(["workspace.read", "workspace.write"])


def decided(effect: Effect, *writes: str, allowed: tuple[str, ...] = ("fake.echo",)) -> PolicyDecision:
    resources = tuple(Resource(kind="file", access="write", name=name) for name in writes)
    prepared = PreparedToolRequest(tool="fake.echo", arguments={}, resources=resources)
    return FixedToolPolicy(allowed).decide(FakeTool(effect=effect).spec, prepared)


def test_a_configured_harmless_tool_is_allowed() -> None:
    for effect in (Effect.NONE, Effect.WORKSPACE_READ):
        assert decided(effect).verdict is Verdict.ALLOW


def test_nothing_is_allowed_by_default() -> None:
    decision = decided(Effect.NONE, allowed=())
    assert decision.verdict is Verdict.DENY and decision.rule == "not_on_allowlist"
    assert decision.error is not None and decision.error.code is ErrorCode.TOOL_NOT_ALLOWED


@pytest.mark.parametrize(
    "effect", [Effect.NETWORK, Effect.EXTERNAL_WRITE, Effect.SANDBOXED_EXECUTION, Effect.HOST_EXECUTION]
)
def test_a_dangerous_effect_is_refused_even_when_configured(effect: Effect) -> None:
    decision = decided(effect)
    assert decision.verdict is Verdict.DENY and decision.rule == "effect_refused"


@pytest.mark.parametrize("path", ["outputs/report.md", "outputs/deep/er/x.md"])
def test_writes_below_outputs_are_allowed(path: str) -> None:
    assert decided(Effect.WORKSPACE_WRITE, path).verdict is Verdict.ALLOW


@pytest.mark.parametrize(
    "paths",
    [
        (),
        ("report.md",),
        ("outputs",),
        ("outputsx/a.md",),
        ("outputs/../a.md",),
        ("../outputs/a.md",),
        ("/outputs/a.md",),
        ("outputs/a.md", "b.md"),
    ],
)
def test_any_other_write_is_denied(paths: tuple[str, ...]) -> None:
    decision = decided(Effect.WORKSPACE_WRITE, *paths)
    assert decision.verdict is Verdict.DENY and decision.rule == "outputs_only"


def test_the_hash_changes_with_the_allowed_tools_only() -> None:
    hashes = {FixedToolPolicy(names).policy_hash for names in (["a"], ["a", "b"], ["b", "a"], ["a", "a"])}
    assert len(hashes) == 2
