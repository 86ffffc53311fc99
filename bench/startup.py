"""How long the command line takes to start, against a bare typer application with as many commands.

uv run python -m bench.startup
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.measuring import print_table, ratio_of_pairs

PAIRS = 15
BARE = """
import typer
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
@app.callback(invoke_without_command=True)
def bare(version: bool = False) -> None:
    if version:
        print("bare 0.1.0")
for name in ("run", "list", "inspect", "events", "tools", "schema", "init", "doctor"):
    def command(text: str = typer.Option("", help="Text."), number: int = 1) -> None:
        print("nothing")
    app.command(name)(command)
app()
"""


def seconds_of(command: list[str]) -> Callable[[], float]:
    """A function that runs `command` and gives its wall time."""

    def measured() -> float:
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begun

    return measured


def main() -> None:
    """Measure and print one table."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "bare.py"
        script.write_text(BARE)
        database = Path(folder) / "record.db"
        workspace = Path(folder) / "workspace"
        workspace.mkdir()
        (workspace / "a.md").write_text("# A\n\nThis is one sentence.\n")
        bearagent = [sys.executable, "-m", "bearagent"]
        run = [*bearagent, "run", "Read a.md", "--workspace", str(workspace), "--db", str(database), "--quiet"]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
        rows = []
        for ours, bare in (
            (["--help"], ["--help"]),
            (["--version"], ["--version"]),
            (["list", "--db", str(database)], ["list"]),
        ):
            seconds, _, ratio = ratio_of_pairs(
                seconds_of([*bearagent, *ours]), seconds_of([sys.executable, str(script), *bare]), PAIRS
            )
            rows.append((f"{ours[0]}, {seconds * 1_000:.0f} ms", f"{ratio:.2f}", "at most 1.5", ratio <= 1.5))
        print_table("Starting, against a bare typer application", rows)


if __name__ == "__main__":
    main()
