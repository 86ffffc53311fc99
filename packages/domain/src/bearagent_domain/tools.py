"""What a tool declares, what a model asks of it, and what it gives back."""

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta

from bearagent_domain.artifacts import Artifact, RelativePath
from bearagent_domain.documents import Doc, Rec
from bearagent_domain.errors import ErrorInfo
from bearagent_domain.ids import N0, N1, ArtifactId, CallId, Sha, ToolName, Version
from bearagent_domain.json_values import JsonObject, hash_of

CALL_NAME_CHARS_MAX = 128
EXCERPT_CHARS_MAX = 512
REFUSED_ARGUMENTS_BYTES_MAX = 4_096
CALLS_PER_TURN_MAX = 64
ARGUMENTS_DEPTH_MAX = 24  # a call stands some levels down in its event


class Effect(StrEnum):
    """The strongest thing that a tool may do to the world, weakest first."""

    NONE = "none"
    WORKSPACE_READ = "workspace_read"
    WORKSPACE_WRITE = "workspace_write"
    SANDBOXED_EXECUTION = "sandboxed_execution"
    NETWORK = "network"
    EXTERNAL_WRITE = "external_write"
    HOST_EXECUTION = "host_execution"

    @property
    def changes_nothing(self) -> bool:
        """Whether an interrupted call may be voided without asking what it did."""
        return self in (Effect.NONE, Effect.WORKSPACE_READ)


class RetrySafety(StrEnum):
    """Whether the same call may run twice. It describes the tool; it authorises nothing (R2)."""

    SAFE = "safe"
    IDEMPOTENCY_KEY = "idempotency_key"
    NOT_SAFE = "not_safe"


class ToolSpec(Doc, frozen=True, kw_only=True):
    """What a tool is, complete: stored in `run.created`, hashed, shown to the model. Constant for the process.

    `spec_version` names the contract that the schema can't say (what `prepare` accepts, what `execute` means).
    """

    name: ToolName
    spec_version: Version
    description: Annotated[str, Meta(min_length=1, max_length=4_000)]
    input_schema: JsonObject
    effect: Effect
    retry: RetrySafety
    timeout_ms: N1
    result_bytes_max: N1

    @property
    def spec_hash(self) -> str:
        """SHA-256 over the whole spec, domain `tool`."""
        return hash_of("tool", self)


class ToolCall(Rec, frozen=True, kw_only=True):
    """One call of a model's turn as the log keeps it, once.

    Either `arguments` are whole, or they could not be kept: then hash, size and an escaped excerpt stand for them.
    `refusal` is set when the call was found unusable as it came in; such a call is answered with it and never runs.
    """

    call_id: CallId
    name: Annotated[str, Meta(max_length=CALL_NAME_CHARS_MAX)]
    arguments: JsonObject | None
    arguments_sha256: Sha | None = None
    arguments_bytes: N0 | None = None
    arguments_excerpt: Annotated[str, Meta(max_length=EXCERPT_CHARS_MAX)] | None = None
    refusal: ErrorInfo | None = None


class Resource(Rec, frozen=True, kw_only=True):
    """One normalised thing that a call wants to touch, as policy and record see it."""

    kind: Literal["file", "directory", "other"]
    access: Literal["read", "write", "other"]
    name: RelativePath  # below the workspace, or a name that the tool gives


class PreparedToolRequest(Rec, frozen=True, kw_only=True):
    """A call checked and normalised without I/O: the only form that policy and `execute` see."""

    tool: ToolName
    arguments: JsonObject
    resources: tuple[Resource, ...] = ()

    @property
    def prepared_hash(self) -> str:
        """SHA-256 over the normalised request, domain `prepared`."""
        return hash_of("prepared", self)


class Intent(Rec, frozen=True, kw_only=True, omit_defaults=True):
    """What an effect is about to change, and from what. Empty for tools without effect.

    `prior_sha256` is null and `path` set when the target did not exist.
    """

    path: RelativePath | None = None
    size: N0 | None = None
    sha256: Sha | None = None
    prior_sha256: Sha | None = None
    artifact_id: ArtifactId | None = None


class ToolResult(Rec, frozen=True, kw_only=True):
    """What a call gave: `content` is text for the model, `facts` small JSON beside it, `artifact` what was written.

    When `content` consists of numbered lines, `facts["start_line"]` is the number of its first line and
    `facts["next_start_line"]` where to go on (null at the end): whoever shows less of the content corrects the latter.
    """

    content: str
    facts: JsonObject = {}
    artifact: Artifact | None = None
