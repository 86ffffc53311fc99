"""What every clock and every source of ids must do."""

import pytest

from bearagent_domain.ids import is_canonical_id
from bearagent_domain.times import parsed_time
from bearagent_ports import Clock, IdSource


class ClockContract:
    """Override `clock`."""

    @pytest.fixture
    def clock(self) -> Clock:
        """The clock to test."""
        raise NotImplementedError("override the fixture `clock`")

    def test_instants_are_well_formed_and_in_order(self, clock: Clock) -> None:
        instants = [clock.now() for _ in range(50)]
        assert instants == sorted(instants)
        assert all(parsed_time(instant).tzinfo is not None for instant in instants)

    def test_the_monotonic_clock_never_goes_back(self, clock: Clock) -> None:
        readings = [clock.monotonic_ms() for _ in range(50)]
        assert readings == sorted(readings)


class IdSourceContract:
    """Override `ids`."""

    @pytest.fixture
    def ids(self) -> IdSource:
        """The source to test."""
        raise NotImplementedError("override the fixture `ids`")

    def test_ids_are_canonical_and_new(self, ids: IdSource) -> None:
        made = [ids.new_id() for _ in range(1_000)]
        assert all(is_canonical_id(made_id) for made_id in made)
        assert len(set(made)) == len(made)
