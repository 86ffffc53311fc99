"""BearAgent's event store on SQLite."""

__all__: list[str] = []
