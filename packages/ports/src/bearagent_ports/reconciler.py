"""The port of reconcilers: evidence about an effect whose outcome is in doubt."""

from typing import Protocol, TypeAlias

from bearagent_domain.documents import Rec
from bearagent_domain.tools import Intent, PreparedToolRequest, ToolResult
from bearagent_ports.tool import CallContext


class Done(Rec, frozen=True, kw_only=True):
    """The effect is there; `result` is what `execute` would have given."""

    result: ToolResult
    evidence: str


class NotDone(Rec, frozen=True, kw_only=True):
    """Provably nothing happened."""

    evidence: str


class Unknown(Rec, frozen=True, kw_only=True):
    """Nobody can tell."""

    evidence: str


Finding: TypeAlias = Done | NotDone | Unknown


class Reconciler(Protocol):
    """Looks at the world after a doubtful effect. Read-only; may be asked again.

    Contract suite: `bearagent_testkit.contracts.ReconcilerContract`.
    """

    async def reconcile(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> Finding:
        """What became of the effect that `intent` announced. Never raises for a state that it can't read: `Unknown`."""
