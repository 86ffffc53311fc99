"""The README names exactly what the package exports."""

import re
from pathlib import Path

import bearagent_domain

README = Path(__file__).resolve().parents[1] / "README.md"


def test_the_table_of_names_is_what_the_package_exports() -> None:
    rows = [line.split("|")[1] for line in README.read_text("utf-8").splitlines() if line.startswith("| `")]
    assert sorted(re.findall(r"`(\w+)`", " ".join(rows))) == sorted(bearagent_domain.__all__)
