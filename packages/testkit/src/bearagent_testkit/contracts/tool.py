"""What every tool must do: a constant spec, pure `prepare`, refusals that a model can read, results that fit."""

import asyncio
import time
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings

from bearagent_domain.errors import ErrorCode
from bearagent_domain.ids import ActivityId, RunId
from bearagent_domain.json_values import JsonObject, canonical_json, require_json
from bearagent_domain.tools import Effect, Intent, ToolResult, ToolSpec
from bearagent_ports import CallContext, CallRefused, Tool
from bearagent_testkit.fixed_sources import CountingIds
from bearagent_testkit.strategies import json_objects

_QUIET = settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


class ToolContract:
    """Override `tool` and `good_arguments`; the latter are calls that succeed in the order given."""

    @pytest.fixture
    def tool(self) -> Tool:
        """The tool to test, with whatever it works on."""
        raise NotImplementedError("override the fixture `tool`")

    @pytest.fixture
    def good_arguments(self) -> Sequence[JsonObject]:
        """Arguments that the tool takes."""
        raise NotImplementedError("override the fixture `good_arguments`")

    def test_the_spec_is_constant_and_can_be_stored(self, tool: Tool) -> None:
        assert tool.spec == tool.spec
        stored = canonical_json(tool.spec)
        assert msgspec.json.decode(stored, type=ToolSpec) == tool.spec
        require_json(msgspec.json.decode(stored))
        assert tool.spec.input_schema.get("type") == "object"

    def test_prepare_gives_the_same_answer_each_time(self, tool: Tool, good_arguments: Sequence[JsonObject]) -> None:
        for arguments in good_arguments:
            before = canonical_json(arguments)
            prepared = tool.prepare(arguments)
            assert prepared == tool.prepare(arguments)
            assert prepared.tool == tool.spec.name
            assert canonical_json(arguments) == before, "prepare must not change what it is given"
            require_json(msgspec.json.decode(canonical_json(prepared)))

    @_QUIET
    @given(arguments=json_objects())
    def test_any_arguments_are_taken_or_refused_in_words(self, tool: Tool, arguments: JsonObject) -> None:
        try:
            tool.prepare(arguments)
        except CallRefused as refused:
            assert isinstance(refused.info.code, ErrorCode) and refused.info.message

    def test_an_unknown_argument_is_refused(self, tool: Tool, good_arguments: Sequence[JsonObject]) -> None:
        with pytest.raises(CallRefused):
            tool.prepare({**good_arguments[0], "an_argument_nobody_declared": 1})

    def test_good_calls_give_results_that_fit(self, tool: Tool, good_arguments: Sequence[JsonObject]) -> None:
        for arguments in good_arguments:
            intent, result = asyncio.run(_called(tool, arguments))
            require_json([result.content, result.facts])
            assert len(canonical_json(result)) <= tool.spec.result_bytes_max
            if tool.spec.effect.changes_nothing:
                assert intent == Intent() and result.artifact is None
            elif tool.spec.effect is Effect.WORKSPACE_WRITE:
                assert intent.path is not None and intent.sha256 is not None, "a write is announced before it happens"


async def _called(tool: Tool, arguments: JsonObject) -> tuple[Intent, ToolResult]:
    ids = CountingIds()
    deadline_ms = int(time.monotonic() * 1_000) + tool.spec.timeout_ms
    call = CallContext(
        run_id=RunId(ids.new_id()), activity_id=ActivityId(ids.new_id()), attempt=1, deadline_ms=deadline_ms
    )
    prepared = tool.prepare(arguments)
    intent = await tool.intend(prepared, call)
    return intent, await tool.execute(prepared, call, intent)
