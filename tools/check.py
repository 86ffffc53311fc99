"""Run everything that CI runs: every step, whatever the others say, then one table; exit status 0 or 1.

Run `uv run python tools/check.py`. The last line counts the steps together with the tests, so that a red step is
never followed by a line without a failure.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
UV = os.environ.get("UV") or shutil.which("uv") or "uv"
TAIL_BYTES = 65_536
TESTS = "tests"
_COUNT = re.compile(rb"(\d+) (passed|failed|skipped|errors?|xfailed|xpassed)\b")
_MEANS = {"xfailed": "skipped", "xpassed": "failed", "error": "failed", "errors": "failed"}


@dataclass(frozen=True)
class Step:
    """One thing to check, and the command that a person types for it."""

    name: str
    command: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """How a step ended; a step that is no test run counts as one."""

    step: Step
    seconds: float
    is_good: bool
    counts: Counter[str]

    @property
    def verdict(self) -> str:
        if self.step.name != TESTS:
            return "ok" if self.is_good else "FAILED"
        return ("" if self.is_good else "FAILED: ") + sentence(self.counts)


STEPS = (
    Step("lock", (UV, "lock", "--check")),
    Step("format", (sys.executable, "-m", "ruff", "format", "--check")),
    Step("lint", (sys.executable, "-m", "ruff", "check")),
    Step("types", (sys.executable, "-m", "mypy")),
    Step("imports", (str(Path(sys.executable).with_name("lint-imports")), "--no-logo")),
    Step("declarations", (sys.executable, "tools/check_workspace.py")),
    Step("READMEs", (sys.executable, "tools/check_readmes.py")),
    Step(TESTS, (UV, "run", "pytest")),
)


def main(steps: Sequence[Step] = STEPS) -> int:
    results = [run(step) for step in steps]
    heading("result")
    for result in results:
        print(f"{result.step.name:<14}{result.seconds:>8.1f} s   {result.verdict}")
    print(sentence(sum((result.counts for result in results), Counter())))
    return 0 if all(result.is_good for result in results) else 1


def run(step: Step) -> Result:
    heading(f"{step.name}: {Path(step.command[0]).name} {' '.join(step.command[1:])}")
    started = time.monotonic()
    status, tail = streamed(step.command)
    counts = counted(tail) if step.name == TESTS else Counter({"failed" if status else "passed": 1})
    if status and not counts["failed"]:
        counts["failed"] = 1  # stopped before it could count
    return Result(step, time.monotonic() - started, status == 0, counts)


def streamed(command: tuple[str, ...]) -> tuple[int, bytes]:
    """Pass the output on as it comes; exit status and the end of the output are the result.

    uv takes the lock as it is: whether it is up to date is the first step's question, and no step may change it.
    """
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    if command[:2] == (UV, "run"):
        environment["UV_FROZEN"] = "1"
    try:
        with subprocess.Popen(
            command, bufsize=0, cwd=ROOT, env=environment, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
        ) as process:
            assert process.stdout
            tail = passed_on(process.stdout)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", flush=True)
        return 127, b""
    return process.returncode, tail


def passed_on(output: IO[bytes]) -> bytes:
    tail = b""
    while block := output.read(4096):
        sys.stdout.buffer.write(block)
        sys.stdout.buffer.flush()
        tail = (tail + block)[-TAIL_BYTES:]
    return tail


def counted(tail: bytes) -> Counter[str]:
    """The counts in pytest's last line, such as `3 failed, 402 passed, 2 skipped in 61.20s`."""
    lines = [line for line in tail.splitlines() if re.search(rb" in [\d.]+s\b", line)]
    counts: Counter[str] = Counter()
    for number, word in _COUNT.findall(lines[-1] if lines else b""):
        name = word.decode("ascii")
        counts[_MEANS.get(name, name)] += int(number)
    return counts


def sentence(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in ("passed", "failed", "skipped"))


def heading(text: str) -> None:
    print(f"\n── {text} ──", flush=True)


if __name__ == "__main__":
    sys.exit(main())
