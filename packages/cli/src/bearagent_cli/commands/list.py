"""`bearagent list`: the runs in the record, newest first."""

from typing import Annotated

import typer

from bearagent_cli.commands.context import Db, Json, service_of, settings_of


def list_runs(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000, help="Runs on one page.")] = 20,
    cursor: Annotated[str | None, typer.Option("--cursor", help="Where the page before this one ended.")] = None,
    db: Db = None,
    as_json: Json = False,
) -> int:
    """List runs, newest first.

    A page at a time; the last line says how to go on.
    A run that was being driven when its process ended is shown as interrupted.
    """
    page = service_of(context, settings_of(db=db)).runs(cursor=cursor, limit=limit)
    if as_json:
        from bearagent_cli.machine import print_json

        print_json(page)
    else:
        from bearagent_cli.lists import runs_text
        from bearagent_cli.terminal import write

        write(runs_text(page))
    return 0
