"""The provider driven over a workspace that is a dict of files, with the facts of the real tools and no runtime."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterable

import pytest

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import CallId
from bearagent_domain.json_values import JsonObject
from bearagent_domain.messages import AssistantTurn, CutMark, ToolAnswer, TranscriptItem
from bearagent_domain.models import ArgumentsDelta, CallOpened, ModelProfile, ModelRequest, TextDelta
from bearagent_domain.tools import Effect, RetrySafety, ToolCall, ToolSpec
from bearagent_offline_provider import OfflineProvider

LIST, READ, WRITE = "workspace.list", "workspace.read", "workspace.write"
PAGE_BYTES = 65_536
PAGE_ENTRIES = 500
TURNS_MAX = 200  # the default limit of a run

Files = dict[str, bytes]


@pytest.fixture
def asked() -> Callable[..., AssistantTurn]:
    """One answer of the provider to an objective and the items so far."""
    return _asked


@pytest.fixture
def play() -> Callable[..., list[TranscriptItem]]:
    """A whole run: `files` is the workspace and gets the report; `errors` answer calls by (tool, path) or by tool.

    Only the newest group is shown, unless `all_groups`; `bytes_shown` cuts texts as a small context does.
    """

    def played(
        objective: str,
        files: Files,
        *,
        offered: Iterable[str] = (LIST, READ, WRITE),
        errors: dict[str | tuple[str, str], ErrorCode] | None = None,
        all_groups: bool = False,
        bytes_shown: int = PAGE_BYTES,
    ) -> list[TranscriptItem]:
        transcript: list[TranscriptItem] = []
        shown: list[TranscriptItem] = []
        for turn_number in range(1, TURNS_MAX + 1):
            turn = _asked(objective, shown, offered, turn_number)
            answers = [_cut_answer(_answer(files, call, errors or {}), bytes_shown) for call in turn.calls]
            transcript += [turn, *answers]
            shown = transcript if all_groups else [_cut_turn(turn, 8 * bytes_shown), *answers]
            if not turn.calls:
                return transcript
        raise AssertionError("the provider goes on without end")

    return played


def _asked(
    objective: str,
    items: Iterable[TranscriptItem] = (),
    offered: Iterable[str] = (LIST, READ, WRITE),
    turn_number: int = 1,
) -> AssistantTurn:
    request = ModelRequest(
        model=ModelProfile(provider="offline", model="extractive"),
        system_text="Work.",
        objective=objective,
        items=tuple(items),
        tools=tuple(_spec(name) for name in offered),
    )

    async def drained() -> AssistantTurn:
        texts: list[str] = []
        names: list[str] = []
        arguments: list[str] = []
        async for event in OfflineProvider().stream(request):
            if isinstance(event, TextDelta):
                texts.append(event.text)
            elif isinstance(event, CallOpened):
                names.append(event.name)
                arguments.append("")
            elif isinstance(event, ArgumentsDelta):
                arguments[event.index] += event.text
        calls = tuple(
            ToolCall(call_id=CallId(f"call_{turn_number}_{index}"), name=name, arguments=json.loads(text))
            for index, (name, text) in enumerate(zip(names, arguments, strict=True))
        )
        return AssistantTurn(text="".join(texts), calls=calls)

    return asyncio.run(drained())


def _spec(name: str) -> ToolSpec:
    effect = Effect.WORKSPACE_WRITE if name == WRITE else Effect.WORKSPACE_READ
    return ToolSpec(
        name=name,
        spec_version="1.0.0",
        description=name,
        input_schema={},
        effect=effect,
        retry=RetrySafety.SAFE,
        timeout_ms=1_000,
        result_bytes_max=131_072,
    )


def _answer(files: Files, call: ToolCall, errors: dict[str | tuple[str, str], ErrorCode]) -> ToolAnswer:
    arguments = call.arguments or {}
    path = str(arguments["path"])
    code = errors.get(call.name) or errors.get((call.name, path))
    content, facts = "", JsonObject()
    if code is None:
        if call.name == LIST:
            code, content, facts = _listed(files, path, arguments)
        elif call.name == READ:
            code, content, facts = _read(files, path, arguments)
        else:
            files[path] = str(arguments["content"]).encode()
            content, facts = f"Wrote {path}.", {"path": path, "size": len(files[path])}
    error = None if code is None else failure(code, f"Refused with {code.value}.")
    return ToolAnswer(call_id=call.call_id, name=call.name, content=content, facts=facts, error=error)


def _listed(files: Files, path: str, arguments: JsonObject) -> tuple[ErrorCode | None, str, JsonObject]:
    if path in files:
        return ErrorCode.PATH_NOT_DIRECTORY, "", {}
    prefix = "" if path == "." else f"{path}/"
    entries: dict[str, tuple[str, int]] = {}
    for file, data in files.items():
        if file.startswith(prefix):
            name, slash, _ = file.removeprefix(prefix).partition("/")
            entries[name] = ("directory", 0) if slash else ("file", len(data))
    if not entries and prefix:
        return ErrorCode.PATH_NOT_FOUND, "", {}
    names = sorted(name for name in entries if name > str(arguments.get("cursor") or ""))
    page = names[:PAGE_ENTRIES]
    lines = [json.dumps({"kind": entries[name][0], "name": name, "size": entries[name][1]}) for name in page]
    cursor = page[-1] if len(names) > len(page) else None
    facts: JsonObject = {"path": path, "entries": len(page), "next_cursor": cursor, "skipped": 0}
    return None, "".join(f"{line}\n" for line in lines), facts


def _read(files: Files, path: str, arguments: JsonObject) -> tuple[ErrorCode | None, str, JsonObject]:
    if path not in files:
        is_folder = any(file.startswith(f"{path}/") for file in files)
        return ErrorCode.PATH_IS_DIRECTORY if is_folder else ErrorCode.PATH_NOT_FOUND, "", {}
    data, start = files[path], arguments["start_line"]
    assert isinstance(start, int)
    try:
        data.decode()
    except UnicodeDecodeError:
        return ErrorCode.NOT_TEXT, "", {}
    if b"\0" in data:
        return ErrorCode.NOT_TEXT, "", {}
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    lines = lines if lines[-1] else lines[:-1]
    page, count = b"", 0
    for line in lines[start - 1 :]:
        if len(page) + len(line) > PAGE_BYTES:
            break
        page, count = page + line, count + 1
    is_cut = not count and start <= len(lines)
    if is_cut:
        page = lines[start - 1][:PAGE_BYTES].decode(errors="ignore").encode()
    next_line = start + count
    facts: JsonObject = {
        "path": path,
        "start_line": start,
        "end_line": start + max(count, 1) - 1,
        "total_lines": len(lines),
        "next_start_line": next_line if next_line <= len(lines) else None,
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    return None, page.decode(), facts | ({"line_cut": True, "next_offset": len(page)} if is_cut else {})


def _cut_answer(answer: ToolAnswer, bytes_shown: int) -> ToolAnswer:
    content, mark = _cut(answer.content, bytes_shown)
    if mark is None:
        return answer
    facts = dict(answer.facts)
    start, lines = facts.get("start_line"), content.count("\n")
    if isinstance(start, int):
        facts |= {"end_line": start + max(lines, 1) - 1, "next_start_line": start + lines}
        facts |= {} if lines else {"line_cut": True}
    return ToolAnswer(call_id=answer.call_id, name=answer.name, content=content, facts=facts, cut=mark)


def _cut_turn(turn: AssistantTurn, bytes_shown: int) -> AssistantTurn:
    text, mark = _cut(turn.text, bytes_shown)
    return AssistantTurn(text=text, calls=turn.calls, cut=mark)


def _cut(text: str, bytes_shown: int) -> tuple[str, CutMark | None]:
    data = text.encode()
    if len(data) <= bytes_shown:
        return text, None
    kept = data[:bytes_shown]
    shown = kept[: kept.rfind(b"\n") + 1 or None].decode(errors="ignore")
    mark = CutMark(bytes_kept=len(shown.encode()), size=len(data), sha256=hashlib.sha256(data).hexdigest())
    return shown, mark
