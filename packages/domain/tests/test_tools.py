"""A tool is pinned by the hash of all that it declares; a call is pinned by the hash of its normalised form."""

import msgspec
import pytest

from bearagent_domain.ids import NO_HASH, ArtifactId
from bearagent_domain.tools import (
    CALL_NAME_CHARS_MAX,
    EXCERPT_CHARS_MAX,
    Effect,
    Intent,
    PreparedToolRequest,
    Resource,
    RetrySafety,
    ToolCall,
    ToolSpec,
)

SPEC = ToolSpec(
    name="notes.read",
    spec_version="1.0.0",
    description="Read a note.",
    input_schema={"type": "object", "properties": {"path": {"type": "string"}}},
    effect=Effect.WORKSPACE_READ,
    retry=RetrySafety.SAFE,
    timeout_ms=1_000,
    result_bytes_max=65_536,
)
CHANGES = {
    "name": "notes.write",
    "spec_version": "1.0.1",
    "description": "Read a note!",
    "input_schema": {"type": "object", "properties": {}},
    "effect": Effect.WORKSPACE_WRITE,
    "retry": RetrySafety.NOT_SAFE,
    "timeout_ms": 1_001,
    "result_bytes_max": 65_537,
}
PREPARED = PreparedToolRequest(
    tool="notes.read", arguments={"path": "a.md"}, resources=(Resource(kind="file", access="read", name="a.md"),)
)


def test_each_field_of_a_spec_counts_for_its_hash() -> None:
    assert set(CHANGES) | {"schema_version"} == set(ToolSpec.__struct_fields__)
    hashes = {msgspec.structs.replace(SPEC, **{name: value}).spec_hash for name, value in CHANGES.items()}
    assert len(hashes | {SPEC.spec_hash}) == len(CHANGES) + 1


def test_the_order_of_keys_in_a_schema_does_not_count() -> None:
    turned = dict(reversed(SPEC.input_schema.items()))
    assert msgspec.structs.replace(SPEC, input_schema=turned).spec_hash == SPEC.spec_hash


def test_each_part_of_a_prepared_request_counts_for_its_hash() -> None:
    others = [
        msgspec.structs.replace(PREPARED, tool="notes.write"),
        msgspec.structs.replace(PREPARED, arguments={"path": "b.md"}),
        msgspec.structs.replace(PREPARED, resources=()),
        msgspec.structs.replace(PREPARED, resources=(Resource(kind="file", access="write", name="a.md"),)),
    ]
    assert len({PREPARED.prepared_hash, *(other.prepared_hash for other in others)}) == 5


def test_only_reading_and_nothing_change_nothing() -> None:
    assert [effect for effect in Effect if effect.changes_nothing] == [Effect.NONE, Effect.WORKSPACE_READ]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Notes.read"},
        {"name": "notes/read"},
        {"spec_version": "1"},
        {"description": ""},
        {"effect": "magic"},
        {"retry": "always"},
        {"timeout_ms": 0},
        {"result_bytes_max": 0},
        {"schema_version": 2},
        {"command": "rm"},
    ],
)
def test_a_spec_out_of_its_bounds_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**msgspec.to_builtins(SPEC), **change}, ToolSpec)


@pytest.mark.parametrize(
    "change",
    [
        {"call_id": "no spaces"},
        {"name": "x" * (CALL_NAME_CHARS_MAX + 1)},
        {"arguments": [1]},
        {"arguments_excerpt": "x" * (EXCERPT_CHARS_MAX + 1)},
        {"arguments_sha256": "short"},
        {"arguments_text": "{}"},
    ],
)
def test_a_call_out_of_its_bounds_is_refused(change: dict[str, object]) -> None:
    whole: dict[str, object] = {"call_id": "call_1", "name": "notes.read", "arguments": {}}
    msgspec.convert(whole, ToolCall)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**whole, **change}, ToolCall)


def test_an_intent_tells_a_new_file_from_a_replaced_one() -> None:
    new = Intent(path="outputs/a.md", size=1, sha256=NO_HASH, artifact_id=ArtifactId("x"))
    replaced = msgspec.structs.replace(new, prior_sha256=NO_HASH)
    assert b"prior_sha256" not in msgspec.json.encode(new)
    assert b"prior_sha256" in msgspec.json.encode(replaced)
