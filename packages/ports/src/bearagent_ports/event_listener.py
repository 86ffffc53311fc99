"""The port of listeners: told of what was committed, with no say in it."""

from collections.abc import Sequence
from typing import Protocol

from bearagent_domain.records import RecordedEvent
from bearagent_domain.runs import RunState


class EventListener(Protocol):
    """Hears of every commit after it is durable. What it raises is ignored: an observer never stops a run."""

    def committed(self, events: Sequence[RecordedEvent], state: RunState) -> None:
        """`events` are stored now, `state` is the one after the last of them."""
