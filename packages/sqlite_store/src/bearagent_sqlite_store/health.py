"""How the database file is, for `doctor`: its tables, its size, and whether SQLite finds fault with its pages."""

import os
from pathlib import Path

from bearagent_domain.documents import Rec
from bearagent_domain.ids import RunId
from bearagent_sqlite_store.connections import connect_existing
from bearagent_sqlite_store.errors import translated_errors
from bearagent_sqlite_store.folders import beside
from bearagent_sqlite_store.heads import KeptHeads
from bearagent_sqlite_store.migrations import schema_version

PROBLEMS_MAX = 10


class DatabaseHealth(Rec, frozen=True, kw_only=True):
    """What was found. `size` in bytes includes the write-ahead log; `problems` are SQLite's words on damaged pages.

    `lost_runs` are those of which a head was kept beside the database, but which it does not hold.
    """

    schema: int
    size: int
    runs: int
    events: int
    problems: tuple[str, ...]
    lost_runs: tuple[RunId, ...]


def check_database(path: str | os.PathLike[str]) -> DatabaseHealth:
    """Look at the record at `path` and change nothing in it; reads the whole file.

    Raises `StoreError` as opening does. That every event is the one that was sealed, only reading each run tells.
    """
    file = Path(path)
    db = connect_existing(file)
    try:
        with translated_errors():
            held = {run_id for (run_id,) in db.execute("SELECT run_id FROM bindings")}
            found = db.execute(f"PRAGMA quick_check({PROBLEMS_MAX})").fetchall()
            return DatabaseHealth(
                schema=schema_version(db),
                size=sum(part.stat().st_size for part in (file, beside(file, "-wal")) if part.exists()),
                runs=len(held),
                events=db.execute("SELECT count(*) FROM events").get,
                problems=tuple(str(line) for (line,) in found if line != "ok"),
                lost_runs=tuple(run_id for run_id in KeptHeads(beside(file, ".heads")).run_ids() if run_id not in held),
            )
    finally:
        db.close()
