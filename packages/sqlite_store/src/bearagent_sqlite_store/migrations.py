"""The tables of the record: numbered migrations, their ledger, and the refusal of tables that are not ours.

The ledger holds the SHA-256 of each migration's SQL and of all table definitions after it, so that a schema which
someone altered is noticed as well as one that a newer version made.
"""

import hashlib
from typing import NamedTuple

import apsw

from bearagent_domain.errors import ErrorCode
from bearagent_sqlite_store.errors import store_error

APPLICATION_ID = 0x42454152  # "BEAR" in the file's header


class Migration(NamedTuple):
    """One step of the schema. Once released its SQL never changes."""

    name: str
    sql: str

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


MIGRATIONS = (
    Migration(
        "record",
        """
CREATE TABLE migrations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    schema_sha256 TEXT NOT NULL,
    applied_at TEXT NOT NULL
) STRICT;

-- One row per run, numbered in order of insertion: the number stands for the run's id in all other tables.
CREATE TABLE bindings (
    run_number INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    workspace_identity TEXT NOT NULL,
    provider TEXT NOT NULL,
    api TEXT NOT NULL
) STRICT;

-- The one truth. The hash before is that of the row before; type, time and activity stand in the body alone.
-- The hash stands before the body, so that finding the head of a run reads no long body.
CREATE TABLE events (
    run_number INTEGER NOT NULL REFERENCES bindings,
    sequence INTEGER NOT NULL,
    hash BLOB NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (run_number, sequence)
) STRICT;

-- Projections: computed from events, deleted and made again at will.
CREATE TABLE runs (
    run_number INTEGER PRIMARY KEY REFERENCES bindings,
    root_run_id TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    objective TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    last_sequence INTEGER NOT NULL,
    model_calls INTEGER NOT NULL,
    tool_calls INTEGER NOT NULL,
    error_code TEXT
) STRICT;

CREATE TABLE activities (
    run_number INTEGER NOT NULL REFERENCES bindings,
    activity_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    status TEXT NOT NULL,
    call_id TEXT,
    requested_sequence INTEGER NOT NULL,
    ended_sequence INTEGER,
    error_code TEXT,
    PRIMARY KEY (run_number, activity_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE artifacts (
    run_number INTEGER NOT NULL REFERENCES bindings,
    artifact_id TEXT NOT NULL,
    activity_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    path TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (run_number, sequence)
) STRICT, WITHOUT ROWID;
""",
    ),
)


def schema_version(db: apsw.Connection) -> int:
    """The number of the last migration that was applied; 0 for a database without any table.

    Raises `StoreError`: `store_not_a_database` for a file of another application, `store_schema_unknown` for a schema
    that a newer version made, `store_schema_altered` for one that nobody made.
    """
    application_id, version = db.pragma("application_id"), db.pragma("user_version")
    if application_id == version == 0 and db.execute("SELECT count(*) FROM sqlite_schema").get == 0:
        return 0
    if application_id != APPLICATION_ID:
        raise store_error(ErrorCode.STORE_NOT_A_DATABASE)
    ledger = _ledger(db)
    if version > len(MIGRATIONS) and version == len(ledger):
        raise store_error(ErrorCode.STORE_SCHEMA_UNKNOWN)
    if version != len(ledger) or not _is_as_migrated(db, ledger):
        raise store_error(ErrorCode.STORE_SCHEMA_ALTERED)
    return int(version)


def migrate(db: apsw.Connection) -> None:
    """Apply what is missing, inside the caller's transaction."""
    for number, migration in enumerate(MIGRATIONS[schema_version(db) :], schema_version(db) + 1):
        db.execute(migration.sql)
        db.execute(
            "INSERT INTO migrations VALUES (?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
            (number, migration.name, migration.sha256, _schema_sha256(db)),
        )
        db.pragma("user_version", number)
    db.pragma("application_id", APPLICATION_ID)


def _ledger(db: apsw.Connection) -> list[tuple[object, ...]]:
    """What was applied, in order; empty when the ledger itself is gone."""
    if db.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").get == 0:
        return []
    return db.execute("SELECT number, name, sha256, schema_sha256 FROM migrations ORDER BY number").fetchall()


def _is_as_migrated(db: apsw.Connection, ledger: list[tuple[object, ...]]) -> bool:
    expected = [(number, step.name, step.sha256) for number, step in enumerate(MIGRATIONS[: len(ledger)], 1)]
    return [row[:3] for row in ledger] == expected != [] and ledger[-1][3] == _schema_sha256(db)


def _schema_sha256(db: apsw.Connection) -> str:
    # As bytes: damage can make the value one of another type, or no text at all.
    definitions = db.execute("SELECT CAST(sql AS BLOB) FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
    return hashlib.sha256(b"\n".join(sql for (sql,) in definitions)).hexdigest()
