"""Time, as the core sees it."""

from typing import Protocol

from bearagent_domain.times import Time


class Clock(Protocol):
    """Wall clock for the record, monotonic clock for durations."""

    def now(self) -> Time:
        """The current UTC instant."""

    def monotonic_ms(self) -> int:
        """Milliseconds of a clock that never goes back; only differences mean something."""
