"""One violation of each import contract, planted in a copy of the packages, is caught by that contract."""

import configparser
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ("domain", "reducer", "ports", "runtime")
CORE_FORBIDS = "apsw filelock openai platformdirs pydantic rich socket sqlite3 subprocess typer".split()

# contract -> title -> file to add (package and module) -> its text
PLANTED: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "layers": {
        "upwards": {"domain/planted": "import bearagent_reducer"},
        "sideways": {"reducer/planted": "import bearagent_ports"},
        "to the app": {"cli/planted": "import bearagent"},
    },
    "adapters": {
        "adapter to adapter": {"sqlite_store/planted": "import bearagent_workspace_tools"},
        "adapter to runtime": {"offline_provider/planted": "import bearagent_runtime"},
        "runtime to adapter": {"runtime/planted": "def f() -> None:\n    import bearagent_sqlite_store"},
    },
    "core": {
        "inside a function": {"reducer/planted": "def f() -> None:\n    from socket import create_connection"},
        "for types only": {"ports/planted": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sqlite3"},
    },
    "command-line": {
        "to the runtime": {"cli/planted": "import bearagent_runtime"},
        "to an adapter": {"cli/planted": "import bearagent_workspace_tools"},
        "to the reducer": {"cli/planted": "import bearagent_reducer"},
    },
    "testkit": {
        "from the app": {"bearagent/planted": "import bearagent_testkit"},
        "from a package": {"domain/planted": "import bearagent_testkit"},
    },
    "testkit-alone": {"to the runtime": {"testkit/planted": "import bearagent_runtime"}},
    "openai": {"from an adapter": {"offline_provider/planted": "from openai import OpenAI"}},
    "acyclic": {
        "two modules": {
            "domain/planted": "import bearagent_domain.planted_too",
            "domain/planted_too": "import bearagent_domain.planted",
        },
    },
    "private": {
        "a module of another package": {
            "reducer/_planted": "",
            "runtime/planted": "from bearagent_reducer import _planted",
        },
    },
    "apsw": {
        "from the command line": {"cli/planted": "import apsw"},
        "from the app": {"bearagent/planted": "import apsw.ext"},
    },
    "terminal": {
        "typer in an adapter": {"workspace_tools/planted": "import typer"},
        "rich in the app": {"bearagent/planted": "from rich.console import Console"},
    },
    "adapter-users": {"from the testkit": {"testkit/planted": "import bearagent_sqlite_store"}},
    "app": {"from the testkit": {"testkit/planted": "import bearagent_cli"}},
}
CASES = [(contract, title) for contract, violations in PLANTED.items() for title in violations]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A copy of what the linter reads."""
    shutil.copy2(ROOT / ".importlinter", tmp_path)
    for source in [*ROOT.glob("packages/*/src"), *ROOT.glob("apps/*/src")]:
        target = tmp_path / source.relative_to(ROOT)
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def plant(workspace: Path, files: Mapping[str, str]) -> None:
    for place, text in files.items():
        package, _, module = place.partition("/")
        (source,) = [path for path in workspace.glob("*/*/src") if path.parent.name == package]
        (folder,) = source.iterdir()
        (folder / f"{module}.py").write_text(text + "\n", "utf-8")


def linted(workspace: Path, contract: str) -> subprocess.CompletedProcess[str]:
    """Lint the copy: its folders come first on the path, before the installed packages."""
    sources = os.pathsep.join(str(path) for path in workspace.glob("*/*/src"))
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo", "--contract", contract],
        cwd=workspace,
        env={**os.environ, "PYTHONPATH": sources, "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )


def contract_names() -> dict[str, str]:
    fences = configparser.ConfigParser()
    fences.read(ROOT / ".importlinter", "utf-8")
    prefix = "importlinter:contract:"
    return {name.removeprefix(prefix): fences[name]["name"] for name in fences.sections() if name.startswith(prefix)}


def test_every_contract_has_a_planted_violation() -> None:
    assert set(PLANTED) == set(contract_names())


def test_each_package_of_the_core_is_kept_from_each_forbidden_import(workspace: Path) -> None:
    everything = "\n".join(f"import {vendor}" for vendor in CORE_FORBIDS)
    plant(workspace, {f"{package}/planted": everything for package in CORE})
    output = linted(workspace, "core").stdout
    for package, vendor in itertools.product(CORE, CORE_FORBIDS):
        assert f"bearagent_{package} is not allowed to import {vendor}:" in output, output


@pytest.mark.parametrize(("contract", "title"), CASES)
def test_a_planted_violation_is_caught(contract: str, title: str, workspace: Path) -> None:
    plant(workspace, PLANTED[contract][title])
    result = linted(workspace, contract)
    assert result.returncode == 1, result.stdout + result.stderr
    assert f"{contract_names()[contract]} BROKEN" in result.stdout, result.stdout + result.stderr
    assert "planted" in result.stdout, result.stdout
