"""A record shows every change of its bytes; a log shows every gap and every foreign record."""

import hashlib
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.events import (
    ActivityCompleted,
    AnyEvent,
    RunCancelled,
    RunStarted,
    RunSucceeded,
    ToolOutcome,
)
from bearagent_domain.ids import RunId
from bearagent_domain.json_values import JSON_DEPTH_MAX, JSON_NODES_MAX, JsonObject, JsonRefused, JsonValue
from bearagent_domain.records import (
    BODY_BYTES_MAX,
    FIRST_PREV_HASH,
    Head,
    RecordCorrupt,
    RecordedEvent,
    chained,
    opened,
    seal,
)
from bearagent_domain.times import Time
from bearagent_domain.tools import ToolResult

RUN = RunId("11111111-1111-4111-8111-111111111111")
OTHER_RUN = RunId("22222222-2222-4222-8222-222222222222")
NOW = Time("2026-12-01T08:00:00.000Z")
EMPTY = Head()


def sealed(event: AnyEvent, head: Head = EMPTY) -> RecordedEvent:
    return seal(RUN, head, NOW, None, event)


def with_facts(facts: JsonObject) -> AnyEvent:
    return ActivityCompleted(outcome=ToolOutcome(result=ToolResult(content="", facts=facts)))


def with_content(content: str) -> AnyEvent:
    return ActivityCompleted(outcome=ToolOutcome(result=ToolResult(content=content)))


def reopened(record: RecordedEvent) -> RecordedEvent:
    return opened(record.body, record.prev_hash, record.hash)


def refusal_of(function: Callable[[], object], kind: type[BearAgentError]) -> ErrorCode:
    with pytest.raises(kind) as caught:
        function()
    return caught.value.info.code


def forged(body: bytes) -> RecordedEvent:
    """Opens bytes whose hash is right, whatever they say."""
    return opened(body, FIRST_PREV_HASH, chained(FIRST_PREV_HASH, body))


TWO = sealed(RunCancelled(reason="Enough of 熊."), Head().after(sealed(RunStarted())))


@given(st.integers(min_value=0, max_value=len(TWO.body) * 8 - 1))
def test_a_flipped_bit_anywhere_in_the_body_is_seen(bit: int) -> None:
    body = bytearray(TWO.body)
    body[bit // 8] ^= 1 << bit % 8
    assert refusal_of(lambda: opened(bytes(body), TWO.prev_hash, TWO.hash), RecordCorrupt) is ErrorCode.RECORD_CORRUPT


@given(st.integers(min_value=0, max_value=255), st.booleans())
def test_a_flipped_bit_in_a_hash_is_seen(bit: int, of_prev: bool) -> None:
    hashes = [bytearray(TWO.prev_hash), bytearray(TWO.hash)]
    hashes[0 if of_prev else 1][bit // 8] ^= 1 << bit % 8
    with pytest.raises(RecordCorrupt):
        opened(TWO.body, bytes(hashes[0]), bytes(hashes[1]))


@pytest.mark.parametrize("cut", [0, 1, len(TWO.body) // 2, len(TWO.body) - 1])
def test_a_body_that_is_cut_is_seen(cut: int) -> None:
    with pytest.raises(RecordCorrupt):
        opened(TWO.body[:cut], TWO.prev_hash, TWO.hash)


def test_a_record_opens_to_what_was_sealed() -> None:
    assert reopened(TWO) == TWO
    assert (TWO.run_id, TWO.sequence, TWO.recorded_at, TWO.activity_id) == (RUN, 2, NOW, None)


def test_the_same_event_in_another_place_has_another_hash() -> None:
    first = sealed(RunSucceeded())
    assert seal(OTHER_RUN, Head(), NOW, None, RunSucceeded()).hash != first.hash
    assert sealed(RunSucceeded(), Head(0, b"\x01" * 32)).hash != first.hash
    assert sealed(RunSucceeded(), Head(1, FIRST_PREV_HASH)).hash != first.hash


def test_the_chain_hash_covers_its_domain_the_hash_before_and_the_body() -> None:
    assert chained(TWO.prev_hash, TWO.body) == TWO.hash
    assert hashlib.sha256(b"bearagent:event:1\n" + TWO.prev_hash + TWO.body).digest() == TWO.hash


def test_a_log_continues_from_head_to_head() -> None:
    first = sealed(RunStarted())
    head = Head().after(first)
    assert head == Head(1, first.hash)
    assert head.after(TWO) == Head(2, TWO.hash)
    assert head.text == f"1:{first.hash.hex()}"


@pytest.mark.parametrize("sequence", [0, 2, 3], ids=["gap", "repetition", "step back"])
def test_a_record_that_is_not_the_next_one_is_seen(sequence: int) -> None:
    head = Head(sequence, TWO.prev_hash)
    assert refusal_of(lambda: head.after(TWO), RecordCorrupt) is ErrorCode.RECORD_CORRUPT


def test_a_record_of_another_chain_is_seen() -> None:
    assert refusal_of(lambda: Head(1, b"\x01" * 32).after(TWO), RecordCorrupt) is ErrorCode.RECORD_CORRUPT


def test_an_event_of_4_mib_is_sealed_and_one_byte_more_is_refused() -> None:
    room = BODY_BYTES_MAX - len(sealed(with_content("")).body)
    whole = sealed(with_content("x" * room))
    assert len(whole.body) == BODY_BYTES_MAX
    assert reopened(whole) == whole
    code = refusal_of(lambda: sealed(with_content("x" * (room + 1))), JsonRefused)
    assert code is ErrorCode.EVENT_TOO_LARGE


def test_values_are_counted_over_the_whole_body() -> None:
    around = 16  # the body and its 7 fields, outcome, kind, result and its 3 fields, active_ms, the list
    full: list[JsonValue] = [0] * (JSON_NODES_MAX - around)
    sealed(with_facts({"a": full}))
    code = refusal_of(lambda: sealed(with_facts({"a": [*full, 0]})), JsonRefused)
    assert code is ErrorCode.JSON_TOO_LARGE


def test_depth_is_counted_over_the_whole_body() -> None:
    around = 5  # the body, payload, outcome, result, facts
    deep: JsonValue = 1
    for _ in range(JSON_DEPTH_MAX - around - 1):
        deep = [deep]
    sealed(with_facts({"a": deep}))
    code = refusal_of(lambda: sealed(with_facts({"a": [deep]})), JsonRefused)
    assert code is ErrorCode.JSON_TOO_DEEP


def test_brackets_and_commas_within_a_text_are_no_values() -> None:
    assert reopened(sealed(with_content("[{," * 20_000)))


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_that_cannot_be_stored_is_refused(text: str) -> None:
    assert refusal_of(lambda: sealed(RunCancelled(reason=text)), JsonRefused) is ErrorCode.JSON_INVALID


def test_a_text_that_only_looks_like_an_escaped_nul_is_sealed() -> None:
    record = sealed(RunCancelled(reason="\\u0000"))
    assert reopened(record).event == RunCancelled(reason="\\u0000")


def test_nesting_without_end_is_refused() -> None:
    deep: JsonValue = 1
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(JsonRefused):
        sealed(with_facts({"a": deep}))


BODY = {
    "run_id": RUN,
    "sequence": 1,
    "type": "run.started",
    "version": 1,
    "recorded_at": NOW,
    "activity_id": None,
    "payload": {},
}


@pytest.mark.parametrize(
    "change",
    [
        {"run_id": "x"},
        {"sequence": 0},
        {"sequence": "1"},
        {"recorded_at": "yesterday"},
        {"activity_id": "x"},
        {"payload": {"extra": 1}},
        {"payload": None},
        {"extra": 1},
    ],
)
def test_well_hashed_bytes_that_are_no_event_are_corrupt(change: dict[str, object]) -> None:
    body = msgspec.json.encode({**BODY, **change})
    assert refusal_of(lambda: forged(body), RecordCorrupt) is ErrorCode.RECORD_CORRUPT


@pytest.mark.parametrize("body", [b"", b"null", b"[]", b"\xff", b"{" * 100_000, b'{"payload":' + b"[" * 100_000])
def test_well_hashed_bytes_that_are_no_document_are_corrupt(body: bytes) -> None:
    assert refusal_of(lambda: forged(body), RecordCorrupt) is ErrorCode.RECORD_CORRUPT


def test_an_event_of_a_newer_version_is_not_called_corrupt() -> None:
    body = msgspec.json.encode({**BODY, "version": 2})
    assert refusal_of(lambda: forged(body), BearAgentError) is ErrorCode.SCHEMA_VERSION_UNKNOWN


def test_an_event_of_version_0_opens_as_todays_and_keeps_its_bytes() -> None:
    body = msgspec.json.encode({**BODY, "version": 0, "payload": {"note": "as it once was"}})
    record = forged(body)
    assert record.event == RunStarted()
    assert record.body == body
