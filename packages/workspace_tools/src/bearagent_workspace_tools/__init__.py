"""BearAgent's file tools, confined to one folder."""

__all__: list[str] = []
