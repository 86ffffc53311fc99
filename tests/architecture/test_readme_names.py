"""A package's README names what the package exports, and its table names nothing that there is not."""

import importlib
import re
from pathlib import Path

import pytest

import bearagent_domain
import bearagent_ports
import bearagent_testkit.contracts

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(init.parent for init in ROOT.glob("*/*/src/*/__init__.py"))
ELSEWHERE = {*bearagent_domain.__all__, *bearagent_ports.__all__, *bearagent_testkit.contracts.__all__}


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_readme_names_what_its_package_exports(package: Path) -> None:
    readme = (package.parents[1] / "README.md").read_text("utf-8")
    exported = set(importlib.import_module(package.name).__all__)
    assert {name for name in exported if not re.search(rf"\b{name}\b", readme)} == set()
    rows = " ".join(line for line in readme.splitlines() if line.startswith("| "))
    assert set(re.findall(r"`(?:contracts\.)?([A-Z]\w+)`", rows)) - exported - ELSEWHERE == set()
