"""Clock and ids of this machine keep the contracts of their ports."""

import pytest

from bearagent.system_sources import RandomIds, SystemClock
from bearagent_ports import Clock, IdSource
from bearagent_testkit.contracts import ClockContract, IdSourceContract


class TestSystemClock(ClockContract):
    @pytest.fixture
    def clock(self) -> Clock:
        return SystemClock()


class TestRandomIds(IdSourceContract):
    @pytest.fixture
    def ids(self) -> IdSource:
        return RandomIds()
