"""The rules of BearAgent: decide and evolve, pure functions."""

__all__: list[str] = []
