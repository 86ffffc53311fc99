"""Each package's wheel, installed with nothing but what it declares, imports whole and runs its README's examples."""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from tools.check_readmes import ROOT, examples, run

PACKAGES = sorted(
    path.parent for pattern in ("packages/*", "apps/*") for path in ROOT.glob(f"{pattern}/pyproject.toml")
)
IMPORT_EVERY_MODULE = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not module.name.endswith(".__main__"):
        importlib.import_module(module.name)
print(package.__file__)
"""


def uv(*arguments: str | Path) -> str:
    program = os.environ.get("UV") or shutil.which("uv")
    assert program, "uv is needed to build and install the packages"
    done = subprocess.run([program, *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def distribution(package: Path) -> str:
    name = tomllib.loads((package / "pyproject.toml").read_text("utf-8"))["project"]["name"]
    assert isinstance(name, str)
    return name


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels of all packages."""
    folder = tmp_path_factory.mktemp("wheels")
    uv("build", "--quiet", "--all-packages", "--wheel", "--out-dir", folder)
    return folder


def installed(package: Path, wheels: Path, folder: Path) -> Path:
    """The Python of a new environment with the wheel and what its metadata asks for, found offline in `wheels`.

    The vendors come first, in the versions of the lock; then the wheel, which may take only what is there.
    """
    locked, python = folder / "pylock.toml", folder / "alone/bin/python"
    export = ("export", "--quiet", "--frozen", "--no-dev", "--no-emit-workspace", "--format", "pylock.toml")
    uv(*export, "--package", distribution(package), "--output-file", locked)
    uv("venv", "--quiet", "--no-project", "--python", sys.executable, folder / "alone")
    uv("pip", "install", "--quiet", "--python", python, "--requirement", locked)
    uv("pip", "install", "--quiet", "--python", python, "--no-index", "--find-links", wheels, distribution(package))
    return python


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_wheel_alone_imports_and_runs_its_examples(package: Path, wheels: Path, tmp_path: Path) -> None:
    python = installed(package, wheels, tmp_path)
    (module,) = [path.name for path in (package / "src").iterdir() if path.is_dir()]
    output = checked([python, "-I", "-W", "error", "-c", IMPORT_EVERY_MODULE, module], tmp_path)
    assert output.startswith(str(tmp_path / "alone")), "the wheel must be what is imported, not the source folder"
    for example in examples(package / "README.md"):
        result = run(example, python)
        assert result.returncode == 0, result.stdout


def test_the_app_alone_brings_its_command(wheels: Path, tmp_path: Path) -> None:
    python = installed(ROOT / "apps/bearagent", wheels, tmp_path)
    assert "0.1.0" in checked([python.with_name("bearagent"), "--version"], tmp_path)


def test_a_dependency_that_is_not_declared_breaks_the_wheel_alone(wheels: Path, tmp_path: Path) -> None:
    python = installed(ROOT / "packages/domain", wheels, tmp_path)
    missing = subprocess.run([python, "-I", "-c", "import apsw"], cwd=tmp_path, capture_output=True, text=True)
    assert "ModuleNotFoundError" in missing.stderr


def checked(command: Sequence[str | Path], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout
