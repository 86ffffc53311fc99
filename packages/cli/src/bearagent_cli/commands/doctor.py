"""`bearagent doctor`: what is right and wrong on this machine, and where each setting comes from."""

import typer

from bearagent_cli.commands.context import Db, Json


def doctor(context: typer.Context, db: Db = None, as_json: Json = False) -> int:
    """Show what is right and wrong on this machine.

    Python, SQLite, folders, database and provider, and each setting with its origin.
    Nothing is created or changed, and no key is ever shown.
    """
    from bearagent_cli.diagnoses import diagnosis
    from bearagent_cli.exit_codes import ENVIRONMENT, SUCCEEDED

    found = diagnosis(context.obj, {"db": db})
    if as_json:
        from bearagent_cli.machine import print_json

        print_json(found)
    else:
        from bearagent_cli.human import diagnosis_text
        from bearagent_cli.terminal import write

        write(diagnosis_text(found))
    return SUCCEEDED if found.ok else ENVIRONMENT
