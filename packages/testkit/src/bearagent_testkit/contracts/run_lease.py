"""What every run lease must do within one process; that the operating system ends it is for its own tests."""

from collections.abc import Iterator

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.ids import RunId
from bearagent_ports import RunDrivenElsewhere, RunLease
from bearagent_testkit.fixed_sources import CountingIds


class RunLeaseContract:
    """Override `lease` with a fixture that gives a fresh lease, and `rival` with one over the same runs."""

    @pytest.fixture
    def lease(self) -> Iterator[RunLease]:
        """A fresh lease."""
        raise NotImplementedError("override the fixture `lease`")

    @pytest.fixture
    def rival(self, lease: RunLease) -> RunLease:
        """Another view of the same leases; the same object where there is but one."""
        return lease

    def test_a_held_run_cant_be_held_again(self, lease: RunLease, rival: RunLease) -> None:
        run_id = RunId(CountingIds().new_id())
        with lease.hold(run_id):
            assert rival.is_held(run_id)
            with pytest.raises(RunDrivenElsewhere) as refused, rival.hold(run_id):
                raise AssertionError("two drivers at once")
            assert refused.value.info.code is ErrorCode.RUN_DRIVEN_ELSEWHERE
            assert lease.is_held(run_id), "a refused rival must not free the lease"
        assert not rival.is_held(run_id)

    def test_a_lease_ends_with_its_context_whatever_happens(self, lease: RunLease, rival: RunLease) -> None:
        run_id = RunId(CountingIds().new_id())
        with pytest.raises(ZeroDivisionError), lease.hold(run_id):
            raise ZeroDivisionError
        with rival.hold(run_id):
            assert lease.is_held(run_id)

    def test_runs_do_not_disturb_each_other(self, lease: RunLease, rival: RunLease) -> None:
        ids = CountingIds()
        first, second = RunId(ids.new_id()), RunId(ids.new_id())
        with lease.hold(first):
            assert not rival.is_held(second)
            with rival.hold(second):
                assert lease.is_held(first) and lease.is_held(second)
