"""`bearagent schema`: the JSON Schema of what is read, stored and printed."""

from typing import Annotated

import typer


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A document, or the type of an event. Without: all names.")
    ] = None,
) -> int:
    """Print the JSON Schema of a document.

    Of a profile, of what --json prints, and of what each event stores."""
    import msgspec

    from bearagent_cli.machine import print_json
    from bearagent_cli.terminal import write

    documents = _documents()
    if name is None:
        write("".join(f"{known}\n" for known in documents))
        return 0
    if name not in documents:
        raise typer.BadParameter(f"there is no schema {name!r}; bearagent schema lists the names", param_hint="NAME")
    print_json(msgspec.json.schema(documents[name]))
    return 0


def _documents() -> dict[str, type]:
    from bearagent_cli.diagnoses import DiagnosisDocument
    from bearagent_cli.machine import FailureDocument
    from bearagent_cli.service import ToolList
    from bearagent_domain.events import EVENT_TYPES
    from bearagent_domain.profiles import RunProfile
    from bearagent_domain.views import EventPage, RunInspection, RunPage

    printed = {
        "profile": RunProfile,
        "run": RunInspection,
        "runs": RunPage,
        "events": EventPage,
        "tools": ToolList,
        "doctor": DiagnosisDocument,
        "failure": FailureDocument,
    }
    return {**printed, **{event.TYPE: event for event in EVENT_TYPES}}
