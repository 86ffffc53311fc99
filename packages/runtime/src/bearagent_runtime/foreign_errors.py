"""Errors that foreign code describes itself, made safe to keep."""

from bearagent_domain.documents import as_stored
from bearagent_domain.errors import ErrorCode, ErrorInfo, failure
from bearagent_domain.json_values import JsonRefused


def storable_error(info: ErrorInfo, otherwise: ErrorCode) -> ErrorInfo:
    """`info` if it can be stored, else an error of the code `otherwise`."""
    try:
        return as_stored(info)
    except JsonRefused:
        return failure(otherwise, "It failed, with words that can't be shown.")
