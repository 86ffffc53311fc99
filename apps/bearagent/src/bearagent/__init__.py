"""Runs a language-model agent on your own files and keeps a record you can trust."""

__all__: list[str] = []
