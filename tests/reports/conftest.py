"""A fresh desk for each test."""

from pathlib import Path

import pytest

from tests.reports.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A workspace with an empty `docs`."""
    return Desk(tmp_path)
