"""The port of tools: one thing that a model may ask for."""

import threading
from typing import Protocol

from bearagent_domain.errors import BearAgentError
from bearagent_domain.ids import ActivityId, RunId
from bearagent_domain.json_values import JsonObject
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolResult, ToolSpec


class CallRefused(BearAgentError):
    """The call as asked for is not acceptable. The model reads `info`. Nothing was touched."""


class ToolFailed(BearAgentError):
    """The call failed, and provably nothing happened. The model reads `info`."""


class OutcomeUnknown(BearAgentError):
    """Something may have happened, and the tool can't tell (R2)."""


class StopFlag:
    """Lets a caller stop a worker, but never in the middle of its last step.

    The worker wraps its point of no return in `last_step()`; whoever cancels calls `close()` and knows by its answer
    whether that step can still happen.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False

    @property
    def is_closed(self) -> bool:
        """Whether the worker should end without effect."""
        return self._closed

    def close(self) -> bool:
        """Forbid the last step; True when that is certain, False when the step is in flight now. Never blocks."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self._closed = True
        finally:
            self._lock.release()
        return True

    def last_step(self) -> threading.Lock:
        """The lock to hold while checking `is_closed` and taking the one step that can't be undone."""
        return self._lock


class CallContext:
    """What a tool may know of the call: ids, the deadline, the stop flag. No store, no state."""

    def __init__(self, *, run_id: RunId, activity_id: ActivityId, attempt: int, deadline_ms: int) -> None:
        self.run_id = run_id
        self.activity_id = activity_id
        self.attempt = attempt
        self.deadline_ms = deadline_ms  # on the monotonic clock of `time.monotonic()`, in milliseconds
        self.stop = StopFlag()

    @property
    def idempotency_key(self) -> str:
        """Equal over all attempts of the activity."""
        return self.activity_id


class Tool(Protocol):
    """One thing a model may ask for. Contract suite: `bearagent_testkit.contracts.ToolContract`."""

    @property
    def spec(self) -> ToolSpec:
        """Name, input schema, effect, retry safety, limits. Constant for the process."""

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """Check and normalise, without I/O, the same answer each time. Raises `CallRefused`, which the model reads."""

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """What `execute` is about to change, and from what. Reads at most; empty for tools without effect.

        Recorded before the effect (R1). Raises `ToolFailed` when the effect can't be begun.
        """

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """Act once, before `call.deadline_ms`; at most `spec.result_bytes_max` bytes of result.

        Raises `ToolFailed` if provably nothing happened, `OutcomeUnknown` if something may have (R2). On cancellation
        it returns control only when its worker has ended, or is certain not to take its last step.
        """
