"""One effect, exactly once: deadline, cancellation, size limit, safe errors, and doubt where nobody can tell (R2)."""

import asyncio
from typing import TypeAlias

from bearagent_domain.documents import Rec, as_stored
from bearagent_domain.errors import ErrorCode, ErrorInfo, failure
from bearagent_domain.json_values import JsonRefused, canonical_json
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolResult
from bearagent_ports import CallContext, Clock, OutcomeUnknown, Tool, ToolFailed
from bearagent_runtime.foreign_errors import storable_error

READ_GRACE_SECONDS = 5.0


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


class Executor:
    """Runs tools. It retries nothing and knows no policy."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def execute_once(
        self, tool: Tool, prepared: PreparedToolRequest, call: CallContext, intent: Intent
    ) -> tuple[Outcome, bool]:
        """What came of one call of `tool.execute`, and whether the caller was cancelled meanwhile.

        The tool keeps its own deadline; one that does not is cancelled a grace later. On cancellation of the caller
        the tool is cancelled and awaited: a read 5 s, a write its own timeout. A second cancellation gives up waiting
        and travels on.
        """
        grace = READ_GRACE_SECONDS if tool.spec.effect.changes_nothing else tool.spec.timeout_ms / 1_000
        task = asyncio.ensure_future(tool.execute(prepared, call, intent))
        seconds = max(0, call.deadline_ms - self._clock.monotonic_ms()) / 1_000 + grace
        cancelled = False
        try:
            await asyncio.wait({task}, timeout=seconds)
        except asyncio.CancelledError:
            cancelled = True
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=grace)
        return self._outcome(task, tool, cancelled), cancelled

    def _outcome(self, task: "asyncio.Task[ToolResult]", tool: Tool, cancelled: bool) -> Outcome:
        harmless = tool.spec.effect.changes_nothing
        if not task.done():
            return _timed_out(harmless, worker_ended=False)
        try:
            return _checked(task.result(), tool)
        except asyncio.CancelledError:
            if harmless and cancelled:
                return Interrupted()
            return _timed_out(harmless, worker_ended=True)
        except ToolFailed as error:
            if cancelled and error.info.code is ErrorCode.INTERRUPTED:
                return Interrupted()
            return Failed(error=storable_error(error.info, ErrorCode.TOOL_FAILED))
        except OutcomeUnknown as error:
            info = storable_error(error.info, ErrorCode.OUTCOME_UNKNOWN)
            return Doubtful(error=info, worker_ended=info.details.get("worker_ended") is not False)
        except Exception:  # foreign code: its words are not ours to show (R5)
            return _broken(harmless, ErrorCode.TOOL_FAILED, "The tool failed in a way that it should not.")


def _checked(result: ToolResult, tool: Tool) -> Outcome:
    """The result if it is small and plain enough to be stored. An effect that it belongs to has happened anyway."""
    harmless = tool.spec.effect.changes_nothing
    try:
        if not isinstance(result, ToolResult):
            raise TypeError("not a ToolResult")
        result = as_stored(result)
    except (JsonRefused, TypeError):
        return _broken(harmless, ErrorCode.TOOL_RESULT_INVALID, "The tool's result can't be stored.")
    size = len(canonical_json(result))
    if size > tool.spec.result_bytes_max:
        message = f"The tool's result has {size:,} bytes, more than the {tool.spec.result_bytes_max:,} it may have."
        return _broken(harmless, ErrorCode.TOOL_RESULT_TOO_LARGE, message)
    return Succeeded(result=result)


def _timed_out(harmless: bool, *, worker_ended: bool) -> Outcome:
    error = failure(ErrorCode.TOOL_TIMEOUT, "The tool did not end in time.")
    return Failed(error=error) if harmless else Doubtful(error=error, worker_ended=worker_ended)


def _broken(harmless: bool, code: ErrorCode, message: str) -> Outcome:
    error = failure(code, message)
    return Failed(error=error) if harmless else Doubtful(error=error, worker_ended=True)
