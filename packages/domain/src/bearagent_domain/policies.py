"""The answer of a policy to one normalised action, allow and deny alike recorded."""

from enum import StrEnum

from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorInfo
from bearagent_domain.ids import Name, Note
from bearagent_domain.tools import Resource


class Verdict(StrEnum):
    """What a policy can say. `needs_approval` makes the run wait for a person."""

    ALLOW = "allow"
    DENY = "deny"
    NEEDS_APPROVAL = "needs_approval"


class PolicyDecision(Rec, frozen=True, kw_only=True):
    """Verdict, the rule that gave it, a reason in words, and the resources that were judged.

    `error` is what the model reads when the verdict is `deny`; it is not part of the recorded decision.
    """

    verdict: Verdict
    rule: Name
    reason: Note
    resources: tuple[Resource, ...] = ()
    error: ErrorInfo | None = None
