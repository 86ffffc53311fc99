"""Which limit stops the next activity: the only place where a budget is judged."""

from bearagent_domain.budgets import LIMIT_NAMES, Amounts, LimitName
from bearagent_domain.documents import Rec
from bearagent_domain.runs import RunState


class Exhausted(Rec, frozen=True, kw_only=True):
    """A limit that the next activity would break."""

    limit: LimitName
    allowed: int
    needed: int


def first_exhausted(state: RunState, held: Amounts) -> Exhausted | None:
    """The first limit, in the order of `LIMIT_NAMES`, that `held` would break on top of what was used.

    Active time can't be held: it stops the next activity once it is used up.
    """
    for name in LIMIT_NAMES:
        allowed: int | None = getattr(state.limits, name)
        if allowed is None:
            continue
        used: int = getattr(state.used, name)
        needed = used + (1 if name == "active_ms" else getattr(held, name))
        if needed > allowed and (name == "active_ms" or needed > used):
            return Exhausted(limit=name, allowed=allowed, needed=needed)
    return None
