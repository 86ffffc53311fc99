"""A BearAgent model provider that needs no model, no key and no network."""

from bearagent_offline_provider.provider import OfflineProvider

__all__ = ["OfflineProvider"]
