"""An import that is made from text, which the import linter cannot see, is refused in every package."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPELLINGS = {
    "module": 'import importlib\n\nimportlib.import_module("apsw")\n',
    "function": 'from importlib import import_module\n\nimport_module("apsw")\n',
    "renamed": 'import importlib as i\n\ni.import_module("apsw")\n',
    "lower function": 'from importlib import __import__ as load\n\nload("apsw")\n',
    "runpy": 'import runpy\n\nrunpy.run_module("apsw")\n',
}


def linted(workspace: Path, path: str, text: str) -> str:
    shutil.copy2(ROOT / "pyproject.toml", workspace)
    target = workspace / path
    target.parent.mkdir(parents=True)
    target.write_text(text, "utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise", "."]
    return subprocess.run(command, cwd=workspace, capture_output=True, text=True).stdout


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("package", ["domain", "runtime", "sqlite_store", "cli"])
def test_an_import_from_text_is_refused_in_a_package(package: str, spelling: str, tmp_path: Path) -> None:
    output = linted(tmp_path, f"packages/{package}/src/bearagent_{package}/planted.py", SPELLINGS[spelling])
    assert "TID251" in output


@pytest.mark.parametrize("path", ["packages/domain/tests/test_planted.py", "tools/planted.py"])
def test_tests_and_tools_may_import_from_text(path: str, tmp_path: Path) -> None:
    assert "All checks passed" in linted(tmp_path, path, SPELLINGS["module"])
