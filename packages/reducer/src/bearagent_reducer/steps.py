"""next_step: what a run does next, from its state alone. Start, continue and resume all ask it, and nothing else."""

from typing import TypeAlias

from bearagent_domain.documents import Rec
from bearagent_domain.runs import ActivityState, ActivityStatus, RunState, RunStatus
from bearagent_domain.tools import ToolCall


class Begin(Rec, frozen=True, kw_only=True):
    """The run was created and has not started."""


class RunCall(Rec, frozen=True, kw_only=True):
    """Answer the next call of the turn."""

    call: ToolCall


class CallModel(Rec, frozen=True, kw_only=True):
    """Ask the model."""


class Recover(Rec, frozen=True, kw_only=True):
    """An activity has no outcome: find out."""

    activity: ActivityState


class Settle(Rec, frozen=True, kw_only=True):
    """The outcome of `activity`, which answers `call`, is unknown: look for evidence, or let the run rest."""

    activity: ActivityState
    call: ToolCall


class Finish(Rec, frozen=True, kw_only=True):
    """The run comes to its end, or to rest for a reason that the state holds."""


class Rest(Rec, frozen=True, kw_only=True):
    """Nothing to do until someone acts."""


Step: TypeAlias = Begin | RunCall | CallModel | Recover | Settle | Finish | Rest


def next_step(state: RunState) -> Step:
    """What comes next. The first that fits: queued, at rest, open activity, doubt, an end or rest, call, model."""
    if state.status is RunStatus.QUEUED:
        return Begin()
    if not state.is_running:
        return Rest()
    if state.open_activity is not None:
        return Recover(activity=state.open_activity)
    if state.latest is not None and state.in_doubt:
        return Settle(activity=state.latest, call=state.open_calls[0])
    if state.cancel_reason is not None or state.exhausted is not None or _is_answered(state):
        return Finish()
    if state.open_calls:
        return RunCall(call=state.open_calls[0])
    return CallModel()


def _is_answered(state: RunState) -> bool:
    """Whether the model has given its last word: a plain answer, one that ends the run, or a failure."""
    latest = state.latest
    if latest is None or latest.kind != "model":
        return False
    if latest.status is ActivityStatus.FAILED:
        return True
    return latest.status is ActivityStatus.COMPLETED and (latest.error is not None or not state.open_calls)
