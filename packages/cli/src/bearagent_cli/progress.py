"""Progress on stderr: a line for each thing done, and on a terminal one live line below them."""

import sys
from collections.abc import Sequence

from bearagent_cli.terminal import moves, on_one_line, tell, width_of
from bearagent_domain.events import (
    ActivityCompleted,
    ActivityFailed,
    ActivityOutcomeUnknown,
    ActivityReconciled,
    ActivityRequested,
    AnyEvent,
    BudgetExhausted,
    ModelOutcome,
    PolicyDecided,
    RunCreated,
    ToolWork,
)
from bearagent_domain.ids import RunId
from bearagent_domain.policies import Verdict
from bearagent_domain.records import RecordedEvent
from bearagent_domain.runs import RunState

CLEAR_LINE = "\r\x1b[2K"


class Progress:
    """An `EventListener`. Shows nothing when `quiet`; either way it knows the run once its first events are stored."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._live = not quiet and moves(sys.stderr)
        self._doing = ""
        self.run_id: RunId | None = None

    def committed(self, events: Sequence[RecordedEvent], state: RunState) -> None:
        """Tell what these events say."""
        lines = []
        for record in events:
            if isinstance(record.event, RunCreated):
                self.run_id = record.run_id
                lines.append(f"Run {record.run_id}")
            elif sentence := self._sentence(record.event, state):
                lines.append(f"  {sentence}")
        if self._quiet:
            return
        clear = CLEAR_LINE if self._live else ""
        tell(clear + "".join(on_one_line_indented(line) + "\n" for line in lines) + self._live_line(state))

    def close(self) -> None:
        """Take the live line away."""
        if self._live:
            tell(CLEAR_LINE)

    def _sentence(self, event: AnyEvent, state: RunState) -> str | None:
        """What is worth a line of its own; remembers what is being done for the line of its outcome."""
        match event:
            case ActivityRequested(work=work):
                self._doing = work.name if isinstance(work, ToolWork) else "model"
            case PolicyDecided(verdict=verdict, reason=reason, resources=resources):
                self._doing = " ".join([self._doing, *(resource.name for resource in resources)])
                if verdict is not Verdict.ALLOW:
                    return f"{self._doing}: {verdict.value}. {reason}"
            case ActivityCompleted(outcome=ModelOutcome(response=response)):
                did = f"asks for {_counted(len(response.calls))}" if response.calls else "answers"
                return f"model: {did} ({budget_used(state)})"
            case ActivityCompleted():
                return self._doing
            case ActivityFailed(error=error) | ActivityOutcomeUnknown(error=error):
                return f"{self._doing}: {error.code.value}. {error.message}"
            case ActivityReconciled(finding=finding, evidence=evidence):
                return f"{self._doing}: reconciled as {finding}. {evidence}"
            case BudgetExhausted(limit=limit, allowed=allowed, needed=needed):
                return f"budget: {limit} allows {allowed:,}, the next step may need {needed:,}"
        return None

    def _live_line(self, state: RunState) -> str:
        if not self._live or state.open_activity is None:
            return ""
        from rich.cells import set_cell_size

        line = on_one_line(f"… {self._doing} · {budget_used(state)}")
        return set_cell_size(line, width_of(sys.stderr) - 1).rstrip()


def budget_used(state: RunState) -> str:
    """Used of allowed, the amounts that matter to a watching person."""
    used, limits = state.used, state.limits
    return (
        f"{used.model_calls:,}/{limits.model_calls:,} model calls, "
        f"{used.tool_calls:,}/{limits.tool_calls:,} tool calls, "
        f"{used.input_tokens + used.output_tokens:,} tokens"
    )


def on_one_line_indented(line: str) -> str:
    """`line` made safe, with its own indentation kept."""
    return line[: len(line) - len(line.lstrip(" "))] + on_one_line(line)


def _counted(calls: int) -> str:
    return "1 tool call" if calls == 1 else f"{calls} tool calls"
