"""Contract suites, fakes and hypothesis strategies for BearAgent's ports, as a pytest plugin."""

from bearagent_testkit.event_store_contract import EventStoreContract
from bearagent_testkit.fake_tools import FakeReconciler, FakeTool
from bearagent_testkit.fixed_sources import CountingIds, FixedClock
from bearagent_testkit.memory_lease import MemoryRunLease
from bearagent_testkit.memory_store import MemoryEventStore
from bearagent_testkit.model_provider_contract import ModelProviderContract
from bearagent_testkit.policy_contract import PolicyContract
from bearagent_testkit.run_lease_contract import RunLeaseContract
from bearagent_testkit.sample_runs import SampleRun, sample_run
from bearagent_testkit.scripted_model import ScriptedCall, ScriptedModel, ScriptedTurn
from bearagent_testkit.source_contracts import ClockContract, IdSourceContract
from bearagent_testkit.tool_contract import ToolContract

__all__ = [
    "ClockContract",
    "CountingIds",
    "EventStoreContract",
    "FakeReconciler",
    "FakeTool",
    "FixedClock",
    "IdSourceContract",
    "MemoryEventStore",
    "MemoryRunLease",
    "ModelProviderContract",
    "PolicyContract",
    "RunLeaseContract",
    "SampleRun",
    "ScriptedCall",
    "ScriptedModel",
    "ScriptedTurn",
    "ToolContract",
    "sample_run",
]
