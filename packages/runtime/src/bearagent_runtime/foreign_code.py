"""The border to foreign code (tools, policies, providers …): what it raises and says, made safe to go on with."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from bearagent_domain.documents import as_stored
from bearagent_domain.errors import BearAgentError, ErrorCode, ErrorInfo, failure
from bearagent_domain.json_values import JsonRefused


class ForeignEscape(Exception):
    """Foreign code tried to end the process, or raised a cancellation that nobody had asked for."""


@contextmanager
def foreign_code() -> Iterator[None]:
    """Within it `SystemExit` and a made-up `CancelledError` become `ForeignEscape`, an exception like any other.

    A cancellation that was asked for travels on, and so does Ctrl-C.
    """
    try:
        yield
    except SystemExit as error:
        raise ForeignEscape from error
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        raise ForeignEscape from error


def storable_error(error: BearAgentError, otherwise: ErrorCode) -> ErrorInfo:
    """What `error` says if it can be stored, else an error of the code `otherwise`."""
    try:
        return as_stored(getattr(error, "info", None), ErrorInfo)  # a subclass may have forgotten it
    except JsonRefused:
        return failure(otherwise, "It failed, with words that can't be shown.")
