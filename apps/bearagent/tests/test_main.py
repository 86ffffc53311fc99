"""The console script while its modules are still being loaded."""

import os
import subprocess
import sys
from pathlib import Path


def test_ctrl_c_while_modules_are_loaded_ends_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "bearagent_cli.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n", "utf-8")
    script = "import sys\nfrom bearagent.__main__ import main\nsys.exit(main())"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
