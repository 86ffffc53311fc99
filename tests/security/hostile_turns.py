"""The table of hostile answers, read, and its turns expanded for the scripted model.

Whatever the table says is sent as it stands, also where no provider of ours could: a model's answer is foreign data.
"""

import json
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import msgspec

from bearagent_domain.budgets import RunLimits
from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    TextDelta,
    UsageReported,
)
from bearagent_testkit import ScriptedTurn

LOOP_TURNS = 1_100  # more than any limit of a run that sets none
PIECE_CHARS = 16_384
WHOLE_TOOLSET = ("workspace.list", "workspace.read", "workspace.search", "workspace.write")
DEFAULT_USAGE = {"input_tokens": 10, "output_tokens": 5}


class HostileCase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One case of the table; its `fields` and `handling` say what each part means."""

    id: str
    group: str
    title: str
    turns: tuple[dict[str, Any], ...]
    handling: str
    code: str
    limits: RunLimits = RunLimits()
    granted: tuple[str, ...] = WHOLE_TOOLSET
    answers: tuple[str | None, ...] | None = None
    files: dict[str, Any] = {}
    text: Any = None

    @property
    def script(self) -> list[ScriptedTurn]:
        """What the model plays: the hostile turns, then a plain answer."""
        return [*chain.from_iterable(_scripted(turn) for turn in self.turns), ScriptedTurn(text="Done.")]

    @property
    def expected_answers(self) -> list[str | None]:
        """Of each call, null or the code of its error."""
        if self.answers is not None:
            return list(self.answers)
        return [self.code] if self.handling.endswith("tool_error") else []

    @property
    def expected_text(self) -> str:
        """The final text of a run that succeeds."""
        if self.text is not None:
            return text_of(self.text)
        return "Done." if self.turns[-1]["tool_calls"] else text_of(self.turns[-1]["text"])


def hostile_cases(path: Path) -> list[HostileCase]:
    """The cases of the table in `path`. It holds lone surrogates, which a strict reader would refuse."""
    return msgspec.convert(json.loads(path.read_text("utf-8"))["cases"], list[HostileCase])


def text_of(value: Any) -> str:
    """A text of the table, expanded."""
    return "".join(_pieces(value))


def _scripted(turn: dict[str, Any]) -> Iterator[ScriptedTurn]:
    match turn:
        case {"$loop": repeated}:
            yield from repeat(next(_scripted(repeated)), LOOP_TURNS)
        case {"$stall": count}:
            yield ScriptedTurn(events=(TextDelta(text=""),) * count, hangs=True)
        case _:
            yield ScriptedTurn(events=tuple(_events(turn)))


def _events(turn: dict[str, Any]) -> Iterator[ModelEvent]:
    for piece in _pieces(turn["text"] or ""):
        yield TextDelta(text=piece)
    for index, call in enumerate(_calls(turn["tool_calls"])):
        yield CallOpened(index=index, name=_expanded(call["name"]), call_id=_expanded(call["id"]))
        for piece in _argument_pieces(call["arguments"]):
            yield ArgumentsDelta(index=index, text=piece)
    usage = turn.get("usage", DEFAULT_USAGE)
    if usage is not None:
        yield UsageReported(input_tokens=usage.get("input_tokens"), output_tokens=usage.get("output_tokens"))
    if turn["finish"] is not None:
        yield Finished(reason=_finish_reason(turn["finish"]))


def _calls(calls: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for call in calls:
        match call:
            case {"$calls": [int(count), arguments]}:
                for number in range(count):
                    yield {"id": f"call_{number}", "name": "workspace.read", "arguments": arguments}
            case _:
                yield call


def _argument_pieces(arguments: Any) -> Iterator[str]:
    """An object that is no expansion stands for itself: a provider hands on its text."""
    if isinstance(arguments, dict) and not any(key.startswith("$") for key in arguments):
        return iter([json.dumps(arguments)])
    return _pieces(arguments)


def _expanded(value: Any) -> Any:
    return text_of(value) if isinstance(value, dict) else value


def _finish_reason(reason: str) -> FinishReason:
    known: dict[str, FinishReason] = {str(each): each for each in FinishReason}
    return known.get(reason, reason)  # type: ignore[arg-type]  # an unknown one is sent as it is


def _pieces(value: Any) -> Iterator[str]:
    """The text in pieces; equal pieces are one object, so that a large text costs no memory here."""
    match value:
        case str():
            yield value
        case {"$concat": parts}:
            yield from chain.from_iterable(_pieces(part) for part in parts)
        case {"$repeat": [str(text), int(count)]}:
            per_piece = max(1, PIECE_CHARS // len(text))
            yield from repeat(text * per_piece, count // per_piece)
            yield text * (count % per_piece)
        case {"$deltas": [str(text), int(count)]}:
            yield from repeat(text, count)
        case {"$nest": [str(opening), str(closing), int(count), str(core)]}:
            yield opening * count + core + closing * count
        case {"$keys": int(count)}:
            yield json.dumps({"path": "docs/a.md"} | {f"key{number}": 0 for number in range(count)})
        case {"$keys_same_len": int(count)}:
            yield json.dumps({"path": "docs/a.md"} | {f"key{number:08d}": 0 for number in range(count)})
        case _:
            raise ValueError(f"the table holds an unknown expansion: {value!r:.100}")
