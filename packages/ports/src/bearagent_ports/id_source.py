"""Where new ids come from."""

from typing import Protocol


class IdSource(Protocol):
    """Gives ids: each call a UUID4 in canonical text that was never given before."""

    def new_id(self) -> str:
        """The next id."""
