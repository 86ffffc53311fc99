"""`bearagent tools`: what a run may be given."""

import typer

from bearagent_cli.commands.context import Json, service_of, settings_of


def tools(context: typer.Context, as_json: Json = False) -> int:
    """Show the tools that a run may use.

    Each with the strongest thing that it may do.
    --json gives their complete specs, as they are recorded and shown to the model.
    """
    listed = service_of(context, settings_of()).tools()
    if as_json:
        from bearagent_cli.machine import print_json

        print_json(listed)
    else:
        from bearagent_cli.human import tools_text
        from bearagent_cli.terminal import write

        write(tools_text(listed))
    return 0
