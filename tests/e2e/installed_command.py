"""The installed command in a process of its own: its own user folders, no setting of the machine's user."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

COMMAND = Path(sys.executable).with_name("bearagent")
SECONDS_MAX = 120
USER_FOLDERS = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")


@dataclass
class Machine:
    """A user's machine: an empty home, a workspace beside it, and variables of choice."""

    home: Path
    workspace: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of every command."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("BEARAGENT_", "PYTHON"))}
        return kept | dict.fromkeys(USER_FOLDERS, str(self.home)) | self.variables

    @property
    def database(self) -> Path:
        """Where the default database will be, on Linux."""
        return self.home / "bearagent" / "bearagent.db"

    def bearagent(
        self, *words: str | Path, stdin: bytes = b"", program: tuple[str | Path, ...] = (COMMAND,)
    ) -> subprocess.CompletedProcess[str]:
        """Carry out one command line in the workspace; streams come back as UTF-8."""
        done = subprocess.run(
            [*program, *words],
            cwd=self.workspace,
            env=self.environment,
            input=stdin,
            capture_output=True,
            timeout=SECONDS_MAX,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def files(self) -> set[str]:
        """Everything that lies in home and workspace."""
        return {str(path) for root in (self.home, self.workspace) for path in root.rglob("*")}


def machine_in(folder: Path) -> Machine:
    """A fresh machine with a workspace of two documents."""
    home, workspace = folder / "home", folder / "workspace"
    home.mkdir()
    (workspace / "docs").mkdir(parents=True)
    (workspace / "docs/bears.md").write_text("# Bears\n\nBears sleep in winter. They eat berries in autumn.\n")
    (workspace / "docs/熊.md").write_text("# 熊\n\n熊在冬天睡觉。它们在秋天吃浆果。\n", encoding="utf-8")
    return Machine(home, workspace)
