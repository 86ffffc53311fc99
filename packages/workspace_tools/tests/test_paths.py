"""The path rules as a function, where the table of hostile paths does not already say it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bearagent_domain.errors import ErrorCode
from bearagent_ports import CallRefused
from bearagent_workspace_tools.paths import (
    child_of,
    is_temporary,
    normalised,
    parts_of,
    require_writable,
    temporary_name,
)

texts = st.text(st.characters(exclude_categories=()), max_size=60) | st.text("./\\ a~:．\u2025", max_size=12)


@given(texts)
def test_a_normalised_path_is_relative_and_stays_as_it_is(text: str) -> None:
    try:
        path = normalised(text)
    except CallRefused:
        return
    assert normalised(path) == path
    assert path == "." or all(part not in ("", ".", "..") for part in parts_of(path))
    assert not path.startswith("/") and "\\" not in path and len(path.encode()) <= 1_024


@pytest.mark.parametrize("path", ["./~", "././~root/x", ".\\~"])
def test_what_names_a_home_stays_refused_behind_dots(path: str) -> None:
    with pytest.raises(CallRefused) as refused:
        normalised(path)
    assert refused.value.info.code is ErrorCode.PATH_HOME


@given(texts)
def test_a_writable_path_is_a_file_below_outputs(text: str) -> None:
    try:
        path = normalised("outputs/" + text)
        require_writable(path)
    except CallRefused:
        return
    assert path.startswith("outputs/") and unicodedata.is_normalized("NFC", path)


def test_an_entry_that_a_path_cannot_name_has_no_child_path() -> None:
    assert child_of(".", "a.md") == "a.md"
    assert child_of("docs", "a.md") == "docs/a.md"
    for name in ("a\\b", "..", ".", "", "a/b/../c", "a.", "nul", "\udcff"):
        assert child_of("docs", name) is None
    assert child_of("/".join("a" * 32), "b") is None


def test_a_temporary_name_is_known_again_and_short() -> None:
    name = temporary_name("123e4567-e89b-42d3-a456-426614174000", 3, 1)
    assert is_temporary(name) and len(name) < 100
    assert not is_temporary(".bearagent-notes.part")


@pytest.mark.parametrize("name", [".git", ".GIT", ".g\u200dit", ".git\ufe0f"])
def test_a_repository_is_never_written_into(name: str) -> None:
    with pytest.raises(CallRefused) as caught:
        require_writable(normalised(f"outputs/{name}/config"))
    assert caught.value.info.code is ErrorCode.PATH_PROTECTED
