"""A clock that moves only when told to, and ids that count: the same run gives the same bytes."""

import time
from datetime import UTC, datetime

from bearagent_domain.times import Time, time_text

EPOCH_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z


class FixedClock:
    """Each reading of the wall clock is one millisecond later; the monotonic clock stands until `advance`.

    It stands at a true reading of `time.monotonic`, so that deadlines made from it lie in the future for real tools.
    """

    def __init__(self, *, epoch_ms: int = EPOCH_MS) -> None:
        self._wall_ms = epoch_ms
        self._monotonic_ms = int(time.monotonic() * 1_000)

    def now(self) -> Time:
        """The next millisecond."""
        self._wall_ms += 1
        return time_text(datetime.fromtimestamp(self._wall_ms / 1_000, UTC))

    def monotonic_ms(self) -> int:
        """The time at which this clock stands."""
        return self._monotonic_ms

    def advance(self, milliseconds: int) -> None:
        """Let time pass on both clocks."""
        self._wall_ms += milliseconds
        self._monotonic_ms += milliseconds


class CountingIds:
    """UUID4 texts in order: 00000001-0000-4000-8000-000000000001 and so on."""

    def __init__(self, *, start: int = 1) -> None:
        self._next = start

    def new_id(self) -> str:
        """The next id."""
        number, self._next = self._next, self._next + 1
        return f"{number:08x}-0000-4000-8000-{number:012x}"
