"""What all commands share: their common flags, and the way to settings and service.

Only typer is imported with the module: `--help` must not wait for the rest.
"""

from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from bearagent_cli.service import Service
    from bearagent_cli.settings import Settings

RUN_EXIT_CODES: Final = (
    "Exit codes: 0 succeeded; 1 failed or cancelled; 2 usage; 3 configuration or environment; 4 record not found or "
    "unusable; 5 waiting or suspended, needs a person; 6 suspended by a budget; 130 interrupted; 143 terminated."
)
QUERY_EXIT_CODES: Final = (
    "Exit codes: 0 answered, whatever the status of the run; 2 usage; 3 configuration; 4 record not found or unusable."
)
VERIFY_EXIT_CODES: Final = (
    "Exit codes: 0 the record holds; 2 usage; 3 configuration; 4 record not found or unusable; 7 it does not hold."
)
DOCTOR_EXIT_CODES: Final = "Exit codes: 0 all is well; 2 usage; 3 something is wrong."

Db = Annotated[str | None, typer.Option("--db", metavar="FILE", help="The database that holds the record.")]
Json = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]
RunName = Annotated[
    str,
    typer.Argument(metavar="RUN", help="An id, at least 4 characters that begin only one id, or: latest."),
]


def settings_of(**flags: str | None) -> "Settings":
    """The settings under these flags."""
    from bearagent_cli.settings import loaded_settings

    return loaded_settings(flags)


def service_of(context: typer.Context, settings: "Settings") -> "Service":
    """The service for these settings, made by whoever built the app."""
    service: Service = context.obj(settings)
    return service
