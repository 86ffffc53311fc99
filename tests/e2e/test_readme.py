"""The commands that the READMEs show do what they show, on a copy of the example."""

import hashlib
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.e2e.installed_command import Machine

ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.compile(r"^\$ uv run bearagent (.+?)(?:\s+#.*)?$", re.MULTILINE)


@pytest.mark.parametrize("readme", ["README.md", "README.zh-CN.md"])
def test_the_commands_of_a_readme_work_one_after_the_other(readme: str, machine: Machine) -> None:
    shutil.copytree(ROOT / "examples/field-notes/docs", machine.workspace / "examples/field-notes/docs")
    page = (ROOT / readme).read_text("utf-8")
    commands = [shlex.split(line) for line in SHOWN.findall(page)]
    assert [words[0] for words in commands] == ["run", "inspect", "events", "list", "doctor"]
    for words in commands:
        done = machine.bearagent(*words)
        assert done.returncode == 0, done.stderr
    report = (machine.workspace / "examples/field-notes/outputs/report.md").read_bytes()
    assert f"outputs/report.md  {len(report):,} bytes" in page, "the page shows what the command prints"
    assert f"sha256 {hashlib.sha256(report).hexdigest()[:8]}…" in page


def test_both_readmes_show_the_same_commands() -> None:
    english, chinese = ((ROOT / name).read_text("utf-8") for name in ("README.md", "README.zh-CN.md"))
    assert SHOWN.findall(english) == SHOWN.findall(chinese)
