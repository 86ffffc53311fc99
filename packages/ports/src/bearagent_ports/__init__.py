"""What the core of BearAgent needs from outside: Protocols and their errors."""

__all__: list[str] = []
