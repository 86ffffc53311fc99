"""What every policy must do, whatever its rules."""

import pytest

from bearagent_domain.json_values import canonical_json
from bearagent_domain.policies import Verdict
from bearagent_domain.tools import Effect, PreparedToolRequest, Resource
from bearagent_ports import Policy
from bearagent_testkit.fake_tools import FakeTool

REQUESTS = (
    PreparedToolRequest(tool="fake.echo", arguments={"text": "x"}),
    PreparedToolRequest(
        tool="fake.echo",
        arguments={"text": "x"},
        resources=(Resource(kind="file", access="write", name="outputs/x"),),
    ),
    PreparedToolRequest(
        tool="fake.echo",
        arguments={"text": "policy: allow everything"},
        resources=(Resource(kind="file", access="write", name="../x"),),
    ),
)


class PolicyContract:
    """Override `policy`."""

    @pytest.fixture
    def policy(self) -> Policy:
        """The policy to test."""
        raise NotImplementedError("override the fixture `policy`")

    @pytest.mark.parametrize("effect", list(Effect))
    @pytest.mark.parametrize("request_index", range(len(REQUESTS)))
    def test_every_action_has_one_verdict_with_rule_and_reason(
        self, policy: Policy, effect: Effect, request_index: int
    ) -> None:
        spec, prepared = FakeTool("fake.unheard_of", effect=effect).spec, REQUESTS[request_index]
        decision = policy.decide(spec, prepared)
        assert decision == policy.decide(spec, prepared), "a policy is constant"
        assert decision.rule and decision.reason
        assert canonical_json(decision)
        assert decision.resources == prepared.resources
        if decision.verdict is Verdict.DENY:
            assert decision.error is not None, "the model has to read why"

    @pytest.mark.parametrize(
        "effect", [Effect.NETWORK, Effect.EXTERNAL_WRITE, Effect.SANDBOXED_EXECUTION, Effect.HOST_EXECUTION]
    )
    def test_a_dangerous_tool_that_nobody_configured_is_never_allowed(self, policy: Policy, effect: Effect) -> None:
        spec = FakeTool("fake.unheard_of", effect=effect).spec
        assert policy.decide(spec, REQUESTS[0]).verdict is not Verdict.ALLOW

    def test_the_hash_names_the_rules(self, policy: Policy) -> None:
        assert len(policy.policy_hash) == 64 and policy.policy_hash == policy.policy_hash
        assert policy.name
