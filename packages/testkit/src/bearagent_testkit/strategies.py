"""Hypothesis strategies for what comes from outside: JSON values and arguments."""

from hypothesis import strategies as st

from bearagent_domain.json_values import JSON_INTEGER_MAX, JsonObject, JsonValue

_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-JSON_INTEGER_MAX, max_value=JSON_INTEGER_MAX),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
)


def json_values() -> st.SearchStrategy[JsonValue]:
    """Any small JSON value as a model might send it, NUL included."""
    return st.recursive(
        _LEAVES,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=12,
    )


def json_objects() -> st.SearchStrategy[JsonObject]:
    """Any small JSON object, with keys that tools really have among them."""
    keys = st.sampled_from(["path", "content", "query", "text", "cursor", "start_line", "limit"]) | st.text(max_size=8)
    return st.dictionaries(keys, json_values(), max_size=5)
