"""`bearagent inspect`: everything that the record tells of one run."""

import typer

from bearagent_cli.commands.context import Db, Json, RunName, service_of, settings_of


def inspect(context: typer.Context, run: RunName, db: Db = None, as_json: Json = False) -> int:
    """Show everything that the record tells of a run.

    Status, limits and usage, each activity and why it was allowed, artifacts, answer and error, all of it computed
    from the verified events of the run.
    """
    inspection = service_of(context, settings_of(db=db)).inspect(run)
    if as_json:
        from bearagent_cli.machine import print_json

        print_json(inspection)
    else:
        from bearagent_cli.human import inspection_text
        from bearagent_cli.terminal import write

        write(inspection_text(inspection))
    return 0
