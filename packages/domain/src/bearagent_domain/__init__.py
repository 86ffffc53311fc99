"""The data of BearAgent: ids, events, models, tools, budgets, artifacts."""

__all__: list[str] = []
