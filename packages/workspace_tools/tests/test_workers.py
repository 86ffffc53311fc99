"""Blocking work: outcomes, deadlines, and what becomes of a worker that does not end."""

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_ports import CallContext, OutcomeUnknown, ToolFailed
from bearagent_workspace_tools.workers import check_time, run_worker

NewContext = Callable[[], CallContext]


@pytest.fixture
def never() -> Iterator[threading.Event]:
    """An event to hang on; set at the end, so that no thread outlives its test."""
    event = threading.Event()
    yield event
    event.set()


def test_a_worker_gives_what_it_returns(context: NewContext) -> None:
    assert asyncio.run(run_worker(context(), lambda: 5, grace_ms=10, may_write=False)) == 5


def test_a_worker_is_a_daemon(context: NewContext) -> None:
    work = threading.current_thread
    assert asyncio.run(run_worker(context(), work, grace_ms=10, may_write=False)).daemon


def test_an_error_of_the_system_comes_out_without_its_words(context: NewContext) -> None:
    def work() -> None:
        open("/nowhere/secret")

    with pytest.raises(ToolFailed) as caught:
        asyncio.run(run_worker(context(), work, grace_ms=10, may_write=False))
    assert caught.value.info.code is ErrorCode.PATH_NOT_FOUND
    assert "nowhere" not in repr(caught.value.info)


def test_an_unexpected_error_of_a_write_leaves_it_open(context: NewContext) -> None:
    def work() -> None:
        raise OSError(5, "I/O error")

    with pytest.raises(OutcomeUnknown) as caught:
        asyncio.run(run_worker(context(), work, grace_ms=10, may_write=True))
    assert caught.value.info.details == {"worker_ended": True}


@pytest.mark.parametrize(("may_write", "expected"), [(False, ToolFailed), (True, OutcomeUnknown)])
def test_a_worker_that_outlives_its_deadline_and_grace_is_given_up(
    context: NewContext, never: threading.Event, may_write: bool, expected: type[Exception]
) -> None:
    call = context()
    call.deadline_ms = 0
    with pytest.raises(expected):
        asyncio.run(run_worker(call, never.wait, grace_ms=20, may_write=may_write))
    assert call.stop.is_closed


def test_a_worker_that_ends_at_the_deadline_says_so_itself(context: NewContext, never: threading.Event) -> None:
    call = context()
    call.deadline_ms = 0

    def work() -> None:
        while True:
            check_time(call)

    with pytest.raises(ToolFailed) as caught:
        asyncio.run(run_worker(call, work, grace_ms=60_000, may_write=True))
    assert caught.value.info.code is ErrorCode.TOOL_TIMEOUT


def test_a_cancelled_worker_is_stopped_and_waited_for(context: NewContext) -> None:
    call = context()
    ended = threading.Event()

    def work() -> None:
        try:
            while True:
                check_time(call)
        finally:
            ended.set()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled(call, work, grace_ms=60_000, may_write=True))
    assert ended.is_set()


async def cancelled(call: CallContext, work: Callable[[], object], *, grace_ms: int, may_write: bool) -> None:
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    def begun() -> object:
        loop.call_soon_threadsafe(started.set)
        return work()

    task = asyncio.create_task(run_worker(call, begun, grace_ms=grace_ms, may_write=may_write))
    await started.wait()
    task.cancel()
    await task


def test_a_cancelled_read_that_hangs_is_abandoned(context: NewContext, never: threading.Event) -> None:
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled(context(), never.wait, grace_ms=20, may_write=False))


def test_a_cancelled_write_that_hangs_is_unknown(context: NewContext, never: threading.Event) -> None:
    with pytest.raises(OutcomeUnknown) as caught:
        asyncio.run(cancelled(context(), never.wait, grace_ms=20, may_write=True))
    assert caught.value.info.details == {"worker_ended": False}


def test_a_last_step_in_flight_is_waited_for_without_blocking_the_loop(
    context: NewContext, never: threading.Event
) -> None:
    call = context()

    async def act() -> None:
        inside = asyncio.Event()
        loop = asyncio.get_running_loop()

        def work() -> None:
            with call.stop.last_step():
                loop.call_soon_threadsafe(inside.set)
                never.wait()

        task = asyncio.create_task(run_worker(call, work, grace_ms=60_000, may_write=True))
        await inside.wait()
        task.cancel()
        for _ in range(100):  # the loop turns while the step goes on
            await asyncio.sleep(0)
        assert not task.done() and not call.stop.is_closed
        never.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(act())


def test_a_second_cancellation_gives_up_waiting(context: NewContext, never: threading.Event) -> None:
    call = context()

    async def act() -> None:
        task = asyncio.create_task(run_worker(call, never.wait, grace_ms=600_000, may_write=True))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(act())


def test_a_worker_that_outlives_its_loop_ends_quietly(context: NewContext, never: threading.Event) -> None:
    running: list[threading.Thread] = []

    def work() -> None:
        running.append(threading.current_thread())
        never.wait()

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled(context(), work, grace_ms=20, may_write=False))
    never.set()
    running[0].join()
