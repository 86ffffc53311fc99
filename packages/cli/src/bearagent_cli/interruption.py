"""Ctrl-C and SIGTERM while a run is driven: the first asks it to stop, a second gives up waiting for that."""

import asyncio
import os
import signal
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(Exception):
    """The work was stopped by a signal. `exit_code` is 128 and its number."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def driven(work: Coroutine[object, object, T]) -> T:
    """Run `work` to its end and give what it gives. Raises `Interrupted` when a signal ended it.

    Each signal cancels `work`; a third one ends the process at once, for work that does not let itself be cancelled.
    """
    received: list[int] = []

    async def supervised() -> T:
        task = asyncio.ensure_future(work)

        def stop(number: int) -> None:
            received.append(number)
            if len(received) > 2:
                os._exit(128 + number)
            task.cancel()

        for number in SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, stop, number)
        return await task

    try:
        return asyncio.run(supervised())
    except asyncio.CancelledError:
        if not received:
            raise
        raise Interrupted(received[0]) from None
