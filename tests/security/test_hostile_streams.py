"""Whatever a model's stream is made of, the run comes to rest and leaves a sound record."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    TextDelta,
    UsageReported,
)
from bearagent_domain.runs import RunStatus
from bearagent_testkit import MemoryEventStore, ScriptedTurn
from tests.security.hostile_plays import Play, require_invariants
from tests.security.hostile_turns import WHOLE_TOOLSET

FRAGMENTS = ["docs/a.md", "outputs/r.md", "..", "/", "\\", "~", ":", "con", ".", " ", "\0", "\x1b[2J", "\x9b", "\n"]
FRAGMENTS += ["\u202e", "\u200b", "\ud83d", "\ude00", "é", '"', "{", "\\u0000", "\\ud800", "%2e"]
FIELDS = ["path", "content", "query", "start_line", "max_lines", "start_offset", "cursor", "max_matches", "approved"]

texts = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join)
leaves = st.none() | st.booleans() | st.integers(-1, 2**64) | st.floats() | texts | st.sampled_from(FRAGMENTS[:2])
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
places = st.sampled_from(["docs/a.md", "docs", ".", "outputs/r.md", "README.md"])
paths = st.fixed_dictionaries({"path": places}, optional={"content": texts})
objects = st.builds(dict.__or__, paths, st.dictionaries(st.sampled_from(FIELDS), values, max_size=3))
arguments = objects.map(json.dumps) | paths.map(json.dumps) | texts
names = st.sampled_from(WHOLE_TOOLSET) | texts
call_ids: st.SearchStrategy[Any] = st.none() | st.sampled_from(["call_1", "", 7, "a" * 65]) | texts
counts: st.SearchStrategy[Any] = st.sampled_from([5, 0, None, 2**53, -1, True, 1.5, "12"])
reasons = st.sampled_from([FinishReason.TOOL_CALLS] * 9 + list(FinishReason))


@st.composite
def well_formed(draw: st.DrawFn) -> list[ModelEvent]:
    """A stream in the right order, of hostile parts."""
    events: list[ModelEvent] = [TextDelta(text=draw(texts))]
    for index in range(draw(st.integers(1, 4))):
        events.append(CallOpened(index=index, name=draw(names), call_id=draw(call_ids)))
        events.append(ArgumentsDelta(index=index, text=draw(arguments)))
    return [*events, Finished(reason=draw(reasons))]


@st.composite
def streams(draw: st.DrawFn) -> ScriptedTurn:
    """A stream as a provider may send it, now and then with odd usage, out of order or broken off."""
    events = draw(well_formed())
    flaw = draw(st.sampled_from(["none"] * 9 + ["usage", "order", "end"]))
    if flaw == "usage":
        events.append(UsageReported(input_tokens=draw(counts), output_tokens=draw(counts)))
    if flaw == "order":
        events = draw(st.permutations(events))
    if flaw == "end":
        events.pop()
    return ScriptedTurn(events=tuple(events))


@settings(max_examples=100, deadline=None)
@given(turns=st.lists(streams(), min_size=1, max_size=4))
def test_any_stream_leaves_a_sound_record(tmp_path_factory: pytest.TempPathFactory, turns: list[ScriptedTurn]) -> None:
    script = [*turns, ScriptedTurn(text="Done.")]
    place: Path = tmp_path_factory.mktemp("streams")
    play = Play(script, place, MemoryEventStore(), granted=WHOLE_TOOLSET)
    assert play.run.status in (RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.SUSPENDED)
    require_invariants(play)
