"""What follows from what: pure functions from commands to events, and from events to state, transcript, rows, views."""

from bearagent_reducer.cuts import cut_item
from bearagent_reducer.decisions import Decided, decide
from bearagent_reducer.inspections import Inspection
from bearagent_reducer.projections import RowProjection
from bearagent_reducer.runs import NEW_RUN, evolve, evolved_record, folded
from bearagent_reducer.steps import Begin, CallModel, Finish, Recover, Rest, RunCall, Settle, Step, next_step
from bearagent_reducer.transcripts import Transcript
from bearagent_reducer.transitions import IllegalTransition

__all__ = [
    "NEW_RUN",
    "Begin",
    "CallModel",
    "Decided",
    "Finish",
    "IllegalTransition",
    "Inspection",
    "Recover",
    "Rest",
    "RowProjection",
    "RunCall",
    "Settle",
    "Step",
    "Transcript",
    "cut_item",
    "decide",
    "evolve",
    "evolved_record",
    "folded",
    "next_step",
]
