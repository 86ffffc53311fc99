"""Blocking work in a daemon thread of its own, stopped in bounded time, never in the middle of its last step.

Not `asyncio.to_thread`: its threads are joined at exit, so that one hanging mount would hold the process for ever.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from bearagent_domain.errors import ErrorCode
from bearagent_ports.tool import CallContext
from bearagent_workspace_tools.errors import failed, in_doubt, translated

READ_GRACE_MS = 5_000
STOP_INTERVAL_SECONDS = 0.010

T = TypeVar("T")


async def run_worker(call: CallContext, work: Callable[[], T], *, grace_ms: int, may_write: bool) -> T:
    """What `work` returns or raises, if it ends before `call.deadline_ms`.

    At the deadline or on cancellation the worker is stopped and waited for, at most `grace_ms`. One that does not end
    is abandoned if it only reads; if it may write, `OutcomeUnknown` is raised. A cancellation travels on in all other
    cases; what the worker did before it ended is then for whoever cancelled to find out.
    """
    worker = _Worker(work, may_write)
    try:
        if await worker.ends_within(_milliseconds_to(call.deadline_ms)):
            return worker.outcome()
    except asyncio.CancelledError as cancelled:
        if not await _stopped(call, worker, grace_ms) and may_write:
            raise in_doubt(worker_ended=False) from cancelled
        raise
    if await _stopped(call, worker, grace_ms):
        return worker.outcome()
    raise in_doubt(worker_ended=False) if may_write else failed(ErrorCode.TOOL_TIMEOUT)


def check_time(call: CallContext) -> None:
    """Raise `ToolFailed` when the call was stopped or is out of time. Workers ask it between their steps."""
    if call.stop.is_closed:
        raise failed(ErrorCode.INTERRUPTED if _milliseconds_to(call.deadline_ms) else ErrorCode.TOOL_TIMEOUT)
    if not _milliseconds_to(call.deadline_ms):
        raise failed(ErrorCode.TOOL_TIMEOUT)


class _Worker(Generic[T]):
    """One started thread, and whether it has ended."""

    def __init__(self, work: Callable[[], T], may_write: bool) -> None:
        self._work = work
        self._may_write = may_write
        self._value: T
        self._error: BaseException | None = None
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        threading.Thread(target=self._run, name="bearagent-workspace-tool", daemon=True).start()

    async def ends_within(self, milliseconds: int) -> bool:
        """Whether the thread has ended, at the latest after `milliseconds`."""
        try:
            async with asyncio.timeout(milliseconds / 1_000):
                await self._ended.wait()
        except TimeoutError:
            return self._ended.is_set()
        return True

    def outcome(self) -> T:
        """What the ended thread returned or raised."""
        if self._error is not None:
            raise self._error
        return self._value

    def _run(self) -> None:
        try:
            self._value = self._work()
        except OSError as error:  # one that nobody expected; after a write it leaves everything open
            self._error = in_doubt(worker_ended=True) if self._may_write else translated(error)
            self._error.__cause__ = error
        except Exception as error:  # a thread has nobody above it: whoever waits gets every failure
            self._error = error
        try:
            self._loop.call_soon_threadsafe(self._ended.set)
        except RuntimeError:  # the loop was closed, so nobody waits any more
            return


async def _stopped(call: CallContext, worker: _Worker[T], grace_ms: int) -> bool:
    """Close the stop flag as soon as the last step is not in flight; True when the thread ended within the grace."""
    end_ms = _now_ms() + grace_ms
    while not call.stop.close():
        if await worker.ends_within(int(STOP_INTERVAL_SECONDS * 1_000)):
            return True
        if not _milliseconds_to(end_ms):
            return False
    return await worker.ends_within(_milliseconds_to(end_ms))


def _now_ms() -> int:
    return int(time.monotonic() * 1_000)


def _milliseconds_to(instant_ms: int) -> int:
    return max(0, instant_ms - _now_ms())
