"""The port of leases: one driver per run."""

from contextlib import AbstractContextManager
from typing import Protocol

from bearagent_domain.errors import BearAgentError
from bearagent_domain.ids import RunId


class RunDrivenElsewhere(BearAgentError):
    """Another process drives this run; `info.details` may name its pid."""


class RunLease(Protocol):
    """Exclusive right to drive a run, ended by the operating system when the holder dies."""

    def hold(self, run_id: RunId) -> AbstractContextManager[None]:
        """Hold the lease within the context. Waits up to 1 s, then raises `RunDrivenElsewhere`."""

    def is_held(self, run_id: RunId) -> bool:
        """Whether some process holds it now. Creates nothing."""
