"""How a database is: for whoever looks before something goes wrong. Reads only."""

import os
from pathlib import Path

from bearagent_domain.documents import Rec
from bearagent_sqlite_store.databases import open_existing_database
from bearagent_sqlite_store.errors import translated

PROBLEMS_SHOWN_MAX = 5


class DatabaseHealth(Rec, frozen=True, kw_only=True):
    """Size in bytes (with its write-ahead log), counts, and what SQLite's own check found wrong; empty is sound."""

    schema: int
    size: int
    runs: int
    events: int
    problems: tuple[str, ...]


def check_database(path: str | os.PathLike[str]) -> DatabaseHealth:
    """Check the whole file. Raises `StoreError` when it can't be opened at all."""
    file = Path(path)
    connection = open_existing_database(file)
    try:
        with translated():
            found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({PROBLEMS_SHOWN_MAX})")]
            found += ["a row names a run that is not there" for _ in connection.execute("PRAGMA foreign_key_check")][:1]
            return DatabaseHealth(
                schema=int(connection.pragma("user_version")),
                size=sum(part.stat().st_size for part in (file, file.with_name(file.name + "-wal")) if part.exists()),
                runs=int(connection.execute("SELECT count(*) FROM runs").get),
                events=int(connection.execute("SELECT count(*) FROM events").get),
                problems=tuple(problem for problem in found if problem != "ok"),
            )
    finally:
        connection.close()
