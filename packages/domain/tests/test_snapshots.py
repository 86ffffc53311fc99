"""The configuration of a run is pinned by one hash over all of it; what a plain run has no use for stays null."""

import msgspec
import pytest

from bearagent_domain.budgets import DEFAULT_LIMITS
from bearagent_domain.ids import NO_HASH
from bearagent_domain.models import ModelProfile
from bearagent_domain.snapshots import (
    ApplicationRef,
    ProviderPin,
    RunConfigSnapshot,
    RunIdentity,
    ToolPin,
    sealed_snapshot,
    snapshot_hash,
)

ID = "11111111-1111-4111-8111-111111111111"
OTHER_HASH = "1" * 64
SNAPSHOT = RunConfigSnapshot(
    application=ApplicationRef(application_id="bearagent-plain", application_version="1.0.0", config_hash=NO_HASH),
    role="bearagent-plain/agent",
    role_hash=NO_HASH,
    model=ModelProfile(provider="offline", model="extractive"),
    tools=(ToolPin(name="notes.read", spec_hash=NO_HASH),),
    capabilities=("notes.read",),
    policy_hash=NO_HASH,
    limits=DEFAULT_LIMITS,
    context_chars_max=524_288,
)
CHANGES: dict[str, object] = {
    "application": ApplicationRef(application_id="bearagent-plain", application_version="1.0.1", config_hash=NO_HASH),
    "role": "bearagent-plain/other",
    "role_hash": OTHER_HASH,
    "child_role_hashes": (("bearagent-plain/child", NO_HASH),),
    "model": ModelProfile(provider="offline", model="extractive", seed=1),
    "tools": (ToolPin(name="notes.read", spec_hash=OTHER_HASH),),
    "capabilities": (),
    "providers": (ProviderPin(kind="context", name="notes", version="1.0.0"),),
    "validation_policy_hash": OTHER_HASH,
    "policy_hash": OTHER_HASH,
    "rates_hash": OTHER_HASH,
    "limits": msgspec.structs.replace(DEFAULT_LIMITS, tool_calls=1),
    "context_chars_max": 1,
    "timeouts_s": (("model_total", 1),),
    "approval_expiry_s": 1,
}


def test_every_field_but_the_hash_itself_counts_for_the_hash() -> None:
    fixed = {"schema_version", "memory", "knowledge", "snapshot_hash"}
    assert set(CHANGES) | fixed == set(RunConfigSnapshot.__struct_fields__)
    changed = {snapshot_hash(msgspec.structs.replace(SNAPSHOT, **{name: value})) for name, value in CHANGES.items()}
    assert len(changed | {snapshot_hash(SNAPSHOT)}) == len(CHANGES) + 1
    assert snapshot_hash(msgspec.structs.replace(SNAPSHOT, snapshot_hash=OTHER_HASH)) == snapshot_hash(SNAPSHOT)


def test_a_sealed_snapshot_holds_its_hash_and_changes_nothing_else() -> None:
    sealed = sealed_snapshot(SNAPSHOT)
    assert sealed.snapshot_hash == snapshot_hash(sealed)
    assert msgspec.structs.replace(sealed, snapshot_hash=NO_HASH) == SNAPSHOT


@pytest.mark.parametrize(
    "change",
    [
        {"memory": {}},
        {"knowledge": []},
        {"snapshot_hash": "short"},
        {"role": "agent"},
        {"tools": [{"name": "notes.read", "spec_hash": NO_HASH}] * 65},
        {"context_chars_max": 0},
        {"api_key": "x"},
    ],
)
def test_a_snapshot_out_of_its_bounds_is_refused(change: dict[str, object]) -> None:
    whole = msgspec.to_builtins(SNAPSHOT)
    assert msgspec.convert(whole, RunConfigSnapshot) == SNAPSHOT
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**whole, **change}, RunConfigSnapshot)


@pytest.mark.parametrize("missing", ["root_run_id", "parent_run_id", "uid", "depth"])
def test_an_identity_says_everything_or_is_refused(missing: str) -> None:
    whole = {
        "schema_version": 1,
        "run_id": ID,
        "root_run_id": ID,
        "parent_run_id": None,
        "task_id": ID,
        "depth": 0,
        "uid": "owner",
        "session_id": ID,
    }
    msgspec.convert(whole, RunIdentity)
    del whole[missing]
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(whole, RunIdentity)
