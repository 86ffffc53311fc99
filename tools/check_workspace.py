"""Check that each package declares exactly what it imports, and that every list of packages is complete.

Run `uv run python tools/check_workspace.py`. One line per fault on stdout; exit status 1 if there is any.
"""

import ast
import configparser
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SHARED_TESTS = "tests"  # the folder in the root: tests run from there


@dataclass(frozen=True)
class Member:
    """One package of the workspace, as its folder and its pyproject.toml tell it."""

    folder: Path
    project: Mapping[str, Any]
    development: tuple[str, ...]

    @property
    def distribution(self) -> str:
        return normalised(self.project["name"])

    @property
    def module(self) -> str:
        """The import name that the folder asks for."""
        return self.folder.name if self.folder.parent.name == "apps" else f"bearagent_{self.folder.name}"

    @property
    def requirements(self) -> tuple[str, ...]:
        return tuple(self.project.get("dependencies", ()))


def problems(root: Path) -> list[str]:
    """Every fault of the workspace at `root`, one sentence each; empty if there is none."""
    settings = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    members = read_members(root, settings)
    owners = {member.module: member.distribution for member in members}
    versions = {member.distribution: member.project["version"] for member in members}
    found: list[str] = []
    for member in members:
        found += layout_problems(member, root)
        found += declaration_problems(member, root, owners)
        found += dev_group_problems(member, root, owners)
        found += pin_problems(member, versions)
    found += equality_problems(members)
    found += fence_problems(root / ".importlinter", {member.module for member in members})
    found += mypy_path_problems(settings, members, root)
    return found


def read_members(root: Path, settings: Mapping[str, Any]) -> list[Member]:
    patterns = settings["tool"]["uv"]["workspace"]["members"]
    folders = sorted(path.parent for pattern in patterns for path in root.glob(f"{pattern}/pyproject.toml"))
    return [read_member(folder) for folder in folders]


def read_member(folder: Path) -> Member:
    content = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    development = content.get("dependency-groups", {}).get("dev", ())
    return Member(folder, content["project"], tuple(development))


def layout_problems(member: Member, root: Path) -> Iterator[str]:
    """Folder, distribution and import name agree; the package is typed and explains itself."""
    where = member.folder.relative_to(root)
    if member.distribution != normalised(member.module):
        yield f"{where}: the distribution must be called {normalised(member.module)}, not {member.distribution}"
    tops = sorted(path.name for path in (member.folder / "src").iterdir() if path.name != "__pycache__")
    if tops != [member.module]:
        yield f"{where}: src/ must hold {member.module} and nothing else, not {', '.join(tops)}"
    for needed in (f"src/{member.module}/py.typed", "README.md"):
        if not (member.folder / needed).is_file():
            yield f"{where}: {needed} is missing"


def declaration_problems(member: Member, root: Path, owners: Mapping[str, str]) -> Iterator[str]:
    """src/ imports exactly what the package declares."""
    declared = {requirement_name(requirement) for requirement in member.requirements}
    used: set[str] = set()
    for path, module in foreign_imports(member.folder / "src"):
        sources = distributions_of(module, owners)
        used |= sources
        if not sources & (declared | {member.distribution}):
            yield f"{path.relative_to(root)}: imports {module}, which {member.distribution} does not declare"
    for name in sorted(declared - used):
        yield f"{member.folder.relative_to(root)}: declares {name}, which src/ never imports"


def dev_group_problems(member: Member, root: Path, owners: Mapping[str, str]) -> Iterator[str]:
    """tests/ may import what the package or its dev group declares, and what the tests of the whole project share."""
    requirements = (*member.requirements, *member.development)
    declared = {requirement_name(requirement) for requirement in requirements} | {member.distribution}
    for path, module in foreign_imports(member.folder / "tests"):
        if module != SHARED_TESTS and not distributions_of(module, owners) & declared:
            yield f"{path.relative_to(root)}: imports {module}, which neither the package nor its dev group declares"


def pin_problems(member: Member, versions: Mapping[str, str]) -> Iterator[str]:
    """Siblings are pinned to the one version; uv itself does not look at such pins inside a workspace."""
    for requirement in member.requirements:
        name = requirement_name(requirement)
        if name in versions and requirement != f"{name}=={versions[name]}":
            yield f"{member.distribution}: {requirement!r} must read {name}=={versions[name]}"


def equality_problems(members: Iterable[Member]) -> Iterator[str]:
    """What is the same for all packages: version, Python, licence."""
    for key in ("version", "requires-python", "license"):
        values = {member.distribution: member.project.get(key) for member in members}
        if len(set(values.values())) > 1:
            yield f"{key} differs between packages: {values}"


def fence_problems(path: Path, modules: set[str]) -> Iterator[str]:
    """A package that .importlinter leaves out counts as foreign there, and no contract would see it."""
    contracts = configparser.ConfigParser()
    contracts.read(path, "utf-8")
    complete = {
        ("importlinter", "root_packages"): modules,
        ("importlinter:contract:layers", "layers"): modules,
        ("importlinter:contract:acyclic", "ancestors"): modules,
        ("importlinter:contract:openai", "source_modules"): modules,
        ("importlinter:contract:testkit", "source_modules"): modules - {"bearagent_testkit"},
    }
    for (section, key), expected in complete.items():
        listed = re.findall(r"\w+", contracts.get(section, key, fallback=""))
        yield from list_problems(f".importlinter [{section}] {key}", listed, expected)


def mypy_path_problems(settings: Mapping[str, Any], members: Iterable[Member], root: Path) -> Iterator[str]:
    expected = {f"$MYPY_CONFIG_FILE_DIR/{member.folder.relative_to(root).as_posix()}/src" for member in members}
    yield from list_problems("pyproject.toml mypy_path", settings["tool"]["mypy"]["mypy_path"], expected)


def list_problems(place: str, listed: Iterable[str], expected: set[str]) -> Iterator[str]:
    listed = set(listed)
    if missing := sorted(expected - listed):
        yield f"{place}: add {', '.join(missing)}"
    if extra := sorted(listed - expected):
        yield f"{place}: remove {', '.join(extra)}"


def foreign_imports(folder: Path) -> Iterator[tuple[Path, str]]:
    """Each file with each top-level module that it imports, those of Python itself left out."""
    for path in sorted(folder.rglob("*.py")):
        for module in sorted(imported_modules(path) - sys.stdlib_module_names):
            yield path, module


def imported_modules(path: Path) -> set[str]:
    """Top-level names of all imports, also those inside functions or under TYPE_CHECKING."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return found


def distributions_of(module: str, owners: Mapping[str, str]) -> set[str]:
    """The distributions that may bring `module`; an editable install does not list its own modules."""
    if module in owners:
        return {owners[module]}
    return {normalised(name) for name in installed_modules().get(module, [module])}


@cache
def installed_modules() -> Mapping[str, list[str]]:
    return packages_distributions()


def requirement_name(requirement: str) -> str:
    match = re.match(r"[\w.-]+", requirement)
    assert match, f"not a requirement: {requirement!r}"
    return normalised(match.group())


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    found = problems(ROOT)
    print("\n".join(found) if found else "Every package declares what it imports, and every list is complete.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
