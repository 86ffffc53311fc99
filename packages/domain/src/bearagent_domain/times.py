"""UTC instants as text: `2026-01-31T08:15:00.000Z`, three digits of milliseconds: text order is time order."""

from datetime import UTC, datetime
from typing import Annotated, NewType

from msgspec import Meta

from bearagent_domain.ids import END

TIME_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z" + END

Time = NewType("Time", Annotated[str, Meta(pattern=TIME_PATTERN)])


def time_text(moment: datetime) -> Time:
    """`moment`, which must be aware, as UTC text cut to whole milliseconds."""
    utc = moment.astimezone(UTC)
    return Time(f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z")


def parsed_time(text: Time) -> datetime:
    """The instant that `text` names. Raises `ValueError` for a day or hour that does not exist."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
