"""Active time of one driving period, by a clock that never goes back. Waiting and suspension do not count."""

from bearagent_ports import Clock


class ActiveTime:
    """Gives the milliseconds since it was asked last, so that the parts add up to the whole."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._counted_to = clock.monotonic_ms()

    def take(self) -> int:
        """Milliseconds since the last call, or since the period began; never negative."""
        now = self._clock.monotonic_ms()
        taken = max(0, now - self._counted_to)
        self._counted_to = now
        return taken
