"""A fresh desk, or a fresh machine, for each test."""

from pathlib import Path

import pytest

from tests.e2e.installed_command import Machine, machine_in
from tests.reports.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A workspace with an empty `docs`."""
    return Desk(tmp_path)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """An empty home and a workspace of two documents, for the installed command."""
    return machine_in(tmp_path)
