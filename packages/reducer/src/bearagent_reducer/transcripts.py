"""The transcript of a run, made from its events one at a time: what a model may be shown, each item encoded once."""

import hashlib

from bearagent_domain.events import (
    ActivityCompleted,
    ActivityFailed,
    ActivityReconciled,
    ActivityResolved,
    AnyEvent,
    ModelOutcome,
)
from bearagent_domain.ids import CallId
from bearagent_domain.json_values import canonical_json
from bearagent_domain.messages import AssistantTurn, ToolAnswer, TranscriptItem
from bearagent_domain.runs import ActivityState, RunState
from bearagent_domain.tools import ToolResult
from bearagent_reducer.cuts import cut_answer


class Transcript:
    """Grows with the run; nothing in it ever changes. A group is one turn of the model and the answers to its calls.

    Sizes are kept as running sums, so that a request takes no longer to build at the end of a long run.
    """

    def __init__(self, preview_bytes_max: int) -> None:
        self._preview_bytes_max = preview_bytes_max
        self._digest = bytes(32)
        self._call_ids: set[CallId] = set()
        self.items: list[TranscriptItem] = []
        self.sequences: list[int] = []  # of the event that each item comes from
        self.group_starts: list[int] = []  # index of each group's turn
        self.chars_before: list[int] = [0]  # of the encoded items before each index, and before the end
        self.bytes_before: list[int] = [0]

    @property
    def running_hash(self) -> str:
        """Over all items so far: `h_n = sha256(h_(n-1) + digest_n)`, beginning with 32 zero bytes."""
        return self._digest.hex()

    def has_call_id(self, call_id: CallId) -> bool:
        """Whether a call of this run has that id already."""
        return call_id in self._call_ids

    def add(self, sequence: int, before: RunState, event: AnyEvent) -> None:
        """Take in one event; most events say nothing to a model."""
        item = _item_of(before, event)
        if item is None:
            return
        if isinstance(item, AssistantTurn):
            self.group_starts.append(len(self.items))
            self._call_ids.update(call.call_id for call in item.calls)
        else:
            item = cut_answer(item, self._preview_bytes_max)
        encoded = canonical_json(item)
        self._digest = hashlib.sha256(self._digest + hashlib.sha256(encoded).digest()).digest()
        self.items.append(item)
        self.sequences.append(sequence)
        self.chars_before.append(self.chars_before[-1] + (len(encoded) if encoded.isascii() else len(encoded.decode())))
        self.bytes_before.append(self.bytes_before[-1] + len(encoded))


def _item_of(before: RunState, event: AnyEvent) -> TranscriptItem | None:
    latest = before.latest
    if isinstance(event, ActivityCompleted) and isinstance(event.outcome, ModelOutcome):
        return AssistantTurn(text=event.outcome.response.text, calls=event.outcome.response.calls)
    if latest is None or latest.call_id is None:
        return None
    match event:
        case ActivityCompleted(outcome=outcome) if not isinstance(outcome, ModelOutcome):
            return _result(latest, latest.call_id, outcome.result)
        case ActivityFailed(error=error):
            return ToolAnswer(call_id=latest.call_id, name=latest.name, error=error)
        case ActivityReconciled(finding="done", result=result) if result is not None:
            return _result(latest, latest.call_id, result)
        case ActivityReconciled(error=error) if error is not None:
            return ToolAnswer(call_id=latest.call_id, name=latest.name, error=error)
        case ActivityResolved(as_="succeeded"):
            return ToolAnswer(
                call_id=latest.call_id, name=latest.name, content="A person confirmed that this was done."
            )
        case ActivityResolved(as_="failed"):
            return ToolAnswer(call_id=latest.call_id, name=latest.name, error=latest.error)
    return None


def _result(latest: ActivityState, call_id: CallId, result: ToolResult) -> ToolAnswer:
    return ToolAnswer(call_id=call_id, name=latest.name, content=result.content, facts=result.facts)
