"""The pytest plugin, found by its entry point: the fakes come as fixtures."""

from collections.abc import Iterator

import pytest

from bearagent_testkit.fixed_sources import CountingIds, FixedClock
from bearagent_testkit.memory_store import MemoryEventStore


@pytest.fixture
def fixed_clock() -> FixedClock:
    """A clock that moves only when told to."""
    return FixedClock()


@pytest.fixture
def counting_ids() -> CountingIds:
    """Ids that count."""
    return CountingIds()


@pytest.fixture
def memory_store() -> Iterator[MemoryEventStore]:
    """An empty store in memory."""
    store = MemoryEventStore()
    yield store
    store.close()
