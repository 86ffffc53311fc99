"""Plans drawn at random from what is known to be hostile: the two tables, whole, in parts, and mixed."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from bearagent_domain.budgets import RunLimits
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    TextDelta,
    UsageReported,
)
from bearagent_ports import ProviderFailed
from bearagent_testkit import ScriptedTurn
from tests.fuzzing.watched import BEHAVIOURS, CANARY, FINDINGS, TOOLSET, Plan
from tests.security.hostile_turns import LOOP_TURNS, hostile_cases
from tests.security.hostile_workspace import TABLE
from tests.security.test_hostile_streams import arguments as odd_arguments
from tests.security.test_hostile_streams import call_ids, counts, texts

CASES = hostile_cases(Path(__file__).parents[1] / "security/cases/hostile_model_outputs.json")
EVENTS_MAX, CHARS_MAX = 80, 20_000  # of a turn of the table; what is larger has a test of its own


def _is_small(turn: ScriptedTurn) -> bool:
    events = turn.events or ()
    texts = [event.text for event in events if isinstance(event, TextDelta | ArgumentsDelta)]
    return not turn.hangs and len(events) <= EVENTS_MAX and sum(map(len, texts)) <= CHARS_MAX


TABLE_TURNS = [turn for case in CASES if len(case.script) < LOOP_TURNS for turn in case.script if _is_small(turn)]
TABLE_EVENTS = [event for turn in TABLE_TURNS for event in turn.events or ()]
TABLE_NAMES = [event.name for event in TABLE_EVENTS if isinstance(event, CallOpened)]
TABLE_ARGUMENTS = [event.text for event in TABLE_EVENTS if isinstance(event, ArgumentsDelta)]
PATHS = [case["path"] for case in TABLE["cases"]] + [entry["value"] for entry in TABLE["not_strings"]]

names = st.sampled_from(TOOLSET * 3) | st.sampled_from(TABLE_NAMES) | texts
fragments = st.sampled_from([path for path in PATHS if isinstance(path, str)])
paths: st.SearchStrategy[Any] = (
    st.sampled_from(PATHS)
    | st.builds("{}/{}".format, fragments, fragments)
    | fragments.map("outputs/{}".format)
    | st.sampled_from(["docs/a.md", "outputs/r.md", "outputs/a/b.md", "b.md", ".", "docs"])
    | st.sampled_from(["docs/a.md", "outputs/r.md", "outputs/a/b.md", "b.md", ".", "docs"])
)
arguments = (
    st.fixed_dictionaries({"path": paths}, optional={"content": texts, "query": texts, "start_line": counts}).map(
        json.dumps
    )
    | st.sampled_from(TABLE_ARGUMENTS)
    | st.fixed_dictionaries({"text": texts}).map(json.dumps)
    | odd_arguments
)
reasons = st.sampled_from([FinishReason.TOOL_CALLS] * 60 + [*FinishReason])
errors = st.sampled_from(
    [
        RuntimeError(CANARY),
        ProviderFailed(failure(ErrorCode.PROVIDER_ERROR, "It said no.")),
        ProviderFailed(failure(ErrorCode.PROVIDER_UNAVAILABLE, "It is away.", retryable=True)),
        ValueError(f"in {__file__}"),
    ]
)


@st.composite
def streams(draw: st.DrawFn) -> list[ModelEvent]:
    """A turn of calls, each in one piece or several, and its end."""
    events: list[ModelEvent] = [TextDelta(text=draw(texts))]
    for index in range(draw(st.sampled_from([1, 1, 1, 2, 2, 3, 5]))):
        events.append(CallOpened(index=index, name=draw(names), call_id=draw(call_ids)))
        text = draw(arguments)
        cut = draw(st.integers(0, len(text)))
        events += [ArgumentsDelta(index=index, text=piece) for piece in (text[:cut], text[cut:])]
    return [*events, Finished(reason=draw(reasons))]


@st.composite
def turns(draw: st.DrawFn) -> ScriptedTurn:
    """Mostly in order; now and then a turn of the table, mixed up, broken off, or with an exception in it."""
    flaw = draw(st.sampled_from(["none"] * 30 + ["table"] * 6 + ["usage", "order", "end", "error"]))
    if flaw == "table":
        return draw(st.sampled_from(TABLE_TURNS))
    events = draw(streams())
    if flaw == "usage":
        events.append(UsageReported(input_tokens=draw(counts), output_tokens=draw(counts)))
    if flaw == "order":
        events = draw(st.permutations(events))
    if flaw == "end":
        events = events[: draw(st.integers(0, len(events)))]
    if flaw == "error":
        return ScriptedTurn(events=tuple(events[: draw(st.integers(0, len(events)))]), error=draw(errors))
    return ScriptedTurn(events=tuple(events))


limits = (
    st.none()
    | st.none()
    | st.builds(
        RunLimits,
        model_calls=st.integers(1, 8),
        tool_calls=st.integers(0, 12),
        output_tokens=st.integers(5_000, 50_000),
    )
)
granted = st.just(TOOLSET) | st.just(TOOLSET) | st.lists(st.sampled_from(TOOLSET), unique=True).map(tuple)


def plans(turns_max: int) -> st.SearchStrategy[Plan]:
    """What a run meets."""
    return st.builds(
        Plan,
        turns=st.lists(turns(), min_size=4, max_size=turns_max),
        reads=st.sampled_from(BEHAVIOURS),
        writes=st.sampled_from(BEHAVIOURS),
        finding=st.none() | st.sampled_from(FINDINGS),
        granted=granted,
        limits=limits,
    )
