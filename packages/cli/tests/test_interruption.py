"""Signals while work is driven, in a process of its own."""

import subprocess
import sys

STUBBORN = """
import asyncio, os, signal
from bearagent_cli.interruption import driven

async def stubborn():
    while True:
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            print("asked", flush=True)

driven(stubborn())
"""
QUICK = """
import signal
from bearagent_cli.interruption import driven

async def quick():
    return "done"

assert driven(quick()) == "done"
assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
"""


def ended(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_work_that_does_not_let_itself_be_cancelled_is_ended_by_the_third_signal() -> None:
    done = ended(STUBBORN)
    assert (done.returncode, done.stdout, done.stderr) == (143, "asked\nasked\n", "")


def test_after_the_work_signals_mean_what_they_meant_before() -> None:
    assert ended(QUICK).returncode == 0
