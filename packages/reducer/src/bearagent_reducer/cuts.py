"""Showing less of a text: whole lines as far as possible, marked with size and hash of the whole."""

import msgspec

from bearagent_domain.json_values import sha256_hex
from bearagent_domain.messages import AssistantTurn, CutMark, ToolAnswer, TranscriptItem
from bearagent_domain.tools import ToolCall

replace = msgspec.structs.replace


def cut_text(text: str, bytes_max: int) -> tuple[str, CutMark | None]:
    """`text` if it has at most `bytes_max` UTF-8 bytes, else its beginning, up to a line's end where there is one."""
    data = text.encode()
    if len(data) <= bytes_max:
        return text, None
    kept = data[:bytes_max]
    line_end = kept.rfind(b"\n") + 1
    shown = (kept[:line_end] if line_end else kept).decode(errors="ignore")
    return shown, CutMark(bytes_kept=len(shown.encode()), size=len(data), sha256=sha256_hex(data))


def cut_answer(answer: ToolAnswer, bytes_max: int) -> ToolAnswer:
    """`answer` with at most `bytes_max` bytes of content. Facts about numbered lines go on where the cut is."""
    content, mark = cut_text(answer.content, bytes_max)
    if mark is None:
        return answer
    facts = dict(answer.facts)
    start_line = facts.get("start_line")
    if isinstance(start_line, int) and "next_start_line" in facts:
        lines = content.count("\n")
        facts |= {"end_line": start_line + max(lines, 1) - 1, "next_start_line": start_line + lines}
        if not lines:
            facts["line_cut"] = True
    return replace(answer, content=content, facts=facts, cut=mark)


def cut_turn(turn: AssistantTurn, bytes_max: int) -> AssistantTurn:
    """`turn` with its text, and each text in the arguments of its calls, cut to `bytes_max` bytes."""
    text, mark = cut_text(turn.text, bytes_max)
    calls = tuple(_cut_call(call, bytes_max) for call in turn.calls)
    return turn if mark is None and calls == turn.calls else replace(turn, text=text, calls=calls, cut=mark)


def cut_item(item: TranscriptItem, bytes_max: int) -> TranscriptItem:
    """`item` with every text in it cut to `bytes_max` bytes."""
    return cut_turn(item, bytes_max) if isinstance(item, AssistantTurn) else cut_answer(item, bytes_max)


def _cut_call(call: ToolCall, bytes_max: int) -> ToolCall:
    if call.arguments is None:
        return call
    arguments = {
        name: _marked(value, bytes_max) if isinstance(value, str) else value for name, value in call.arguments.items()
    }
    return call if arguments == call.arguments else replace(call, arguments=arguments)


def _marked(text: str, bytes_max: int) -> str:
    shown, mark = cut_text(text, bytes_max)
    return shown if mark is None else f"{shown}[cut: {mark.size} bytes in all, sha256 {mark.sha256}]"
