"""The union of events is closed; each event reads back from its own bytes and takes no field that it does not know."""

import re
from typing import get_args

import msgspec
import pytest

from bearagent_domain.artifacts import Artifact
from bearagent_domain.budgets import DEFAULT_LIMITS, Amounts, ModelUsage
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.events import (
    EVENT_TYPES,
    ActivityCancelled,
    ActivityCompleted,
    ActivityEvent,
    ActivityFailed,
    ActivityOutcomeUnknown,
    ActivityReconciled,
    ActivityRequested,
    ActivityResolved,
    ActivityStarted,
    AnyEvent,
    BudgetExhausted,
    ModelOutcome,
    ModelWork,
    PolicyDecided,
    RunCancelled,
    RunCancelRequested,
    RunCreated,
    RunEvent,
    RunFailed,
    RunLimitsRaised,
    RunResumed,
    RunResumeRefused,
    RunStarted,
    RunSucceeded,
    RunSuspended,
    RunWaiting,
    ToolOutcome,
    ToolWork,
)
from bearagent_domain.ids import NO_HASH, ActivityId, ArtifactId, CallId, CommandId, RunId, SessionId, TaskId
from bearagent_domain.json_values import canonical_json
from bearagent_domain.models import FinishReason, ModelProfile, ModelResponse, RequestManifest
from bearagent_domain.policies import Verdict
from bearagent_domain.snapshots import (
    ApplicationRef,
    FingerprintPart,
    RunConfigSnapshot,
    RunFingerprint,
    RunIdentity,
    ToolPin,
    sealed_snapshot,
)
from bearagent_domain.tools import Effect, Intent, Resource, RetrySafety, ToolCall, ToolResult, ToolSpec
from bearagent_domain.upcasters import decoded_event

ID = "11111111-1111-4111-8111-111111111111"
COMMAND = CommandId(ID)
CALL = CallId("call_1")
ERROR = failure(ErrorCode.IO_ERROR, "The disk did not answer.", path="a.md")
SPEC = ToolSpec(
    name="notes.read",
    spec_version="1.0.0",
    description="Read a note.",
    input_schema={"type": "object"},
    effect=Effect.WORKSPACE_READ,
    retry=RetrySafety.SAFE,
    timeout_ms=1_000,
    result_bytes_max=65_536,
)
PIN = ToolPin(name=SPEC.name, spec_hash=SPEC.spec_hash)
SNAPSHOT = sealed_snapshot(
    RunConfigSnapshot(
        application=ApplicationRef(application_id="bearagent-plain", application_version="1.0.0", config_hash=NO_HASH),
        role="bearagent-plain/agent",
        role_hash=NO_HASH,
        model=ModelProfile(provider="offline", model="extractive"),
        tools=(PIN,),
        capabilities=(SPEC.name,),
        policy_hash=NO_HASH,
        limits=DEFAULT_LIMITS,
        context_chars_max=524_288,
        timeouts_s=(("model_total", 600),),
    )
)
MANIFEST = RequestManifest(
    provider="offline",
    model="extractive",
    api="offline",
    max_output_tokens=4_096,
    included=((3, 9),),
    cut=((9, 1_024),),
    tools_hash=NO_HASH,
    transcript_hash=NO_HASH,
)
ARTIFACT = Artifact(artifact_id=ArtifactId(ID), path="outputs/report.md", size=3, sha256=NO_HASH)
RESOURCE = Resource(kind="file", access="read", name="a.md")
EXAMPLES: tuple[AnyEvent, ...] = (
    RunCreated(
        identity=RunIdentity(
            run_id=RunId(ID),
            root_run_id=RunId(ID),
            parent_run_id=None,
            task_id=TaskId(ID),
            depth=0,
            uid="owner",
            session_id=SessionId(ID),
        ),
        snapshot=SNAPSHOT,
        objective="Read the notes.",
        system_text="Work.",
        tools=(SPEC,),
        fingerprint=RunFingerprint(
            packages=(FingerprintPart(name="bearagent", version="0.1.0"),),
            policy="fixed",
            policy_hash=NO_HASH,
            tools=(PIN,),
        ),
    ),
    RunStarted(),
    RunWaiting(kind="approval", ref=ID),
    RunSuspended(reason="budget", error=ERROR, active_ms=5, command_id=COMMAND),
    RunResumed(cause="crash", workspace_replaced=True),
    RunResumeRefused(code="policy_changed", expected="one", found="other"),
    RunCancelRequested(reason="Enough.", command_id=COMMAND),
    RunCancelled(reason="Enough."),
    RunLimitsRaised(amounts=Amounts(tool_calls=10), reason="More files."),
    RunSucceeded(),
    RunFailed(error=ERROR),
    ActivityRequested(held=Amounts(model_calls=1), work=ModelWork(manifest=MANIFEST, request_hash=NO_HASH)),
    ActivityRequested(
        attempt=2,
        cause="interrupted",
        held=Amounts(tool_calls=1),
        work=ToolWork(call_id=CALL, name=SPEC.name, source_activity_id=ActivityId(ID), arguments_hash=NO_HASH),
    ),
    PolicyDecided(verdict=Verdict.ALLOW, rule="allowed_tool", reason="It is configured.", resources=(RESOURCE,)),
    ActivityStarted(intent=Intent(path="outputs/report.md", size=3, sha256=NO_HASH, artifact_id=ArtifactId(ID))),
    ActivityCompleted(
        outcome=ModelOutcome(
            response=ModelResponse(
                text="Reading.",
                calls=(ToolCall(call_id=CALL, name=SPEC.name, arguments={"path": "a.md", "ratio": 0.5}),),
                finish=FinishReason.TOOL_CALLS,
            ),
            usage=ModelUsage(input_tokens=1, output_tokens=2, cost_micro_usd=3),
        )
    ),
    ActivityCompleted(active_ms=7, outcome=ToolOutcome(result=ToolResult(content="done", artifact=ARTIFACT))),
    ActivityFailed(error=ERROR),
    ActivityCancelled(cause="interrupted"),
    ActivityOutcomeUnknown(error=ERROR),
    ActivityReconciled(finding="done", evidence="The bytes are there.", result=ToolResult(content="done")),
    ActivityResolved(as_="retry", reason="I looked.", by="owner", command_id=COMMAND),
    BudgetExhausted(limit="tool_calls", allowed=3, needed=4),
)


def named(event: AnyEvent) -> str:
    return event.TYPE


def test_the_table_of_types_is_the_union() -> None:
    assert set(EVENT_TYPES) == set(get_args(AnyEvent))
    assert set(get_args(RunEvent)) | set(get_args(ActivityEvent)) | {BudgetExhausted} == set(EVENT_TYPES)
    assert len(EVENT_TYPES) == len(set(EVENT_TYPES))


def test_the_examples_show_every_event() -> None:
    assert {type(event) for event in EXAMPLES} == set(EVENT_TYPES)


def test_each_type_is_a_group_and_a_name_and_stands_once() -> None:
    types = [event_type.TYPE for event_type in EVENT_TYPES]
    assert len(types) == len(set(types))
    assert [] == [type_ for type_ in types if not re.fullmatch(r"(run|activity|policy|budget)\.[a-z_]+", type_)]


@pytest.mark.parametrize("event", EXAMPLES, ids=named)
def test_an_event_reads_back_from_its_own_bytes(event: AnyEvent) -> None:
    assert decoded_event(event.TYPE, event.VERSION, canonical_json(event)) == event


@pytest.mark.parametrize("event", EXAMPLES, ids=named)
def test_an_event_takes_no_field_that_it_does_not_know(event: AnyEvent) -> None:
    payload = msgspec.json.encode({**msgspec.to_builtins(event), "extra": 1})
    with pytest.raises(msgspec.ValidationError):
        decoded_event(event.TYPE, event.VERSION, payload)


@pytest.mark.parametrize("event", EXAMPLES, ids=named)
def test_a_part_of_an_event_takes_no_field_that_it_does_not_know(event: AnyEvent) -> None:
    plain = msgspec.to_builtins(event)
    for key, value in plain.items():
        if isinstance(value, dict):
            payload = msgspec.json.encode({**plain, key: {**value, "extra": 1}})
            with pytest.raises(msgspec.ValidationError):
                decoded_event(event.TYPE, event.VERSION, payload)


def test_a_resolution_is_stored_under_the_word_as() -> None:
    event = ActivityResolved(as_="failed", reason="I looked.", by="owner", command_id=COMMAND)
    assert b'"as":"failed"' in canonical_json(event)


def test_amounts_that_are_zero_and_an_empty_intent_take_no_room() -> None:
    assert canonical_json(RunLimitsRaised(amounts=Amounts(tool_calls=1), reason="x")) == (
        b'{"amounts":{"tool_calls":1},"command_id":null,"reason":"x"}'
    )
    assert canonical_json(ActivityStarted(intent=Intent())) == b'{"intent":{}}'


@pytest.mark.parametrize(
    ("type_", "payload"),
    [
        ("run.suspended", b'{"reason":"tired"}'),
        ("run.resumed", b'{"cause":"whim"}'),
        ("run.failed", b'{"error":{"code":"no_such_code","message":"x"}}'),
        ("activity.requested", b'{"held":{},"work":{"kind":"approval"}}'),
        ("activity.completed", b'{"outcome":{"kind":"tool","result":{"content":1}}}'),
        ("budget.exhausted", b'{"limit":"patience","allowed":1,"needed":2}'),
        ("policy.decided", b'{"verdict":"perhaps","rule":"a","reason":"b"}'),
        ("run.started", b'{"note":"x"}'),
        ("run.started", b"[]"),
    ],
)
def test_a_payload_with_a_word_outside_its_set_is_refused(type_: str, payload: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        decoded_event(type_, 1, payload)
