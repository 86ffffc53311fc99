"""The one way to say that an event may not follow."""

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.events import Event


class IllegalTransition(BearAgentError):
    """This event may not follow this state. For a command: nothing happened. In a stored log: the log is corrupt."""


def require(condition: bool, event: Event, why: str) -> None:
    """Raise `IllegalTransition` unless `condition` holds."""
    if not condition:
        message = f"{event.TYPE} can't follow here: {why}."
        raise IllegalTransition(failure(ErrorCode.ILLEGAL_TRANSITION, message))
