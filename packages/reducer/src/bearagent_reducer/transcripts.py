"""The transcript of a run, made from its events one at a time: what a model may be shown, each item encoded once."""

import hashlib

from bearagent_domain.documents import Rec
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

_CONFIRMED = "A person confirmed that this was done."


class TranscriptEntry(Rec, frozen=True, kw_only=True):
    """One item as shown, the sequence of its event, and its size in the encoded form."""

    sequence: int
    item: TranscriptItem
    chars: int
    size_bytes: int


class Transcript:
    """Grows with the run; nothing in it ever changes. A group is one turn of the model and the answers to its calls."""

    def __init__(self, preview_bytes_max: int) -> None:
        self._preview_bytes_max = preview_bytes_max
        self._digest = bytes(32)
        self._call_ids: set[CallId] = set()
        self.entries: list[TranscriptEntry] = []
        self.group_starts: list[int] = []  # index in `entries` of each group's turn

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
            self.group_starts.append(len(self.entries))
            self._call_ids.update(call.call_id for call in item.calls)
        else:
            item = cut_answer(item, self._preview_bytes_max)
        encoded = canonical_json(item)
        self._digest = hashlib.sha256(self._digest + hashlib.sha256(encoded).digest()).digest()
        chars = len(encoded) if encoded.isascii() else len(encoded.decode())
        self.entries.append(TranscriptEntry(sequence=sequence, item=item, chars=chars, size_bytes=len(encoded)))


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
