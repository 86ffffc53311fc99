"""`workspace.write`: one text file below `outputs/`, replaced as a whole, and the evidence of it when in doubt."""

import time
from collections.abc import Callable
from functools import partial

from bearagent_domain.artifacts import Artifact
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import ArtifactId
from bearagent_domain.json_values import JsonObject, is_storable_text, sha256_hex
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, Resource, RetrySafety, ToolResult, ToolSpec
from bearagent_ports.reconciler import Done, Finding, NotDone, Unknown
from bearagent_ports.tool import CallContext, CallRefused, ToolFailed
from bearagent_workspace_tools.arguments import object_schema, require_fields, text_of
from bearagent_workspace_tools.directories import Workspace
from bearagent_workspace_tools.paths import normalised, parts_of, require_writable
from bearagent_workspace_tools.staging import replace_file
from bearagent_workspace_tools.targets import check_names, target_at
from bearagent_workspace_tools.workers import READ_GRACE_MS, check_time, run_worker

CONTENT_BYTES_MAX = 524_288
LINE_BYTES_MAX = 65_536
TIMEOUT_MS = 60_000
RECONCILE_MS_MAX = 30_000

_SPEC = ToolSpec(
    name="workspace.write",
    spec_version="1.0.0",
    description=(
        "Write a text file below outputs/, whole: it is made, or replaced in one step. UTF-8 text without NUL, at most "
        "524,288 bytes, a line at most 65,536 bytes."
    ),
    input_schema=object_schema(
        {
            "path": {"type": "string", "description": "File below outputs/, e.g. outputs/report.md"},
            "content": {"type": "string", "description": "The whole text of the file"},
        },
        ["path", "content"],
    ),
    effect=Effect.WORKSPACE_WRITE,
    retry=RetrySafety.NOT_SAFE,
    timeout_ms=TIMEOUT_MS,
    result_bytes_max=131_072,
)


class WriteTool:
    """Writes. `prepare`, `intend` and every refusal leave the file system untouched."""

    def __init__(self, workspace: Workspace, new_artifact_id: Callable[[], str]) -> None:
        self._workspace = workspace
        self._new_artifact_id = new_artifact_id

    @property
    def spec(self) -> ToolSpec:
        """Constant."""
        return _SPEC

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """The path, normalised and below `outputs/`, and a content within the limits."""
        require_fields(arguments, required=("path", "content"))
        path = normalised(arguments["path"])
        require_writable(path)
        content = text_of(arguments, "content")
        _require_content(content)
        resource = Resource(kind="file", access="write", name=path)
        return PreparedToolRequest(tool=_SPEC.name, arguments={"path": path, "content": content}, resources=(resource,))

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """Path, size, hash and new id of the artifact, and the hash of the file that stands there now."""
        path, data = _file_of(prepared)
        work = partial(_prior_of, self._workspace, path, partial(check_time, call))
        prior = await run_worker(call, work, grace_ms=READ_GRACE_MS, may_write=False)
        return Intent(
            path=path,
            size=len(data),
            sha256=sha256_hex(data),
            prior_sha256=prior,
            artifact_id=ArtifactId(self._new_artifact_id()),
        )

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """The artifact, once its bytes and its name are on disk."""
        path, data = _file_of(prepared)
        result = _result_of(intent)
        work = partial(replace_file, self._workspace, parts_of(path), data, intent.prior_sha256, call)
        await run_worker(call, work, grace_ms=TIMEOUT_MS, may_write=True)
        return result


class WriteReconciler:
    """Tells by the bytes at the target what became of a write."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def reconcile(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> Finding:
        """The intended bytes are there: done, also when they were before. The prior state: not done. Else unknown."""
        path, _ = _file_of(prepared)
        # The call may be stopped and out of time already: looking has its own.
        looking = CallContext(
            run_id=call.run_id,
            activity_id=call.activity_id,
            attempt=call.attempt,
            deadline_ms=int(time.monotonic() * 1_000) + RECONCILE_MS_MAX,
        )
        work = partial(target_at, self._workspace, parts_of(path), partial(check_time, looking))
        try:
            target = await run_worker(looking, work, grace_ms=READ_GRACE_MS, may_write=False)
        except ToolFailed as error:
            return Unknown(evidence=f"The target could not be read ({error.info.code}).")
        if target.sha256 == intent.sha256:
            return Done(result=_result_of(intent), evidence="The target holds exactly the intended bytes.")
        if target.sha256 == intent.prior_sha256:
            was = "There is no file at the target, as before." if target.sha256 is None else "The target is as before."
            return NotDone(evidence=was)
        return Unknown(evidence="The target holds neither the intended bytes nor those from before.")


def _require_content(content: str) -> None:
    if not is_storable_text(content):
        message = "The content holds NUL or half of a surrogate pair, so it is no UTF-8 text."
        raise CallRefused(failure(ErrorCode.CONTENT_NOT_TEXT, message))
    data = content.encode()
    if len(data) > CONTENT_BYTES_MAX:
        message = f"The content has {len(data):,} bytes, more than {CONTENT_BYTES_MAX:,}. Write it as several files."
        raise CallRefused(failure(ErrorCode.CONTENT_TOO_LARGE, message))
    for number, line in enumerate(data.split(b"\n"), start=1):
        if len(line) > LINE_BYTES_MAX:
            message = f"Line {number} has more than {LINE_BYTES_MAX:,} bytes. Break it into several lines."
            raise CallRefused(failure(ErrorCode.LINE_TOO_LONG, message))


def _file_of(prepared: PreparedToolRequest) -> tuple[str, bytes]:
    path, content = prepared.arguments["path"], prepared.arguments["content"]
    assert isinstance(path, str) and isinstance(content, str), "prepare gave texts"
    return path, content.encode()


def _prior_of(workspace: Workspace, path: str, check: Callable[[], None]) -> str | None:
    check_names(workspace, parts_of(path), check)
    return target_at(workspace, parts_of(path), check).sha256


def _result_of(intent: Intent) -> ToolResult:
    path, size, sha256, artifact_id = intent.path, intent.size, intent.sha256, intent.artifact_id
    assert path is not None and size is not None and sha256 is not None and artifact_id is not None
    return ToolResult(
        content=f"Wrote {path}: {size} bytes.",
        facts={"path": path, "size": size, "sha256": sha256},
        artifact=Artifact(artifact_id=artifact_id, path=path, size=size, sha256=sha256),
    )
