"""Bytes and hashes as they were computed once, without this package; a record written today must verify for ever."""

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bearagent_domain.events import AnyEvent
from bearagent_domain.json_values import JsonRefused, canonical_json, hash_of, hash_of_bytes, parse_json_text
from bearagent_domain.prices import ModelRate, rates_hash
from bearagent_domain.records import Head, RecordedEvent, opened, seal
from bearagent_domain.snapshots import RunConfigSnapshot, sealed_snapshot, snapshot_hash
from bearagent_domain.tools import PreparedToolRequest, ToolSpec
from bearagent_domain.upcasters import decoded_event

GOLDEN = Path(__file__).parent / "golden"


def vectors(name: str) -> Any:
    return json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))


def independent_json(value: object) -> bytes:
    """Canonical JSON by the standard library, which agrees but for floats with an exponent."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def independent_hash(kind: str, data: bytes) -> str:
    return hashlib.sha256(f"bearagent:{kind}:1\n".encode() + data).hexdigest()


CANONICAL = vectors("canonical_json")
NUMBERS = vectors("numbers")
VERDICTS = vectors("verdicts")
CHAIN = vectors("chain")
DOCUMENTS = vectors("documents")


@pytest.mark.parametrize("vector", CANONICAL, ids=[vector["name"] for vector in CANONICAL])
def test_canonical_bytes_are_the_golden_ones(vector: dict[str, Any]) -> None:
    expected = bytes.fromhex(vector["bytes_hex"])
    assert canonical_json(parse_json_text(vector["json"])) == expected
    assert independent_json(json.loads(vector["json"])) == expected


@pytest.mark.parametrize("vector", CANONICAL, ids=[vector["name"] for vector in CANONICAL])
def test_hashes_are_the_golden_ones_in_each_domain(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["bytes_hex"])
    for kind, expected in vector["hashes"].items():
        assert hash_of(kind, parse_json_text(vector["json"])) == expected
        assert hash_of_bytes(kind, data) == expected
        assert independent_hash(kind, data) == expected
    assert len(set(vector["hashes"].values())) == len(vector["hashes"])


@pytest.mark.parametrize("vector", NUMBERS, ids=[vector["text"] for vector in NUMBERS])
def test_a_number_is_written_the_golden_way(vector: dict[str, str]) -> None:
    assert canonical_json(parse_json_text(vector["text"])).decode() == vector["canonical"]


@pytest.mark.parametrize("vector", VERDICTS, ids=[vector["name"] for vector in VERDICTS])
def test_a_json_text_gets_its_golden_verdict(vector: dict[str, Any]) -> None:
    if vector["code"] is None:
        parse_json_text(vector["text"])
        return
    with pytest.raises(JsonRefused) as caught:
        parse_json_text(vector["text"])
    assert caught.value.info.code == vector["code"]


def test_sealing_gives_the_golden_chain() -> None:
    head = Head()
    for vector in CHAIN["records"]:
        record = sealed_from(vector, head)
        assert record.body.decode() == vector["body"]
        assert record.prev_hash.hex() == vector["prev_hash"]
        assert record.hash.hex() == vector["hash"]
        head = head.after(record)
    assert head.text == f"{len(CHAIN['records'])}:{CHAIN['records'][-1]['hash']}"


def test_the_golden_chain_opens_to_what_was_sealed() -> None:
    head = Head()
    for vector in CHAIN["records"]:
        record = opened(vector["body"].encode(), bytes.fromhex(vector["prev_hash"]), bytes.fromhex(vector["hash"]))
        assert record == sealed_from(vector, head)
        head = head.after(record)


def test_the_golden_chain_holds_by_a_computation_of_its_own() -> None:
    prev_hash = bytes(32)
    for vector in CHAIN["records"]:
        assert independent_json(json.loads(vector["body"])).decode() == vector["body"]
        assert vector["prev_hash"] == prev_hash.hex()
        prev_hash = hashlib.sha256(b"bearagent:event:1\n" + prev_hash + vector["body"].encode()).digest()
        assert vector["hash"] == prev_hash.hex()


def test_a_tool_spec_has_its_golden_hash() -> None:
    spec = msgspec.convert(DOCUMENTS["tool_spec"]["document"], ToolSpec)
    assert spec.spec_hash == DOCUMENTS["tool_spec"]["hash"]


def test_a_snapshot_has_its_golden_hash_whatever_its_hash_field_holds() -> None:
    snapshot = msgspec.convert(DOCUMENTS["snapshot"]["document"], RunConfigSnapshot)
    sealed = sealed_snapshot(snapshot)
    assert sealed.snapshot_hash == DOCUMENTS["snapshot"]["hash"]
    assert snapshot_hash(sealed) == sealed.snapshot_hash


def test_a_prepared_request_has_its_golden_hash() -> None:
    prepared = msgspec.convert(DOCUMENTS["prepared_request"]["document"], PreparedToolRequest)
    assert prepared.prepared_hash == DOCUMENTS["prepared_request"]["hash"]


def test_a_rate_has_its_golden_hash() -> None:
    rate = msgspec.convert(DOCUMENTS["model_rate"]["document"], ModelRate)
    assert rates_hash(rate) == DOCUMENTS["model_rate"]["hash"]


def test_golden_documents_hash_the_same_by_a_computation_of_their_own() -> None:
    kinds = {"tool_spec": "tool", "snapshot": "snapshot", "prepared_request": "prepared", "model_rate": "rates"}
    computed = {
        name: independent_hash(kind, independent_json(DOCUMENTS[name]["document"])) for name, kind in kinds.items()
    }
    assert computed == {name: DOCUMENTS[name]["hash"] for name in kinds}


def sealed_from(vector: dict[str, Any], head: Head) -> RecordedEvent:
    stored = vector["event"]
    event: AnyEvent = decoded_event(stored["type"], 1, msgspec.json.encode(stored["payload"]))
    return seal(CHAIN["run_id"], head, stored["recorded_at"], stored["activity_id"], event)
