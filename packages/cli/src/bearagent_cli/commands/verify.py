"""`bearagent verify`: whether the record of one run holds."""

from typing import Annotated

import typer

from bearagent_cli.commands.context import Db, Json, RunName, service_of, settings_of


def verify(
    context: typer.Context,
    run: RunName,
    head: Annotated[
        str | None,
        typer.Option("--head", metavar="SEQ:HASH", help="A head that you noted down, or its hash alone."),
    ] = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """Check that the record of a run holds.

    Each event is the one that was sealed and may follow those before it, the run list says what the events say, and the
    log contains the head that was kept beside it. --head asks for one from outside as well, such as run printed it.
    Nothing is repaired.
    """
    from bearagent_cli.exit_codes import SUCCEEDED, VERIFICATION

    verification = service_of(context, settings_of(db=db)).verify(run, head=head)
    if as_json:
        from bearagent_cli.machine import print_json

        print_json(verification)
    else:
        from bearagent_cli.human import verification_text
        from bearagent_cli.terminal import write

        write(verification_text(verification))
    return SUCCEEDED if verification.ok else VERIFICATION
