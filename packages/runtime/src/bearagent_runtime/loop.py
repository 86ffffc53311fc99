"""The loop: which step comes next is the state's to say, how it is done is somebody else's."""

from typing import assert_never

from bearagent_domain.commands import BeginRun, FinishRun
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.runs import RunState
from bearagent_reducer import Begin, CallModel, Finish, IllegalTransition, Recover, Rest, RunCall, Settle, next_step
from bearagent_runtime.active_time import ActiveTime
from bearagent_runtime.journal import Journal
from bearagent_runtime.model_calls import ModelCalls
from bearagent_runtime.tool_calls import ToolCalls


class AgentLoop:
    """Drives one run. It keeps nothing across an `await`: everything is in the Journal's state."""

    def __init__(self, models: ModelCalls, tools: ToolCalls, active_time: ActiveTime) -> None:
        self._models = models
        self._tools = tools
        self._active_time = active_time

    async def drive(self, journal: Journal) -> RunState:
        """Run until the run rests. A failed commit or a cancellation passes through untouched."""
        while True:
            match next_step(journal.state):
                case Begin():
                    journal.record(BeginRun())
                case RunCall(call=call):
                    await self._tools.answer(journal, call)
                case CallModel():
                    await self._models.ask(journal)
                case Recover():
                    message = "An activity of this run has no outcome; it can be inspected, not continued."
                    raise IllegalTransition(failure(ErrorCode.ILLEGAL_TRANSITION, message))
                case Settle(activity=activity, call=call):
                    await self._tools.settle(journal, activity, call)
                case Finish():
                    journal.record(FinishRun(active_ms=self._active_time.take()))
                case Rest():
                    journal.commit()
                    return journal.state
                case step:
                    assert_never(step)
