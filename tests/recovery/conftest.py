"""The machine on which runs are killed."""

from pathlib import Path

import pytest

from tests.e2e.installed_command import Machine
from tests.recovery.killed_runs import machine_to_die_on


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """An empty home, documents, and an older `outputs/a.md`."""
    return machine_to_die_on(tmp_path)
