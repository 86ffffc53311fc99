"""Every request ever sent pairs calls and results validly, whatever a model did and however small the context."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.json_values import canonical_json
from bearagent_domain.messages import AssistantTurn, ToolAnswer, TranscriptItem
from bearagent_domain.tools import Effect, PreparedToolRequest, ToolResult
from bearagent_ports import CallContext, NotDone, OutcomeUnknown, ToolFailed
from bearagent_testkit import FakeReconciler, FakeTool, ScriptedCall, ScriptedModel, ScriptedTurn
from tests.driving import Scene

CONTEXT_CHARS = 16_384
names = st.sampled_from(
    ["fake.echo", "fake.long", "fake.fails", "fake.doubt", "fake.denied", "fake.unknown", "", "x\0"]
)
arguments = st.sampled_from(['{"text": "a.md"}', "{", "", "[]", '{"text": 1}', '{"text": "' + "x" * 6_000 + '"}'])
call_ids = st.sampled_from([None, "call_1", "call_2", "call_1_1", "bad id", "", "x" * 65])
calls = st.builds(ScriptedCall, name=names, arguments=arguments, call_id=call_ids)
turns = st.builds(
    ScriptedTurn,
    text=st.sampled_from(["", "I look.", "long " * 1_000, "nul \0 and half \ud800"]),
    calls=st.lists(calls, min_size=1, max_size=5).map(tuple),
)


def tool(name: str, *, effect: Effect = Effect.NONE, result: str = "x", error: Exception | None = None) -> FakeTool:
    async def behaviour(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
        if error is not None:
            raise error
        return ToolResult(content=result)

    return FakeTool(name, effect=effect, behaviour=behaviour)


def scene() -> Scene:
    doubt = OutcomeUnknown(failure(ErrorCode.IO_ERROR, "The disk said no."))
    return Scene(
        tools=[
            (FakeTool(), None),
            (tool("fake.long", result="line\n" * 4_000), None),
            (tool("fake.fails", error=ToolFailed(failure(ErrorCode.PATH_NOT_FOUND, "Nothing there."))), None),
            (
                tool("fake.doubt", effect=Effect.WORKSPACE_WRITE, error=doubt),
                FakeReconciler(NotDone(evidence="as before")),
            ),
            (tool("fake.denied", effect=Effect.NETWORK), None),
        ]
    )


@settings(max_examples=60, deadline=None)
@given(script=st.lists(turns, max_size=6))
def test_calls_and_answers_pair(script: list[ScriptedTurn]) -> None:
    model = ScriptedModel([*script, ScriptedTurn(text="Done.")])
    asyncio.run(scene().start(model, context_chars_max=CONTEXT_CHARS))
    assert len(model.requests) == len(script) + 1 or model.position == len(model.requests)
    for request in model.requests:
        require_pairs(request.items)
        shown = len(canonical_json(request.items).decode()) + len(request.objective) + len(request.system_text)
        assert shown <= CONTEXT_CHARS


def require_pairs(items: tuple[TranscriptItem, ...]) -> None:
    waiting: list[str] = []
    seen: set[str] = set()
    for item in items:
        if isinstance(item, AssistantTurn):
            assert waiting == [], "a turn came before all calls had their answers"
            waiting = [call.call_id for call in item.calls]
            assert not seen & set(waiting), "an id was used twice"
            seen.update(waiting)
            assert len(set(waiting)) == len(waiting)
        else:
            assert isinstance(item, ToolAnswer)
            assert waiting and waiting.pop(0) == item.call_id, "an answer without its call, or out of order"
    assert waiting == []
