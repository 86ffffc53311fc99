"""A fresh machine for each test."""

from pathlib import Path

import pytest

from tests.e2e.installed_command import Machine, machine_in


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """An empty home and a workspace of two documents."""
    return machine_in(tmp_path)
