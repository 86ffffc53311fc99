"""What a model is asked, what a provider streams back, and the response made of it."""

from enum import StrEnum
from typing import Annotated, TypeAlias

from msgspec import Meta

from bearagent_domain.documents import Rec
from bearagent_domain.ids import N0, N1, Line, Name, Sha
from bearagent_domain.messages import TranscriptItem
from bearagent_domain.tools import ToolCall, ToolSpec

OUTPUT_TOKENS_DEFAULT = 4_096  # of one answer
RESPONSE_BYTES_MAX = 3_670_016  # 3.5 MiB of canonical JSON: leaves room within an event of 4 MiB
RESPONSE_NODES_MAX = 9_000
ARGUMENTS_BYTES_MAX = 3_145_728
STREAM_BYTES_MAX = 67_108_864
TOKENS_MAX = 1_000_000_000  # of one answer: far more than there are, and sums and costs stay exact


class ModelProfile(Rec, frozen=True, kw_only=True):
    """Which model, and how it is asked."""

    provider: Name
    model: Line
    max_output_tokens: N1 = OUTPUT_TOKENS_DEFAULT
    temperature_milli: N0 | None = None
    seed: N0 | None = None


class ModelRequest(Rec, frozen=True, kw_only=True):
    """All that a provider gets. `items` hold whole groups (a turn and its answers), oldest left out first."""

    model: ModelProfile
    system_text: str
    objective: str
    items: tuple[TranscriptItem, ...] = ()
    tools: tuple[ToolSpec, ...] = ()


class TextDelta(Rec, frozen=True, tag="text", kw_only=True):
    """A piece of the answer's text."""

    text: str


class CallOpened(Rec, frozen=True, tag="call", kw_only=True):
    """A tool call begins. `index` tells calls of one turn apart; `call_id` is the model's own, if it gave one."""

    index: int
    name: str
    call_id: str | None = None


class ArgumentsDelta(Rec, frozen=True, tag="arguments", kw_only=True):
    """A piece of the arguments text of the call `index`, as the model sent it."""

    index: int
    text: str


class UsageReported(Rec, frozen=True, tag="usage", kw_only=True):
    """What the server says that the call used; a part that it does not say is null."""

    input_tokens: int | None
    output_tokens: int | None


class FinishReason(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"


class Finished(Rec, frozen=True, tag="finished", kw_only=True):
    """The model says that its answer is complete. Nothing but usage may follow; a stream without it is incomplete."""

    reason: FinishReason
    provider_request_id: str | None = None


ModelEvent: TypeAlias = TextDelta | CallOpened | ArgumentsDelta | UsageReported | Finished


class ModelResponse(Rec, frozen=True, kw_only=True):
    """One complete answer as the log keeps it."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    finish: FinishReason


SequenceRange = tuple[N1, N1]


class RequestManifest(Rec, frozen=True, kw_only=True):
    """What a request was made of, bounded in size: it can be rebuilt from the events alone.

    `included` and `left_out` are closed ranges of event sequences; `cut` are (sequence, bytes kept) of texts shown in
    part, newest group only. `transcript_hash` is the running hash over all items up to here.
    """

    provider: Name
    model: Line
    api: Name
    max_output_tokens: N1
    temperature_milli: N0 | None = None
    seed: N0 | None = None
    included: tuple[SequenceRange, ...] = ()
    left_out: tuple[SequenceRange, ...] = ()
    cut: Annotated[tuple[tuple[N1, N0], ...], Meta(max_length=130)] = ()
    tools_hash: Sha
    transcript_hash: Sha
