"""Under which identity and configuration a run was made: fixed in its first event, never changed after.

The shapes are those that applications and child runs need, so that no event has to change for them. What a plain run
has no use for is typed `None` and stays null.
"""

import msgspec

from bearagent_domain.budgets import RunLimits
from bearagent_domain.documents import Doc, Rec
from bearagent_domain.ids import (
    N0,
    N1,
    NO_HASH,
    AppId,
    Line,
    Name,
    RoleId,
    RunId,
    SessionId,
    Sha,
    TaskId,
    ToolName,
    Uid,
    Up16,
    Up32,
    Up64,
    Up128,
    Version,
)
from bearagent_domain.json_values import hash_of
from bearagent_domain.models import ModelProfile

APPROVAL_EXPIRY_S = 86_400


class RunIdentity(Doc, frozen=True, kw_only=True):
    """Who and where in its tree a run is. A plain run is its own root at depth 0."""

    run_id: RunId
    root_run_id: RunId
    parent_run_id: RunId | None
    task_id: TaskId
    depth: N0
    uid: Uid
    session_id: SessionId


class ApplicationRef(Doc, frozen=True, kw_only=True):
    """The application by exact name and version, and the hash of all that it declares."""

    application_id: AppId
    application_version: Version
    config_hash: Sha


class ProviderPin(Rec, frozen=True, kw_only=True):
    """A named part that an application brings, by version."""

    kind: Name
    name: Name
    version: Version


class ToolPin(Rec, frozen=True, kw_only=True):
    """A tool by the hash of its whole spec."""

    name: ToolName
    spec_hash: Sha


class RunConfigSnapshot(Doc, frozen=True, kw_only=True):
    """The resolved configuration that rules a run until its end. `snapshot_hash` covers it without itself."""

    application: ApplicationRef
    role: RoleId
    role_hash: Sha
    child_role_hashes: Up16[tuple[RoleId, Sha]] = ()
    model: ModelProfile
    tools: Up64[ToolPin]
    capabilities: Up128[ToolName]
    providers: Up32[ProviderPin] = ()
    validation_policy_hash: Sha = NO_HASH
    policy_hash: Sha
    rates_hash: Sha | None = None
    limits: RunLimits
    context_chars_max: N1
    timeouts_s: tuple[tuple[Name, N1], ...] = ()
    approval_expiry_s: N1 = APPROVAL_EXPIRY_S
    memory: None = None
    knowledge: None = None
    snapshot_hash: Sha = NO_HASH


class FingerprintPart(Rec, frozen=True, kw_only=True):
    """One installed package and its version."""

    name: Line
    version: Line


class RunFingerprint(Doc, frozen=True, kw_only=True):
    """What was installed when the run was made. It informs; it grants and refuses nothing, is never back-filled."""

    packages: tuple[FingerprintPart, ...]
    policy: Line
    policy_hash: Sha
    tools: Up64[ToolPin]


def sealed_snapshot(snapshot: RunConfigSnapshot) -> RunConfigSnapshot:
    """`snapshot` with its hash filled in."""
    return msgspec.structs.replace(snapshot, snapshot_hash=snapshot_hash(snapshot))


def snapshot_hash(snapshot: RunConfigSnapshot) -> str:
    """SHA-256 over the snapshot with the hash field as zeros, domain `snapshot`."""
    return hash_of("snapshot", msgspec.structs.replace(snapshot, snapshot_hash=NO_HASH))
