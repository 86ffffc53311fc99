"""Old versions of events are read as today's; versions that nobody knows are refused, never guessed."""

import msgspec
import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.events import EVENT_TYPES, RunStarted
from bearagent_domain.upcasters import UPCASTERS, decoded_event


def test_the_made_up_version_0_is_read_as_todays_event() -> None:
    assert decoded_event("run.started", 0, b'{"note":"as it once was"}') == RunStarted()


@pytest.mark.parametrize("payload", [b"{}", b'{"note":1}', b'{"note":"x","more":1}', b"not json"])
def test_an_old_version_is_checked_by_its_own_shape(payload: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decoded_event("run.started", 0, payload)


@pytest.mark.parametrize(
    ("type_", "version"), [("run.started", 2), ("run.succeeded", 0), ("run.dreamed", 1), ("", 1), ("run.started", -1)]
)
def test_a_version_or_type_that_nobody_knows_is_refused(type_: str, version: int) -> None:
    with pytest.raises(BearAgentError) as caught:
        decoded_event(type_, version, b"{}")
    assert caught.value.info.code is ErrorCode.SCHEMA_VERSION_UNKNOWN


def test_the_sentence_about_an_unknown_type_is_bounded_and_shows_no_control_characters() -> None:
    with pytest.raises(BearAgentError) as caught:
        decoded_event("\x1b[2J" + "x" * 10_000, 1, b"{}")
    assert len(caught.value.info.message) < 300
    assert "\x1b" not in caught.value.info.message


def test_every_upcaster_reads_a_version_before_todays() -> None:
    today = {event_type.TYPE: event_type.VERSION for event_type in EVENT_TYPES}
    assert [] == [(type_, version) for type_, version in UPCASTERS if not version < today[type_]]
