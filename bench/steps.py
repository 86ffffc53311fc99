"""What a step costs: commits, time against bare SQLite making the same commits of the same bytes, bytes kept.

uv run python -m bench.steps
"""

import math
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import apsw

from bearagent_ports import Append
from bench.measuring import print_table, ratio_of_pairs
from bench.scripted_runs import run_steps

PAIRS = 7
GROWTH_STEPS = (50, 500)


def bare_commits(database: Path, appended: list[Append]) -> float:
    """Seconds that bare apsw needs for the same bytes in the same transactions, with the same settings."""
    connection = apsw.Connection(str(database))
    for pragma in ("journal_mode = wal", "synchronous = FULL"):
        list(connection.execute(f"PRAGMA {pragma}"))
    connection.execute("CREATE TABLE events (sequence INTEGER PRIMARY KEY, body BLOB, hash BLOB)")
    begun = time.perf_counter()
    for part in appended:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "INSERT INTO events VALUES (?, ?, ?)", [(event.sequence, event.body, event.hash) for event in part.events]
        )
        connection.execute("COMMIT")
    seconds = time.perf_counter() - begun
    connection.close()
    return seconds


def main() -> None:
    """Measure in a temporary folder and print one table."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = count()

        def fresh() -> Path:
            return Path(folder) / f"{next(numbers)}.db"

        _, appended = run_steps(fresh(), 200, None)
        commits = (len(appended) - 1) / 200
        ours, bare, ratio = ratio_of_pairs(
            lambda: run_steps(fresh(), 200, None)[0], lambda: bare_commits(fresh(), appended), PAIRS
        )
        _, _, growth = ratio_of_pairs(per_step(fresh, 500), per_step(fresh, 50), PAIRS)
        small, large = (kept_bytes(fresh(), steps) for steps in GROWTH_STEPS)
        exponent = math.log(large / small) / math.log(GROWTH_STEPS[1] / GROWTH_STEPS[0])
        print_table(
            f"A step of one model call and one tool call: {ours / 200 * 1e6:,.0f} µs, bare {bare / 200 * 1e6:,.0f} µs",
            [
                ("commits a step, over 200", f"{commits:.2f}", "at most 2.1", commits <= 2.1),
                ("time against bare apsw", f"{ratio:.2f}", "at most 2.5", ratio <= 2.5),
                ("time a step, 500 against 50 steps", f"{growth:.2f}", "at most 1.2", growth <= 1.2),
                (
                    "KiB a step, results of 0 to 4 KiB",
                    f"{large / 500 / 1024:.1f}",
                    "at most 8",
                    large / 500 <= 8 * 1024,
                ),
                ("growth exponent, 50 to 500 steps", f"{exponent:.2f}", "at most 1.05", exponent <= 1.05),
            ],
        )


def per_step(fresh: Callable[[], Path], steps: int) -> Callable[[], float]:
    """A function that gives the seconds of one step in a run of so many."""
    return lambda: run_steps(fresh(), steps, None)[0] / steps


def kept_bytes(database: Path, steps: int) -> int:
    """Bytes of the whole database after a run whose results have 0 to 4 KiB."""
    run_steps(database, steps, 4_096)
    return database.stat().st_size


if __name__ == "__main__":
    main()
