"""A model that plays a script: plain answers, tool calls, hostile streams, failures, silence."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    ModelRequest,
    TextDelta,
    UsageReported,
)
from bearagent_ports import ProviderFailed


@dataclass(frozen=True)
class ScriptedCall:
    """A call as the model writes it: `arguments` is JSON to encode, or the very text."""

    name: str
    arguments: Mapping[str, object] | str
    call_id: str | None = None


@dataclass(frozen=True)
class ScriptedTurn:
    """One answer. `events` stands for the whole stream; `error` is raised and `hangs` waits for ever, after the rest.

    `usage` is (input tokens, output tokens), null for a server that reports none. `finish` follows from the calls.
    """

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    usage: tuple[int, int] | None = (10, 5)
    finish: FinishReason | None = None
    events: tuple[ModelEvent, ...] | None = None
    error: Exception | None = None
    hangs: bool = False


class ScriptedModel:
    """Plays its turns in order, from `position` on; keeps the requests that it was sent."""

    def __init__(self, script: Sequence[ScriptedTurn], *, position: int = 0) -> None:
        self._script = tuple(script)
        self.position = position
        self.requests: list[ModelRequest] = []

    @property
    def api(self) -> str:
        """As the record names it."""
        return "scripted"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """The events of the next turn."""
        self.requests.append(request)
        if self.position >= len(self._script):
            raise ProviderFailed(failure(ErrorCode.PROVIDER_ERROR, "The script has ended."))
        turn = self._script[self.position]
        self.position += 1
        for event in _events_of(turn) if turn.events is None else turn.events:
            yield event
        if turn.hangs:
            await asyncio.Event().wait()
        if turn.error is not None:
            raise turn.error


def _events_of(turn: ScriptedTurn) -> list[ModelEvent]:
    events: list[ModelEvent] = [TextDelta(text=turn.text)] if turn.text else []
    for index, call in enumerate(turn.calls):
        text = call.arguments if isinstance(call.arguments, str) else json.dumps(call.arguments)
        events.append(CallOpened(index=index, name=call.name, call_id=call.call_id))
        events.append(ArgumentsDelta(index=index, text=text))
    if turn.error is not None or turn.hangs:
        return events
    if turn.usage is not None:
        events.append(UsageReported(input_tokens=turn.usage[0], output_tokens=turn.usage[1]))
    reason = turn.finish or (FinishReason.TOOL_CALLS if turn.calls else FinishReason.STOP)
    return [*events, Finished(reason=reason)]
