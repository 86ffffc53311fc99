"""What is done, in which order: the agent loop, its Journal, policy, executor, and the services around them."""

from bearagent_runtime.fixed_policy import FixedToolPolicy
from bearagent_runtime.journal import Journal
from bearagent_runtime.query_service import QueryService
from bearagent_runtime.registry import Registry
from bearagent_runtime.run_service import RunService, RuntimeParts, StartRun
from bearagent_runtime.stored_logs import stored_records

__all__ = [
    "FixedToolPolicy",
    "Journal",
    "QueryService",
    "Registry",
    "RunService",
    "RuntimeParts",
    "StartRun",
    "stored_records",
]
