"""Runs a language-model agent on your own files and keeps a record you can trust: the Python facade.

Names are loaded when they are asked for, so that `bearagent --help` does not wait for the runtime.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bearagent.facade import BearAgentError, ModelProfile, Run, RunLimits, Runtime, open_runtime

API_STATUS = "0.1-draft"

__all__ = ["API_STATUS", "BearAgentError", "ModelProfile", "Run", "RunLimits", "Runtime", "open_runtime"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from bearagent import facade

    return getattr(facade, name)
