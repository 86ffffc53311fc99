"""Times are UTC text whose order is that of the instants."""

from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_domain.times import Time, parsed_time, time_text

MOMENTS = st.datetimes(min_value=datetime(2010, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))


def test_a_time_is_cut_to_milliseconds_and_ends_with_z() -> None:
    assert time_text(datetime(2026, 1, 31, 8, 15, 0, 1_999, tzinfo=UTC)) == "2026-01-31T08:15:00.001Z"


def test_a_time_of_another_zone_is_told_in_utc() -> None:
    eastern = timezone(timedelta(hours=8))
    assert time_text(datetime(2026, 1, 1, 7, 30, tzinfo=eastern)) == "2025-12-31T23:30:00.000Z"


@given(MOMENTS)
def test_a_time_reads_back_as_its_instant_in_whole_milliseconds(moment: datetime) -> None:
    whole = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    assert parsed_time(time_text(moment)) == whole
    assert msgspec.convert(time_text(moment), Time) == time_text(moment)


@given(MOMENTS, MOMENTS)
def test_text_order_is_time_order(one: datetime, other: datetime) -> None:
    first, second = time_text(one), time_text(other)
    assert (first < second) == (parsed_time(first) < parsed_time(second))


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31T08:15:00Z",
        "2026-01-31T08:15:00.000000Z",
        "2026-01-31 08:15:00.000Z",
        "2026-01-31T08:15:00.000+00:00",
        "2026-01-31T08:15:00.000Z\n",
        "٢٠٢٦-01-31T08:15:00.000Z",
    ],
)
def test_a_time_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(text, Time)


def test_a_day_that_does_not_exist_is_refused_when_it_is_parsed() -> None:
    with pytest.raises(ValueError):
        parsed_time(Time("2026-02-30T08:15:00.000Z"))
