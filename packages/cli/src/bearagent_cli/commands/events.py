"""`bearagent events`: the events of one run, in order."""

from typing import Annotated

import typer

from bearagent_cli.commands.context import Db, Json, RunName, service_of, settings_of

SEQUENCE_MAX = 2**53 - 1  # far more than a run has events, and a number that every store can hold


def events(
    context: typer.Context,
    run: RunName,
    after_sequence: Annotated[
        int, typer.Option("--after-sequence", min=0, max=SEQUENCE_MAX, help="Begin behind this event.")
    ] = 0,
    limit: Annotated[int, typer.Option("--limit", min=1, max=10_000, help="Events on one page.")] = 100,
    db: Db = None,
    as_json: Json = False,
    as_json_lines: Annotated[bool, typer.Option("--jsonl", help="Print one JSON object per event.")] = False,
) -> int:
    """Show the events of a run, one line each.

    A page at a time; the last line says how to go on.
    JSON output holds each event as it is stored, with the hashes that chain it to the one before.
    """
    if as_json and as_json_lines:
        raise typer.BadParameter("give --json or --jsonl, not both")
    page = service_of(context, settings_of(db=db)).events(run, after=after_sequence, limit=limit)
    if as_json or as_json_lines:
        from bearagent_cli.machine import print_json, print_json_lines

        if as_json:
            print_json(page)
        else:
            print_json_lines(page.events)
    else:
        from bearagent_cli.lists import events_text
        from bearagent_cli.terminal import write

        write(events_text(page))
    return 0
