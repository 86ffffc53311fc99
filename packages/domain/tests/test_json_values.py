"""What JSON is let in, and that equal values have one form and one hash. Fixed vectors stand in test_golden.py."""

import json
import math
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import (
    EXACT_FLOAT_MAX,
    JSON_DEPTH_MAX,
    JSON_INTEGER_MAX,
    JSON_NODES_MAX,
    JsonObject,
    JsonRefused,
    JsonValue,
    canonical_json,
    has_lone_surrogate,
    hash_of,
    is_storable_text,
    node_count_within,
    parse_json_text,
    require_json,
    sha256_hex,
    storable_text,
)

STORABLE = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=12)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-JSON_INTEGER_MAX, max_value=JSON_INTEGER_MAX),
    st.floats(allow_nan=False, allow_infinity=False),
    STORABLE,
)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STORABLE, inner, max_size=4),
    max_leaves=8,
)
OBJECTS: st.SearchStrategy[JsonObject] = st.dictionaries(STORABLE, VALUES, max_size=4)


def nested(levels: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(levels - 1):
        value = [value]
    return value


def refusal_of(function: Callable[[], object]) -> ErrorCode:
    with pytest.raises(JsonRefused) as caught:
        function()
    return caught.value.info.code


@given(OBJECTS, st.randoms(use_true_random=False))
def test_canonical_form_does_not_depend_on_the_order_of_keys(value: JsonObject, random: Random) -> None:
    keys = list(value)
    random.shuffle(keys)
    assert canonical_json({key: value[key] for key in keys}) == canonical_json(value)


@given(VALUES)
def test_a_value_survives_its_canonical_form(value: JsonValue) -> None:
    once = parse_json_text(canonical_json(value).decode())
    assert once == value
    again = parse_json_text(canonical_json(once).decode())
    assert canonical_json(again) == canonical_json(once)


@given(VALUES)
def test_what_was_parsed_may_be_stored(value: JsonValue) -> None:
    require_json(parse_json_text(json.dumps(value)))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_equal_numbers_have_equal_hashes_below_two_to_the_53(number: float) -> None:
    parsed = parse_json_text(repr(number))
    assert parsed == number
    if number.is_integer() and abs(number) < EXACT_FLOAT_MAX:
        assert hash_of("arguments", parsed) == hash_of("arguments", int(number))


@given(ANY_TEXT)
def test_parsing_foreign_text_gives_json_or_a_refusal_and_nothing_else(text: str) -> None:
    try:
        value = parse_json_text(text)
    except JsonRefused:
        return
    assert canonical_json(value)


def test_a_hash_of_one_domain_is_no_hash_of_another() -> None:
    assert hash_of("tool", {}) != hash_of("prepared", {})
    assert hash_of("tool", {}) != sha256_hex(canonical_json({}))


def test_depth_is_counted_from_the_value_itself() -> None:
    require_json(nested(JSON_DEPTH_MAX))
    assert refusal_of(lambda: require_json(nested(JSON_DEPTH_MAX + 1))) is ErrorCode.JSON_TOO_DEEP


def test_values_are_counted_with_the_container() -> None:
    require_json([0] * (JSON_NODES_MAX - 1))
    assert refusal_of(lambda: require_json([0] * JSON_NODES_MAX)) is ErrorCode.JSON_TOO_LARGE
    assert refusal_of(lambda: parse_json_text(json.dumps([0] * JSON_NODES_MAX))) is ErrorCode.JSON_TOO_LARGE


def test_own_limits_take_the_place_of_the_general_ones() -> None:
    assert refusal_of(lambda: require_json([[1]], depth_max=2)) is ErrorCode.JSON_TOO_DEEP
    assert refusal_of(lambda: parse_json_text("[1, 2]", nodes_max=2)) is ErrorCode.JSON_TOO_LARGE


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (math.nan, ErrorCode.JSON_INVALID),
        ([math.inf], ErrorCode.JSON_INVALID),
        ({"a": -math.inf}, ErrorCode.JSON_INVALID),
        ("\ud800", ErrorCode.JSON_INVALID),
        ({"\udc00": 1}, ErrorCode.JSON_INVALID),
        ("a\0b", ErrorCode.JSON_INVALID),
        ({"a\0": 1}, ErrorCode.JSON_INVALID),
        ({1: 2}, ErrorCode.JSON_INVALID),
        (b"bytes", ErrorCode.JSON_INVALID),
        ({1, 2}, ErrorCode.JSON_INVALID),
        (object(), ErrorCode.JSON_INVALID),
        (JSON_INTEGER_MAX + 1, ErrorCode.JSON_NUMBER_RANGE),
        (-JSON_INTEGER_MAX - 1, ErrorCode.JSON_NUMBER_RANGE),
    ],
)
def test_a_value_that_json_cannot_keep_is_refused(value: object, code: ErrorCode) -> None:
    assert refusal_of(lambda: require_json(value)) is code


def test_a_refused_text_does_not_repeat_what_it_held() -> None:
    with pytest.raises(JsonRefused) as caught:
        parse_json_text('{"password": "hunter2", "password": "hunter2"}')
    assert "password" not in caught.value.info.message


@given(VALUES, st.integers(min_value=0, max_value=10))
def test_counting_stops_one_past_the_limit(value: JsonValue, limit: int) -> None:
    whole = node_count_within(value, 10_000)
    assert node_count_within(value, limit) == min(whole, limit + 1)


@given(ANY_TEXT)
def test_storable_text_can_be_stored_and_changes_nothing_else(text: str) -> None:
    made = storable_text(text)
    assert is_storable_text(made)
    require_json(made)
    if is_storable_text(text):
        assert made == text


@pytest.mark.parametrize(
    ("text", "stored"),
    [("a\0b", "a\ufffdb"), ("\ud800x", "\ufffdx"), ("x\udc00", "x\ufffd"), ("\U0001f43b", "\U0001f43b")],
)
def test_what_cannot_be_stored_becomes_the_replacement_character(text: str, stored: str) -> None:
    assert storable_text(text) == stored


def test_two_halves_of_a_pair_are_lone_until_they_are_joined() -> None:
    assert has_lone_surrogate("\ud83d\udc3b")
    assert storable_text("\ud83d\udc3b") == "\U0001f43b"
    assert not has_lone_surrogate("\U0001f43b")
