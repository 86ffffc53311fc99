"""One suite for each port: subclass it in a test module, override one fixture, run pytest."""

from bearagent_testkit.contracts.event_store import EventStoreContract
from bearagent_testkit.contracts.model_provider import ModelProviderContract
from bearagent_testkit.contracts.policy import PolicyContract
from bearagent_testkit.contracts.reconciler import ReconcilerContract
from bearagent_testkit.contracts.run_lease import RunLeaseContract
from bearagent_testkit.contracts.sources import ClockContract, IdSourceContract
from bearagent_testkit.contracts.tool import ToolContract

__all__ = [
    "ClockContract",
    "EventStoreContract",
    "IdSourceContract",
    "ModelProviderContract",
    "PolicyContract",
    "ReconcilerContract",
    "RunLeaseContract",
    "ToolContract",
]
