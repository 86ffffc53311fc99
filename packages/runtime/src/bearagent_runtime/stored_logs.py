"""Reading the whole log of a run, a page at a time."""

from collections.abc import Iterator

from bearagent_domain.ids import RunId
from bearagent_domain.records import RecordedEvent
from bearagent_ports import EventStore

PAGE_EVENTS = 1_000


def stored_records(
    store: EventStore, run_id: RunId, *, after: int = 0, page_events: int = PAGE_EVENTS
) -> Iterator[RecordedEvent]:
    """The records of a run after sequence `after`, in order, each page checked by the store. Raises `RunNotFound`."""
    while page := store.read(run_id, after=after, limit=page_events):
        yield from page
        after = page[-1].sequence
