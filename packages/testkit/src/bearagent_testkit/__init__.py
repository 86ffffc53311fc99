"""Fakes for BearAgent's ports; beside them `contracts`, a suite for each port, and `strategies` for hypothesis.

The fakes need neither pytest nor hypothesis, so that a child process of a test starts quickly.
"""

from bearagent_testkit.fake_tools import FakeReconciler, FakeTool
from bearagent_testkit.fixed_sources import CountingIds, FixedClock
from bearagent_testkit.memory_lease import MemoryRunLease
from bearagent_testkit.memory_store import MemoryEventStore
from bearagent_testkit.sample_runs import SampleRun, sample_run
from bearagent_testkit.scripted_model import ScriptedCall, ScriptedModel, ScriptedTurn

__all__ = [
    "CountingIds",
    "FakeReconciler",
    "FakeTool",
    "FixedClock",
    "MemoryEventStore",
    "MemoryRunLease",
    "SampleRun",
    "ScriptedCall",
    "ScriptedModel",
    "ScriptedTurn",
    "sample_run",
]
