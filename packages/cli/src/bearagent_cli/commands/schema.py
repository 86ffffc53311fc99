"""`bearagent schema`: the JSON Schema of what is read, stored and printed."""

from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A document or event. Without: all names."),
    ] = None,
) -> int:
    """Print the JSON Schema of a document.

    Of a profile, of what --json prints, and of what each event stores."""
    import msgspec

    from bearagent_cli.diagnoses import DiagnosisDocument
    from bearagent_cli.machine import FailureDocument, print_json
    from bearagent_cli.service import ToolList
    from bearagent_cli.terminal import write
    from bearagent_domain.schemas import schemas

    known = schemas()
    for name_of_ours, shape in (("tools", ToolList), ("doctor", DiagnosisDocument), ("failure", FailureDocument)):
        known[name_of_ours] = msgspec.json.schema(shape)
    if name is None:
        write("".join(f"{each}\n" for each in known))
        return 0
    if name not in known:
        raise typer.BadParameter(f"there is no schema {name!r}; bearagent schema lists the names", param_hint="NAME")
    print_json(known[name])
    return 0
