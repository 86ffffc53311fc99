"""What goes to a model and comes from it: pieces of a stream told apart by a tag, and a manifest of bounded size."""

from typing import get_args

import msgspec
import pytest

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import NO_HASH, CallId
from bearagent_domain.messages import AssistantTurn, CutMark, ToolAnswer, TranscriptItem
from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    RequestManifest,
    TextDelta,
    UsageReported,
)
from bearagent_domain.tools import ToolCall

PIECES: tuple[ModelEvent, ...] = (
    TextDelta(text="Hello"),
    CallOpened(index=0, name="notes.read", call_id="call_1"),
    ArgumentsDelta(index=0, text='{"path":'),
    UsageReported(input_tokens=3, output_tokens=None),
    Finished(reason=FinishReason.STOP),
)
CALL = ToolCall(call_id=CallId("call_1"), name="notes.read", arguments={"path": "a.md"})
CUT = CutMark(bytes_kept=1_024, size=5_000, sha256=NO_HASH)
ITEMS: tuple[TranscriptItem, ...] = (
    AssistantTurn(text="Reading.", calls=(CALL,), cut=CUT),
    ToolAnswer(call_id=CALL.call_id, name=CALL.name, content="text", facts={"lines": 1}),
    ToolAnswer(call_id=CALL.call_id, name=CALL.name, error=failure(ErrorCode.NOT_TEXT, "This is no text.")),
)
MANIFEST: dict[str, object] = {
    "provider": "offline",
    "model": "extractive",
    "api": "offline",
    "max_output_tokens": 4_096,
    "tools_hash": NO_HASH,
    "transcript_hash": NO_HASH,
}


def test_each_piece_of_a_stream_reads_back_as_itself() -> None:
    assert {type(piece) for piece in PIECES} == set(get_args(ModelEvent))
    for piece in PIECES:
        assert msgspec.json.decode(msgspec.json.encode(piece), type=ModelEvent) == piece


def test_each_item_of_a_transcript_reads_back_as_itself() -> None:
    assert {type(item) for item in ITEMS} == set(get_args(TranscriptItem))
    for item in ITEMS:
        assert msgspec.json.decode(msgspec.json.encode(item), type=TranscriptItem) == item


@pytest.mark.parametrize(
    "text", [b'{"type":"thought","text":"x"}', b'{"text":"x"}', b'{"type":"text","text":"x","n":1}']
)
def test_a_piece_of_an_unknown_kind_is_refused(text: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=ModelEvent)


@pytest.mark.parametrize(
    "change",
    [
        {"included": [[0, 1]]},
        {"included": [[1]]},
        {"cut": [[1, 1]] * 131},
        {"max_output_tokens": 0},
        {"tools_hash": ""},
        {"messages": []},
    ],
)
def test_a_manifest_out_of_its_bounds_is_refused(change: dict[str, object]) -> None:
    msgspec.convert(MANIFEST, RequestManifest)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**MANIFEST, **change}, RequestManifest)
