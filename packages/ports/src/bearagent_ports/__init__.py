"""What the core of BearAgent needs from outside, as small Protocols in domain types."""

from bearagent_ports.clock import Clock
from bearagent_ports.event_listener import EventListener
from bearagent_ports.event_store import (
    Append,
    EventStore,
    RunNotFound,
    RunRowPage,
    SequenceConflict,
    StoreError,
    head_after,
)
from bearagent_ports.id_source import IdSource
from bearagent_ports.model_provider import ModelProvider, ProviderFailed
from bearagent_ports.policy import Policy
from bearagent_ports.reconciler import Done, Finding, NotDone, Reconciler, Unknown
from bearagent_ports.run_lease import RunDrivenElsewhere, RunLease
from bearagent_ports.tool import CallContext, CallRefused, OutcomeUnknown, StopFlag, Tool, ToolFailed

__all__ = [
    "Append",
    "CallContext",
    "CallRefused",
    "Clock",
    "Done",
    "EventListener",
    "EventStore",
    "Finding",
    "IdSource",
    "ModelProvider",
    "NotDone",
    "OutcomeUnknown",
    "Policy",
    "ProviderFailed",
    "Reconciler",
    "RunDrivenElsewhere",
    "RunLease",
    "RunNotFound",
    "RunRowPage",
    "SequenceConflict",
    "StopFlag",
    "StoreError",
    "Tool",
    "ToolFailed",
    "Unknown",
    "head_after",
]
