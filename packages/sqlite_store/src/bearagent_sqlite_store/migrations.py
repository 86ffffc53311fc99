"""The schema of the database, as numbered migrations, and the ledger of those that were applied."""

from dataclasses import dataclass

import apsw

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.json_values import sha256_hex
from bearagent_domain.times import Time
from bearagent_ports import StoreError

APPLICATION_ID = 0x42454152  # "BEAR": tells our databases from others

_LEDGER = """
CREATE TABLE migrations (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    applied_at TEXT NOT NULL
) STRICT
"""


@dataclass(frozen=True)
class Migration:
    """One step of the schema. What was released never changes; its hash stands in every database."""

    name: str
    statements: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """Over all statements."""
        return sha256_hex(";".join(self.statements).encode())


MIGRATIONS = (
    Migration(
        name="runs, events and their rows",
        statements=(
            """CREATE TABLE runs (
                place INTEGER PRIMARY KEY,
                run_id TEXT NOT NULL UNIQUE,
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
            ) STRICT""",
            """CREATE TABLE events (
                run INTEGER NOT NULL REFERENCES runs (place),
                sequence INTEGER NOT NULL,
                body BLOB NOT NULL,
                hash BLOB NOT NULL,
                PRIMARY KEY (run, sequence)
            ) STRICT""",
            """CREATE TRIGGER events_never_change BEFORE UPDATE ON events
            BEGIN SELECT raise(ABORT, 'events never change'); END""",
            """CREATE TRIGGER events_never_go BEFORE DELETE ON events
            BEGIN SELECT raise(ABORT, 'events never go'); END""",
            """CREATE TABLE activities (
                run INTEGER NOT NULL REFERENCES runs (place),
                requested_sequence INTEGER NOT NULL,
                activity_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                name TEXT NOT NULL,
                attempt INTEGER NOT NULL,
                status TEXT NOT NULL,
                call_id TEXT,
                ended_sequence INTEGER,
                error_code TEXT,
                PRIMARY KEY (run, requested_sequence)
            ) STRICT, WITHOUT ROWID""",
            """CREATE TABLE artifacts (
                run INTEGER NOT NULL REFERENCES runs (place),
                sequence INTEGER NOT NULL,
                artifact_id TEXT NOT NULL,
                activity_id TEXT NOT NULL,
                path TEXT NOT NULL,
                size INTEGER NOT NULL,
                sha256 TEXT NOT NULL,
                PRIMARY KEY (run, sequence)
            ) STRICT, WITHOUT ROWID""",
            """CREATE TABLE bindings (
                run INTEGER PRIMARY KEY REFERENCES runs (place),
                workspace TEXT NOT NULL,
                workspace_identity TEXT NOT NULL,
                provider TEXT NOT NULL,
                api TEXT NOT NULL
            ) STRICT""",
        ),
    ),
)


def schema_version(connection: apsw.Connection) -> int:
    """How many migrations the database has had; 0 for an empty one. Raises `StoreError` for a foreign database."""
    application_id = int(connection.pragma("application_id"))
    version = int(connection.pragma("user_version"))
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if application_id == 0 and version == 0 and tables == 0:
        return 0
    if application_id != APPLICATION_ID:
        message = "This database belongs to another program. Name another file with --db."
        raise StoreError(failure(ErrorCode.STORE_NOT_A_DATABASE, message))
    if version > len(MIGRATIONS):
        message = f"This database has schema {version}; this BearAgent knows {len(MIGRATIONS)}. Use a newer BearAgent."
        raise StoreError(failure(ErrorCode.STORE_SCHEMA_UNKNOWN, message))
    return version


def require_ledger(connection: apsw.Connection, version: int) -> None:
    """Raise `StoreError` unless the ledger names exactly the migrations known here, up to `version`."""
    found = list(connection.execute("SELECT version, name, sha256 FROM migrations ORDER BY version"))
    known = [(number, step.name, step.sha256) for number, step in enumerate(MIGRATIONS[:version], start=1)]
    if found != known:
        message = "The schema of this database was altered by something else. Restore a copy, or use another file."
        raise StoreError(failure(ErrorCode.STORE_SCHEMA_UNKNOWN, message))


def migrate(connection: apsw.Connection, version: int, now: Time) -> None:
    """Apply all migrations after `version` in one transaction of their own."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version == 0:
            connection.execute(_LEDGER)
            connection.pragma("application_id", APPLICATION_ID)
        for number, step in enumerate(MIGRATIONS[version:], start=version + 1):
            for statement in step.statements:
                connection.execute(statement)
            connection.execute("INSERT INTO migrations VALUES (?, ?, ?, ?)", (number, step.name, step.sha256, now))
        connection.pragma("user_version", len(MIGRATIONS))
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
