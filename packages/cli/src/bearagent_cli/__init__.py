"""The command line of BearAgent."""

__all__: list[str] = []
