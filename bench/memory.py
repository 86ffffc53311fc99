"""Peak memory of a run of 200 steps, in a process of its own.

uv run python -m bench.memory
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.measuring import print_table
from bench.scripted_runs import run_steps

STEPS = 200
MIB_MAX = 90


def main() -> None:
    """Run the child, print one table."""
    if sys.argv[1:]:
        run_steps(Path(sys.argv[1]), STEPS, 4_096)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        return
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.memory", str(Path(folder) / "record.db")]
        kib = int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    mib = kib / 1_024
    print_table("Memory", [(f"peak of {STEPS} steps, MiB", f"{mib:.0f}", f"at most {MIB_MAX}", mib <= MIB_MAX)])


if __name__ == "__main__":
    main()
