"""A stream of model events made into one answer, within limits: a state machine that does no I/O.

What a provider sends is foreign data, so its parts are checked here, whatever their Python types promise.
"""

from dataclasses import dataclass, field
from typing import NoReturn

import msgspec

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import CallId, Line, is_call_id
from bearagent_domain.json_values import storable_text
from bearagent_domain.models import (
    ARGUMENTS_BYTES_MAX,
    RESPONSE_BYTES_MAX,
    STREAM_BYTES_MAX,
    TOKENS_MAX,
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    TextDelta,
    UsageReported,
)
from bearagent_domain.tools import CALL_NAME_CHARS_MAX

CALLS_HELD_MAX = 512  # a turn of more calls than may run is recorded up to here


class ResponseRefused(BearAgentError):
    """The stream is not one complete, usable answer."""


@dataclass
class CallDraft:
    """A call while its arguments come in.

    `name` is cut where it is too long in any case; `model_call_id` is null when it can't stand as an id;
    `arguments_text` is null once there was more of it than anybody keeps.
    """

    name: str
    model_call_id: CallId | None
    pieces: list[str] | None = field(default_factory=list)
    size: int = 0

    @property
    def arguments_text(self) -> str | None:
        """All pieces joined."""
        return None if self.pieces is None else "".join(self.pieces)


class ResponseAssembler:
    """Takes the events of one stream in order; `finished` gives what they amount to."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._calls: dict[int, CallDraft] = {}
        self._kept_bytes = 0
        self._stream_bytes = 0
        self.finish: FinishReason | None = None
        self.provider_request_id: str | None = None
        self.usage: UsageReported | None = None

    @property
    def text(self) -> str:
        """The text so far; what can't be stored is replaced by U+FFFD."""
        return storable_text("".join(self._text))

    @property
    def calls(self) -> tuple[CallDraft, ...]:
        """The calls in the order in which they were opened."""
        return tuple(self._calls.values())

    def add(self, event: ModelEvent) -> bool:
        """Take in one event; True if it brought content. Raises `ResponseRefused`."""
        match event:
            case UsageReported():
                self.usage = _larger_usage(self.usage, _checked_usage(event))
                return False
            case _ if self.finish is not None:
                _refuse(ErrorCode.PROVIDER_PROTOCOL, "The provider sent content after the end of the answer.")
            case TextDelta(text=str(text)):
                self._hold(len(text.encode(errors="surrogatepass")), kept=True)
                self._text.append(text)
                return bool(text)
            case CallOpened(index=int(index), name=str(name), call_id=call_id):
                self._open(index, CallDraft(name[: CALL_NAME_CHARS_MAX + 1], _usable_id(call_id)))
                return True
            case ArgumentsDelta(index=int(index), text=str(text)) if index in self._calls:
                self._extend(self._calls[index], text)
                return bool(text)
            case Finished(reason=FinishReason() as reason):
                self.finish = reason
                self.provider_request_id = _checked_request_id(event.provider_request_id)
                return True
            case _:
                _refuse(ErrorCode.PROVIDER_PROTOCOL, "The provider sent something that is no part of an answer.")

    def require_finished(self) -> FinishReason:
        """Why the model stopped. Raises `ResponseRefused` (`stream_incomplete`) for a stream that does not say."""
        if self.finish is None:
            _refuse(ErrorCode.STREAM_INCOMPLETE, "The answer broke off before its end; nothing of it was carried out.")
        return self.finish

    def _open(self, index: int, draft: CallDraft) -> None:
        if index in self._calls:
            _refuse(ErrorCode.PROVIDER_PROTOCOL, "The provider opened one tool call twice.")
        if len(self._calls) >= CALLS_HELD_MAX:
            message = f"The model asked for more than {CALLS_HELD_MAX} tool calls in one turn."
            _refuse(ErrorCode.TOO_MANY_TOOL_CALLS, message)
        self._hold(len(draft.name), kept=True)
        self._calls[index] = draft

    def _extend(self, draft: CallDraft, text: str) -> None:
        size = len(text.encode(errors="surrogatepass"))
        if draft.pieces is None or draft.size + size > ARGUMENTS_BYTES_MAX:
            if draft.pieces is not None:
                self._kept_bytes -= draft.size
            draft.pieces = None
            self._hold(size, kept=False)
            return
        draft.pieces.append(text)
        draft.size += size
        self._hold(size, kept=True)

    def _hold(self, size: int, *, kept: bool) -> None:
        self._stream_bytes += size
        self._kept_bytes += size if kept else 0
        if self._kept_bytes > RESPONSE_BYTES_MAX or self._stream_bytes > STREAM_BYTES_MAX:
            _refuse(ErrorCode.MODEL_OUTPUT_TOO_LARGE, "The answer is larger than 3.5 MiB and was stopped.")


def _usable_id(call_id: object) -> CallId | None:
    return CallId(str(call_id)) if isinstance(call_id, str) and is_call_id(call_id) else None


def _checked_usage(usage: UsageReported) -> UsageReported:
    for tokens in (usage.input_tokens, usage.output_tokens):
        is_count = type(tokens) is int and 0 <= tokens <= TOKENS_MAX
        if tokens is not None and not is_count:
            _refuse(ErrorCode.PROVIDER_PROTOCOL, "The provider reported a usage that is no number of tokens.")
    return usage


def _larger_usage(before: UsageReported | None, usage: UsageReported) -> UsageReported:
    """Of each part the largest count so far: servers repeat and complete their reports, and none is paid back."""
    if before is None:
        return usage
    return UsageReported(
        input_tokens=_larger(before.input_tokens, usage.input_tokens),
        output_tokens=_larger(before.output_tokens, usage.output_tokens),
    )


def _larger(one: int | None, other: int | None) -> int | None:
    return max((tokens for tokens in (one, other) if tokens is not None), default=None)


def _checked_request_id(request_id: str | None) -> str | None:
    """The id for the record; one that is no plain line of text is left out."""
    try:
        return msgspec.convert(request_id, Line | None)
    except msgspec.ValidationError:
        return None


def _refuse(code: ErrorCode, message: str) -> NoReturn:
    raise ResponseRefused(failure(code, message))
