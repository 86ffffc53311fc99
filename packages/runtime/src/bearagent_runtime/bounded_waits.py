"""Waiting for foreign code that may not end: a deadline, a cancellation, a grace, and then no more."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
GRACE_SECONDS = 5.0  # for what changes nothing


async def ended_within(task: "asyncio.Task[T]", seconds: float, grace: float) -> bool:
    """Wait for `task`, at most `seconds`; then, or when the caller is cancelled, cancel it and wait at most `grace`.

    Gives whether the caller was cancelled meanwhile. A task that takes no cancellation is left as it is: not done. A
    second cancellation of the caller gives up waiting and travels on.
    """
    cancelled = False
    try:
        await asyncio.wait({task}, timeout=seconds)
    except asyncio.CancelledError:
        cancelled = True
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=grace)
    return cancelled


async def result_within(work: Coroutine[Any, Any, T], seconds: float) -> T:
    """What `work`, which changes nothing, gives or raises.

    Raises `TimeoutError` for work that did not end in time, even if it takes no cancellation. A cancellation of the
    caller cancels `work`, waits 5 s at most, and travels on.
    """
    task = asyncio.create_task(work)
    if await ended_within(task, seconds, GRACE_SECONDS):
        raise asyncio.CancelledError
    if not task.done() or task.cancelled():
        raise TimeoutError
    return task.result()
