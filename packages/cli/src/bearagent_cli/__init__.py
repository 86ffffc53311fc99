"""The command line of BearAgent: words in, words out."""

from bearagent_cli.app import build_app, main

__all__ = ["build_app", "main"]
