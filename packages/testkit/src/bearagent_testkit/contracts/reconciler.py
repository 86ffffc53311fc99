"""What every reconciler must do: find what was done, what was not, and say so when it can't tell; change nothing."""

import asyncio
import time
from collections.abc import Callable

import pytest

from bearagent_domain.ids import ActivityId, RunId
from bearagent_domain.json_values import JsonObject
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolResult
from bearagent_ports import CallContext, Done, Finding, NotDone, Reconciler, Tool, Unknown
from bearagent_testkit.fixed_sources import CountingIds


class ReconcilerContract:
    """Override the four fixtures. The effect of `arguments` is not there before a test."""

    @pytest.fixture
    def tool(self) -> Tool:
        """The tool whose effects are looked at."""
        raise NotImplementedError("override the fixture `tool`")

    @pytest.fixture
    def reconciler(self, tool: Tool) -> Reconciler:
        """Who looks at them."""
        raise NotImplementedError("override the fixture `reconciler`")

    @pytest.fixture
    def arguments(self) -> JsonObject:
        """A call that changes something."""
        raise NotImplementedError("override the fixture `arguments`")

    @pytest.fixture
    def meddle(self) -> Callable[[], object]:
        """Makes of what the call would change something that neither the call nor the time before it made."""
        raise NotImplementedError("override the fixture `meddle`")

    def test_what_was_done_is_found_with_its_result(
        self, tool: Tool, reconciler: Reconciler, arguments: JsonObject
    ) -> None:
        effect = _Effect(tool, arguments)
        result = effect.done()
        finding = effect.found_by(reconciler)
        assert isinstance(finding, Done) and finding.evidence
        assert finding.result == result

    def test_what_was_announced_only_is_found_not_done(
        self, tool: Tool, reconciler: Reconciler, arguments: JsonObject
    ) -> None:
        finding = _Effect(tool, arguments).found_by(reconciler)
        assert isinstance(finding, NotDone) and finding.evidence

    def test_what_somebody_else_made_of_it_is_unknown(
        self, tool: Tool, reconciler: Reconciler, arguments: JsonObject, meddle: Callable[[], object]
    ) -> None:
        effect = _Effect(tool, arguments)
        meddle()
        finding = effect.found_by(reconciler)
        assert isinstance(finding, Unknown) and finding.evidence

    def test_looking_changes_nothing(self, tool: Tool, reconciler: Reconciler, arguments: JsonObject) -> None:
        effect = _Effect(tool, arguments)
        assert effect.found_by(reconciler) == effect.found_by(reconciler)
        effect.done()
        assert effect.found_by(reconciler) == effect.found_by(reconciler)

    def test_a_call_that_was_stopped_can_be_looked_at(
        self, tool: Tool, reconciler: Reconciler, arguments: JsonObject
    ) -> None:
        effect = _Effect(tool, arguments)
        effect.done()
        effect.call.stop.close()
        effect.call.deadline_ms = 0
        assert isinstance(effect.found_by(reconciler), Done)


class _Effect:
    """One call as far as the record would tell of it: prepared and announced."""

    def __init__(self, tool: Tool, arguments: JsonObject) -> None:
        ids = CountingIds()
        self.call = CallContext(
            run_id=RunId(ids.new_id()),
            activity_id=ActivityId(ids.new_id()),
            attempt=1,
            deadline_ms=int(time.monotonic() * 1_000) + tool.spec.timeout_ms,
        )
        self._tool = tool
        self._prepared: PreparedToolRequest = tool.prepare(arguments)
        self._intent: Intent = asyncio.run(tool.intend(self._prepared, self.call))

    def done(self) -> ToolResult:
        return asyncio.run(self._tool.execute(self._prepared, self.call, self._intent))

    def found_by(self, reconciler: Reconciler) -> Finding:
        return asyncio.run(reconciler.reconcile(self._prepared, self.call, self._intent))
