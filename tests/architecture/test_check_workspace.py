"""Each rule of tools/check_workspace.py reports a fault that is planted in a copy of the workspace."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.check_workspace import ROOT, problems

Plant = Callable[[Path], None]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A copy of the packages with the settings that speak of them."""
    for name in ("pyproject.toml", ".importlinter"):
        shutil.copy2(ROOT / name, tmp_path / name)
    for name in ("packages", "apps"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return tmp_path


def written(path: str, text: str) -> Plant:
    """Plants a new file."""

    def plant(workspace: Path) -> None:
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")

    return plant


def replaced(path: str, old: str, new: str) -> Plant:
    """Plants a change; the old text must be there, or the fault would not be one."""

    def plant(workspace: Path) -> None:
        target = workspace / path
        text = target.read_text("utf-8")
        assert old in text, f"{path} no longer holds {old!r}"
        target.write_text(text.replace(old, new, 1), "utf-8")

    return plant


def removed(path: str) -> Plant:
    return lambda workspace: (workspace / path).unlink()


def copied_package(workspace: Path) -> None:
    """A whole new package that nobody has entered in a list."""
    shutil.copytree(workspace / "packages/ports", workspace / "packages/extra")
    written("packages/extra/src/bearagent_extra/py.typed", "")(workspace)
    shutil.rmtree(workspace / "packages/extra/src/bearagent_ports")
    shutil.rmtree(workspace / "packages/extra/tests", ignore_errors=True)
    replaced("packages/extra/pyproject.toml", '"bearagent-ports"', '"bearagent-extra"')(workspace)


DOMAIN = "packages/domain/src/bearagent_domain"
PLANTED: dict[str, tuple[Plant, str]] = {
    "a sibling that is imported and not declared": (
        written(f"{DOMAIN}/planted.py", "import bearagent_ports\n"),
        f"{DOMAIN}/planted.py: imports bearagent_ports, which bearagent-domain does not declare",
    ),
    "a vendor that is imported inside a function and not declared": (
        written(f"{DOMAIN}/planted.py", "def later() -> None:\n    import apsw.ext\n"),
        f"{DOMAIN}/planted.py: imports apsw, which bearagent-domain does not declare",
    ),
    "a vendor that is imported for types only and not declared": (
        written(f"{DOMAIN}/planted.py", "if TYPE_CHECKING:\n    from rich.table import Table\n"),
        f"{DOMAIN}/planted.py: imports rich, which bearagent-domain does not declare",
    ),
    "a vendor that is not even installed": (
        written(f"{DOMAIN}/planted.py", "import openai\n"),
        f"{DOMAIN}/planted.py: imports openai, which bearagent-domain does not declare",
    ),
    "a dependency that is declared and never imported": (
        replaced("packages/domain/pyproject.toml", "dependencies = [", 'dependencies = [\n    "platformdirs>=4",'),
        "packages/domain: declares platformdirs, which src/ never imports",
    ),
    "a test that imports what its package does not know": (
        written("packages/domain/tests/test_planted.py", "import apsw\n"),
        "packages/domain/tests/test_planted.py: imports apsw, which neither the package nor its dev group declares",
    ),
    "a sibling that is pinned to another version": (
        replaced("packages/ports/pyproject.toml", "bearagent-domain==0.1.0", "bearagent-domain==0.0.9"),
        "bearagent-ports: 'bearagent-domain==0.0.9' must read bearagent-domain==0.1.0",
    ),
    "a sibling that is not pinned exactly": (
        replaced("packages/ports/pyproject.toml", "bearagent-domain==0.1.0", "bearagent-domain>=0.1.0"),
        "bearagent-ports: 'bearagent-domain>=0.1.0' must read bearagent-domain==0.1.0",
    ),
    "another licence in one package": (
        replaced("packages/ports/pyproject.toml", 'license = "MIT"', 'license = "ISC"'),
        "license differs between packages",
    ),
    "another Python in one package": (
        replaced("packages/ports/pyproject.toml", ">=3.11", ">=3.12"),
        "requires-python differs between packages",
    ),
    "a package without the mark of types": (
        removed(f"{DOMAIN}/py.typed"),
        "packages/domain: src/bearagent_domain/py.typed is missing",
    ),
    "a package without a README": (
        removed("packages/domain/README.md"),
        "packages/domain: README.md is missing",
    ),
    "a second import name in one package": (
        written("packages/domain/src/second/__init__.py", ""),
        "packages/domain: src/ must hold bearagent_domain and nothing else, not bearagent_domain, second",
    ),
    "a distribution that is not called like its folder": (
        replaced("packages/domain/pyproject.toml", '"bearagent-domain"', '"bearagent-data"'),
        "packages/domain: the distribution must be called bearagent-domain, not bearagent-data",
    ),
    "a mypy path of no package": (
        replaced("pyproject.toml", "/packages/domain/src", "/packages/gone/src"),
        "pyproject.toml mypy_path: remove $MYPY_CONFIG_FILE_DIR/packages/gone/src",
    ),
}
FENCES = {
    "importlinter] root_packages": "root_packages =",
    "importlinter:contract:layers] layers": "layers =",
    "importlinter:contract:acyclic] ancestors": "ancestors =",
}


def new_problems(workspace: Path, plant: Plant) -> list[str]:
    """What the planted fault adds: the copy may carry faults of its own, which CI reports elsewhere."""
    before = Counter(problems(workspace))
    plant(workspace)
    return list((Counter(problems(workspace)) - before).elements())


def test_the_workspace_has_no_fault() -> None:
    assert problems(ROOT) == []


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_reported(fault: str, workspace: Path) -> None:
    plant, sentence = PLANTED[fault]
    found = new_problems(workspace, plant)
    assert any(line.startswith(sentence) for line in found), found


def test_one_moved_version_is_reported(workspace: Path) -> None:
    found = new_problems(
        workspace, replaced("packages/domain/pyproject.toml", 'version = "0.1.0"', 'version = "0.2.0"')
    )
    assert any(line.startswith("version differs between packages") for line in found)
    assert "bearagent-ports: 'bearagent-domain==0.1.0' must read bearagent-domain==0.2.0" in found


def test_a_package_in_no_list_is_reported_by_each_list(workspace: Path) -> None:
    found = new_problems(workspace, copied_package)
    for fence in ("root_packages", "layers", "ancestors", "openai] source_modules", "testkit] source_modules"):
        assert any(fence in line and line.endswith(": add bearagent_extra") for line in found), (fence, found)
    assert "pyproject.toml mypy_path: add $MYPY_CONFIG_FILE_DIR/packages/extra/src" in found


@pytest.mark.parametrize("fence", FENCES)
def test_a_fence_round_a_package_that_is_gone_is_reported(fence: str, workspace: Path) -> None:
    line = FENCES[fence]
    found = new_problems(workspace, replaced(".importlinter", line, f"{line}\n    bearagent_gone"))
    assert found == [f".importlinter [{fence}: remove bearagent_gone"]
