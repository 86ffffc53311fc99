"""The run loop of BearAgent: journal, model calls, tool calls, policy, executor."""

__all__: list[str] = []
