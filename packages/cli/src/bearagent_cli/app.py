"""The Typer application, and `main`: the one place that turns failures into sentences and exit codes.

Only typer is imported with the module: `--help` and `--version` must not wait for the rest.
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from bearagent_cli.commands import doctor, events, init, inspect, list, run, schema, tools, verify
from bearagent_cli.commands.context import DOCTOR_EXIT_CODES, QUERY_EXIT_CODES, RUN_EXIT_CODES, VERIFY_EXIT_CODES
from bearagent_cli.rewriting import as_meant

if TYPE_CHECKING:
    from bearagent_cli.service import OpenService

VERSION = "0.1.0"  # as in pyproject.toml; asking the installed metadata takes as long as all the rest
CLOSED_STDOUT = "Standard output is closed: there is nowhere to show anything. Nothing was done."


def build_app(open_service: "OpenService") -> typer.Typer:
    """The command line over the services that `open_service` gives for the settings of a command."""
    app = typer.Typer(
        name="bearagent",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"obj": open_service, "help_option_names": ["-h", "--help"]},
    )
    app.callback()(_bearagent)
    app.command("run", epilog=RUN_EXIT_CODES)(run.run)
    app.command("list", epilog=QUERY_EXIT_CODES)(list.list_runs)
    app.command("inspect", epilog=QUERY_EXIT_CODES)(inspect.inspect)
    app.command("events", epilog=QUERY_EXIT_CODES)(events.events)
    app.command("verify", epilog=VERIFY_EXIT_CODES)(verify.verify)
    app.command("tools", epilog=QUERY_EXIT_CODES)(tools.tools)
    app.command("schema", epilog=QUERY_EXIT_CODES)(schema.schema)
    app.command("init", epilog=DOCTOR_EXIT_CODES)(init.init)
    app.command("doctor", epilog=DOCTOR_EXIT_CODES)(doctor.doctor)
    return app


def main(open_service: "OpenService", arguments: Sequence[str] | None = None) -> int:
    """Carry out one command line and give its exit code. Nothing is raised, and no traceback is shown."""
    from bearagent_cli.terminal import prepare_streams, tell

    if not prepare_streams():
        tell(CLOSED_STDOUT + "\n")
        return 3
    command = typer.main.get_command(build_app(open_service))
    assert isinstance(command, TyperGroup)
    words = as_meant(command, sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        return int(command.main(args=words, prog_name="bearagent", standalone_mode=False) or 0)
    except Exception as error:
        return _reported(error, as_json="--json" in words)


def _reported(error: Exception, *, as_json: bool) -> int:
    """One sentence on stderr, with --json the failure on stdout, and the exit code."""
    from bearagent_cli.exit_codes import of_error
    from bearagent_cli.machine import FailureDocument, print_json
    from bearagent_cli.terminal import on_one_line, tell
    from bearagent_domain.errors import BearAgentError, ErrorCode, failure

    match error:
        case BearAgentError(info=info):
            pass
        case TyperException():
            info = failure(ErrorCode.USAGE, f"{error.format_message().rstrip('.')}. See bearagent --help.")
        case OSError():
            info = failure(ErrorCode.IO_ERROR, f"The system refused: {error.strerror or 'no reason given'}.")
        case _:
            message = f"This is a fault of BearAgent ({type(error).__name__}). What was recorded before it stands."
            info = failure(ErrorCode.INTERNAL_ERROR, message)
    tell(f"{on_one_line(info.message)}\n")
    if as_json:
        print_json(FailureDocument(error=info))
    return of_error(info.code)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"bearagent {VERSION}")
        raise typer.Exit


def _bearagent(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it and end.")
    ] = False,
) -> None:
    """BearAgent runs a language-model agent on your own files and keeps a record you can trust.

    Begin with: bearagent run "Read docs/ and write a report to outputs/report.md"
    """
