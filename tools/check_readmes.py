"""Run each Python example of every README, each in an empty folder and a process of its own.

Run `uv run python tools/check_readmes.py`. One line per example on stdout; exit status 1 if one fails, or if a
package shows none.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE_LINES_MAX = 15
EXAMPLE_SECONDS_MAX = 60
_FENCED = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FOLDER_VARIABLES = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


@dataclass(frozen=True)
class Example:
    """One fenced block of Python in a README, with the number of its first line, counted from one."""

    readme: Path
    line: int
    code: str


def readmes(root: Path) -> list[Path]:
    """The project's own READMEs and those of its packages, in every language."""
    patterns = ("README*.md", "packages/*/README*.md", "apps/*/README*.md")
    return sorted(path for pattern in patterns for path in root.glob(pattern))


def examples(readme: Path) -> Iterator[Example]:
    text = readme.read_text("utf-8")
    for match in _FENCED.finditer(text):
        yield Example(readme, text.count("\n", 0, match.start(1)) + 1, match.group(1))


def run(example: Example, python: Path) -> subprocess.CompletedProcess[str]:
    """Run the example with warnings as errors; both its streams come back as `stdout`, its files are thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return subprocess.run(
                [python, "-W", "error", "-c", example.code],
                cwd=folder,
                env=environment(folder),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
                timeout=EXAMPLE_SECONDS_MAX,
            )
        except subprocess.TimeoutExpired as expired:
            return subprocess.CompletedProcess(expired.cmd, 1, f"still running after {EXAMPLE_SECONDS_MAX} s")


def environment(folder: str) -> dict[str, str]:
    """The caller's environment without settings of BearAgent or Python; the user's own folders are all `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("BEARAGENT_", "PYTHON"))}
    return kept | dict.fromkeys(_FOLDER_VARIABLES, folder)


def main() -> int:
    failures = 0
    for readme in readmes(ROOT):
        found = list(examples(readme))
        place = readme.relative_to(ROOT)
        if not found and readme.parent != ROOT:
            print(f"{place}: shows no Python example")
            failures += 1
        for example in found:
            sentence = verdict(example)
            print(f"{place}:{example.line}: {sentence or 'ok'}")
            failures += sentence is not None
    return 1 if failures else 0


def verdict(example: Example) -> str | None:
    """What is wrong with an example; nothing if it is short and runs."""
    lines = len(example.code.splitlines())
    if lines > EXAMPLE_LINES_MAX:
        return f"{lines} lines, more than {EXAMPLE_LINES_MAX}"
    result = run(example, Path(sys.executable))
    return f"exit status {result.returncode}\n{result.stdout}" if result.returncode else None


if __name__ == "__main__":
    sys.exit(main())
