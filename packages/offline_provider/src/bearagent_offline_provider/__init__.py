"""A BearAgent model provider that needs no model, no key and no network."""

__all__: list[str] = []
