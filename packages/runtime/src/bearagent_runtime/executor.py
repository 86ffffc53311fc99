"""One effect, exactly once: deadline, cancellation, size limit, safe errors, and doubt where nobody can tell (R2)."""

import asyncio
from typing import TypeAlias

from bearagent_domain.documents import Rec, as_stored
from bearagent_domain.errors import BearAgentError, ErrorCode, ErrorInfo, failure
from bearagent_domain.json_values import JsonRefused, canonical_json
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolResult, ToolSpec
from bearagent_ports import CallContext, Clock, OutcomeUnknown, Tool, ToolFailed
from bearagent_runtime.bounded_waits import GRACE_SECONDS, ended_within
from bearagent_runtime.foreign_code import foreign_code, storable_error
from bearagent_runtime.registry import RegisteredTool


class Succeeded(Rec, frozen=True, kw_only=True):
    """The tool gave a result that can be stored."""

    result: ToolResult


class Failed(Rec, frozen=True, kw_only=True):
    """Provably nothing happened."""

    error: ErrorInfo


class Doubtful(Rec, frozen=True, kw_only=True):
    """Something may have happened. Only after its worker has ended can looking at the world settle it."""

    error: ErrorInfo
    worker_ended: bool


class Interrupted(Rec, frozen=True, kw_only=True):
    """The caller cancelled, and the tool provably did nothing."""


Outcome: TypeAlias = Succeeded | Failed | Doubtful | Interrupted


class ResultRefused(BearAgentError):
    """A result that the record has no place for. The effect that it belongs to has happened anyway."""


class Executor:
    """Runs tools. It retries nothing and knows no policy."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def execute_once(
        self, tool: RegisteredTool, prepared: PreparedToolRequest, call: CallContext, intent: Intent
    ) -> tuple[Outcome, bool]:
        """What came of one call of the tool's `execute`, and whether the caller was cancelled meanwhile.

        The tool keeps its own deadline; one that does not is cancelled a grace later. On cancellation of the caller
        the tool is cancelled and awaited: a read 5 s, a write its own timeout. A second cancellation gives up waiting
        and travels on.
        """
        grace = GRACE_SECONDS if tool.spec.effect.changes_nothing else tool.spec.timeout_ms / 1_000
        task = asyncio.create_task(_executed(tool.tool, prepared, call, intent))
        seconds = max(0, call.deadline_ms - self._clock.monotonic_ms()) / 1_000 + grace
        cancelled = await ended_within(task, seconds, grace)
        return _outcome(task, tool.spec, intent, cancelled), cancelled


def checked_result(result: object, spec: ToolSpec, intent: Intent) -> ToolResult:
    """`result` if it can be stored: small and plain enough, with no other artifact than the one that was announced.

    Raises `ResultRefused`.
    """
    try:
        stored = as_stored(result, ToolResult)
    except JsonRefused as error:
        raise ResultRefused(failure(ErrorCode.TOOL_RESULT_INVALID, "The tool's result can't be stored.")) from error
    artifact = stored.artifact
    if artifact is not None and (artifact.artifact_id, artifact.path) != (intent.artifact_id, intent.path):
        message = "The tool's result claims a file that it had not announced."
        raise ResultRefused(failure(ErrorCode.TOOL_RESULT_INVALID, message))
    size = len(canonical_json(stored))
    if size > spec.result_bytes_max:
        message = f"The tool's result has {size:,} bytes, more than the {spec.result_bytes_max:,} it may have."
        raise ResultRefused(failure(ErrorCode.TOOL_RESULT_TOO_LARGE, message))
    return stored


async def _executed(tool: Tool, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
    with foreign_code():
        return await tool.execute(prepared, call, intent)


def _outcome(task: "asyncio.Task[ToolResult]", spec: ToolSpec, intent: Intent, cancelled: bool) -> Outcome:
    harmless = spec.effect.changes_nothing
    if not task.done():
        return _timed_out(harmless, worker_ended=False)
    try:
        return Succeeded(result=checked_result(task.result(), spec, intent))
    except asyncio.CancelledError:
        return Interrupted() if harmless and cancelled else _timed_out(harmless, worker_ended=True)
    except ResultRefused as refused:
        return _broken(harmless, refused.info)
    except ToolFailed as error:
        info = storable_error(error, ErrorCode.TOOL_FAILED)
        return Interrupted() if cancelled and info.code is ErrorCode.INTERRUPTED else Failed(error=info)
    except OutcomeUnknown as error:
        info = storable_error(error, ErrorCode.OUTCOME_UNKNOWN)
        return Doubtful(error=info, worker_ended=info.details.get("worker_ended") is not False)
    except Exception:  # foreign code: its words are not ours to show (R5)
        return _broken(harmless, failure(ErrorCode.TOOL_FAILED, "The tool failed in a way that it should not."))


def _timed_out(harmless: bool, *, worker_ended: bool) -> Outcome:
    error = failure(ErrorCode.TOOL_TIMEOUT, "The tool did not end in time.")
    return Failed(error=error) if harmless else Doubtful(error=error, worker_ended=worker_ended)


def _broken(harmless: bool, error: ErrorInfo) -> Outcome:
    return Failed(error=error) if harmless else Doubtful(error=error, worker_ended=True)
