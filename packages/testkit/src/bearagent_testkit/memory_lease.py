"""The run lease within one process."""

from collections.abc import Iterator
from contextlib import contextmanager

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import RunId
from bearagent_ports import RunDrivenElsewhere


class MemoryRunLease:
    """Knows who drives which run in this process. It does not wait: who holds a lease here can't let go meanwhile."""

    def __init__(self) -> None:
        self._held: set[RunId] = set()

    @contextmanager
    def hold(self, run_id: RunId) -> Iterator[None]:
        """Hold the lease within the context."""
        if run_id in self._held:
            raise RunDrivenElsewhere(failure(ErrorCode.RUN_DRIVEN_ELSEWHERE, "This run is being driven."))
        self._held.add(run_id)
        try:
            yield
        finally:
            self._held.discard(run_id)

    def is_held(self, run_id: RunId) -> bool:
        """Whether someone drives the run."""
        return run_id in self._held
