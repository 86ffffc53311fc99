"""Logs without a runtime: commands decided, sealed and projected one after another, for tests of stores and readers."""

from bearagent_domain.artifacts import Artifact
from bearagent_domain.budgets import DEFAULT_LIMITS, Amounts, ModelUsage
from bearagent_domain.commands import (
    Command,
    CompleteModel,
    CompleteTool,
    CreateRun,
    DecidePolicy,
    FinishRun,
    RequestModel,
    RequestTool,
    StartActivity,
)
from bearagent_domain.events import RunCreated
from bearagent_domain.ids import NO_HASH, ActivityId, ArtifactId, CallId, RunId, SessionId, TaskId
from bearagent_domain.json_values import hash_of, sha256_hex
from bearagent_domain.models import FinishReason, ModelProfile, ModelResponse, RequestManifest
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.records import Head, RecordedEvent, seal
from bearagent_domain.rows import Binding
from bearagent_domain.snapshots import (
    ApplicationRef,
    RunConfigSnapshot,
    RunFingerprint,
    RunIdentity,
    sealed_snapshot,
)
from bearagent_domain.tools import Intent, ToolCall, ToolResult
from bearagent_ports import Append
from bearagent_reducer import NEW_RUN, RowProjection, decide
from bearagent_testkit.fixed_sources import CountingIds, FixedClock

SAMPLE_BINDING = Binding(workspace="/workspace", workspace_identity="1:2", provider="scripted", api="scripted")


class SampleRun:
    """One run that grows by commands; `take` gives what waits as one append."""

    def __init__(self, ids: CountingIds, clock: FixedClock, *, objective: str = "Write a report.") -> None:
        self._ids = ids
        self._clock = clock
        self._rows = RowProjection()
        self._pending: list[RecordedEvent] = []
        self._taken = 0
        self.created = sample_created(ids, objective)
        self.run_id: RunId = self.created.identity.run_id
        self.state = NEW_RUN
        self.head = Head()
        self.records: list[RecordedEvent] = []

    def do(self, *commands: Command) -> None:
        """Decide and seal; raises what `decide` raises."""
        for command in commands:
            for step in decide(self.state, command):
                record = seal(self.run_id, self.head, self._clock.now(), step.activity_id, step.event)
                self.head = self.head.after(record)
                self.state = step.after
                self._rows.add(record, step.after)
                self.records.append(record)
                self._pending.append(record)

    def begin(self) -> None:
        """Create and start."""
        self.do(CreateRun(created=self.created))

    def turn(self, *call_names: str, text: str = "") -> None:
        """A model call that answers with these tool calls."""
        activity_id = ActivityId(self._ids.new_id())
        calls = tuple(
            ToolCall(call_id=CallId(f"call_{self.state.sequence}_{index}"), name=name, arguments={"text": "x"})
            for index, name in enumerate(call_names)
        )
        finish = FinishReason.TOOL_CALLS if calls else FinishReason.STOP
        self.do(
            RequestModel(
                activity_id=activity_id,
                manifest=sample_manifest(),
                held=Amounts(model_calls=1, input_tokens=100, output_tokens=4_096),
            ),
            StartActivity(activity_id=activity_id),
            CompleteModel(
                activity_id=activity_id,
                response=ModelResponse(text=text, calls=calls, finish=finish),
                usage=ModelUsage(input_tokens=10, output_tokens=5),
                active_ms=3,
            ),
        )

    def answer(self, *, path: str | None = None, content: str = "done") -> None:
        """The next call of the turn, allowed and completed; with a `path`, it has written `content` there."""
        activity_id = ActivityId(self._ids.new_id())
        artifact, intent = None, Intent()
        if path is not None:
            data = content.encode()
            artifact_id = ArtifactId(self._ids.new_id())
            artifact = Artifact(artifact_id=artifact_id, path=path, size=len(data), sha256=sha256_hex(data))
            intent = Intent(path=path, size=len(data), sha256=artifact.sha256, artifact_id=artifact_id)
        decision = PolicyDecision(verdict=Verdict.ALLOW, rule="allowed_tool", reason="It is configured.")
        self.do(
            RequestTool(activity_id=activity_id, call=self.state.open_calls[0]),
            DecidePolicy(activity_id=activity_id, decision=decision),
            StartActivity(activity_id=activity_id, intent=intent),
            CompleteTool(activity_id=activity_id, result=ToolResult(content=content, artifact=artifact), active_ms=2),
        )

    def finish(self) -> None:
        """A last answer, and the end."""
        self.turn(text="It is written.")
        self.do(FinishRun())

    def take(self) -> Append:
        """What waits, as the append that stores it."""
        events = tuple(self._pending)
        part = Append(
            run_id=self.run_id,
            expected_sequence=self._taken,
            events=events,
            rows=self._rows.take(),
            binding=SAMPLE_BINDING if self._taken == 0 else None,
        )
        self._pending.clear()
        self._taken += len(events)
        return part


def sample_run(ids: CountingIds, clock: FixedClock, *, objective: str = "Write a report.") -> SampleRun:
    """A whole successful run: two tools, one of which writes a file, and an answer."""
    run = SampleRun(ids, clock, objective=objective)
    run.begin()
    run.turn("fake.echo", "fake.write")
    run.answer()
    run.answer(path="outputs/report.md", content="# Report\n")
    run.finish()
    return run


def sample_created(ids: CountingIds, objective: str = "Write a report.") -> RunCreated:
    """The first event of a plain run without tools."""
    run_id = RunId(ids.new_id())
    snapshot = RunConfigSnapshot(
        application=ApplicationRef(
            application_id="bearagent-plain", application_version="1.0.0", config_hash=hash_of("plain", "sample")
        ),
        role="bearagent-plain/agent",
        role_hash=hash_of("plain_role", "sample"),
        model=ModelProfile(provider="scripted", model="script"),
        tools=(),
        capabilities=(),
        policy_hash=NO_HASH,
        limits=DEFAULT_LIMITS,
        context_chars_max=524_288,
    )
    return RunCreated(
        identity=RunIdentity(
            run_id=run_id,
            root_run_id=run_id,
            parent_run_id=None,
            task_id=TaskId(ids.new_id()),
            depth=0,
            uid="owner",
            session_id=SessionId(ids.new_id()),
        ),
        snapshot=sealed_snapshot(snapshot),
        objective=objective,
        system_text="Work.",
        tools=(),
        fingerprint=RunFingerprint(packages=(), policy="fixed", policy_hash=NO_HASH, tools=()),
    )


def sample_manifest() -> RequestManifest:
    """The manifest of some request."""
    return RequestManifest(
        provider="scripted",
        model="script",
        api="scripted",
        max_output_tokens=4_096,
        tools_hash=NO_HASH,
        transcript_hash=NO_HASH,
    )
