"""`bearagent run`: create a run, drive it to rest, show what came of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bearagent_cli.commands.context import Db, Json, service_of, settings_of

if TYPE_CHECKING:
    from bearagent_cli.progress import Progress
    from bearagent_cli.service import RunRequest, Service
    from bearagent_cli.settings import Settings
    from bearagent_domain.errors import ErrorInfo

Objective = Annotated[str | None, typer.Argument(help="What should be done, in quotes; - reads it from stdin.")]
ObjectiveFile = Annotated[
    Path | None, typer.Option("--objective-file", metavar="FILE", help="Read the objective from a UTF-8 file.")
]
Workspace = Annotated[
    str | None, typer.Option("--workspace", metavar="FOLDER", help="The folder to work on. Default: the current one.")
]
Profile = Annotated[
    Path | None, typer.Option("--profile", metavar="FILE", help="A run profile, JSON or TOML; see bearagent init.")
]
Provider = Annotated[str | None, typer.Option("--provider", metavar="NAME", help="Who answers. Default: offline.")]
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="Which of the provider's models.")]
ContextChars = Annotated[
    str | None, typer.Option("--context-chars", metavar="N", help="Most characters of one model request.")
]
Amount = Annotated[str | None, typer.Option(metavar="N", help="A run that needs more is suspended.")]
Seconds = Annotated[str | None, typer.Option(metavar="N", help="Of active time; waiting does not count.")]
Cost = Annotated[str | None, typer.Option(metavar="USD", help="Needs a model whose rates are known.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")]


def run(
    context: typer.Context,
    objective: Objective = None,
    objective_file: ObjectiveFile = None,
    workspace: Workspace = None,
    db: Db = None,
    profile: Profile = None,
    provider: Provider = None,
    model: Model = None,
    context_chars: ContextChars = None,
    max_model_calls: Amount = None,
    max_tool_calls: Amount = None,
    max_input_tokens: Amount = None,
    max_output_tokens: Amount = None,
    max_cost_usd: Cost = None,
    max_seconds: Seconds = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Do one piece of work on a folder, on record.

    The agent may read the folder and write below its outputs/. Every step is recorded before it happens; bearagent
    inspect shows the record. Without a setting the offline provider answers: it needs no key and no network, quotes
    from your documents, and is not a language model.
    """
    settings = settings_of(
        db=db,
        workspace=workspace,
        provider=provider,
        model=model,
        context_chars=context_chars,
        max_model_calls=max_model_calls,
        max_tool_calls=max_tool_calls,
        max_input_tokens=max_input_tokens,
        max_output_tokens=max_output_tokens,
        max_cost_usd=max_cost_usd,
        max_seconds=max_seconds,
    )
    request = _request(settings, profile, objective, objective_file)
    return _carried_out(service_of(context, settings), request, quiet=quiet, as_json=as_json)


def _request(settings: "Settings", profile: Path | None, objective: str | None, file: Path | None) -> "RunRequest":
    from bearagent_cli.objectives import objective_from
    from bearagent_cli.profiles import resolved_profile
    from bearagent_cli.service import RunRequest

    resolved = resolved_profile(settings, profile)
    return RunRequest(
        profile=resolved,
        objective=objective_from(objective, file, resolved.agent.context_chars),
        workspace=settings.workspace,
        uid=settings.uid,
    )


def _carried_out(service: "Service", request: "RunRequest", *, quiet: bool, as_json: bool) -> int:
    from bearagent_cli.interruption import Interrupted, driven
    from bearagent_cli.progress import Progress
    from bearagent_domain.errors import BearAgentError, ErrorCode, failure

    progress, stopped = Progress(quiet=quiet), None
    try:
        driven(service.run(request, progress))
    except Interrupted as interrupted:
        stopped = interrupted
        if progress.run_id is None:
            message = "Interrupted before there was a run."
            raise BearAgentError(failure(ErrorCode.INTERRUPTED, message)) from interrupted
    except BearAgentError as error:
        if progress.run_id is None:
            raise
        return _broken(service, progress, error.info, as_json=as_json)
    finally:
        progress.close()
    return _shown(service, progress, None if stopped is None else stopped.exit_code, as_json=as_json)


def _shown(service: "Service", progress: "Progress", stopped: int | None, *, as_json: bool) -> int:
    from bearagent_cli.exit_codes import of_run
    from bearagent_cli.machine import print_json
    from bearagent_cli.terminal import tell, write

    assert progress.run_id is not None, "a run that ended without an error has committed its first events"
    inspection = service.inspect(progress.run_id)
    if as_json:
        print_json(inspection)
    else:
        from bearagent_cli.human import run_text

        write(run_text(inspection))
    if stopped is not None:
        tell(f"Interrupted. See how far it came: bearagent inspect {progress.run_id}\n")
        return stopped
    return of_run(inspection)


def _broken(service: "Service", progress: "Progress", error: "ErrorInfo", *, as_json: bool) -> int:
    """A run whose record could not be kept up: what is stored of it counts, and `inspect` tells it."""
    from bearagent_cli.exit_codes import of_error
    from bearagent_cli.machine import FailureDocument, print_json
    from bearagent_cli.terminal import on_one_line, tell

    tell(f"{on_one_line(error.message)} What was recorded before: bearagent inspect {progress.run_id}\n")
    if as_json:
        print_json(FailureDocument(run_id=progress.run_id, error=error))
    return of_error(error.code)
