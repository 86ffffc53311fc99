"""Clock and ids of this machine."""

import time
from datetime import UTC, datetime

from bearagent_domain.ids import new_id
from bearagent_domain.times import Time, time_text


class SystemClock:
    """The `Clock` of the operating system."""

    def now(self) -> Time:
        """The current UTC instant."""
        return time_text(datetime.now(UTC))

    def monotonic_ms(self) -> int:
        """Milliseconds of `time.monotonic`, by which tools measure their deadlines as well."""
        return time.monotonic_ns() // 1_000_000


class RandomIds:
    """The `IdSource` of random UUIDs."""

    def new_id(self) -> str:
        """The next id."""
        return new_id()
