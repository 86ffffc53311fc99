"""`bearagent run`: create a run, drive it to rest, show what came of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bearagent_cli.commands.context import Db, Json, service_of, settings_of

if TYPE_CHECKING:
    from bearagent_cli.progress import Progress
    from bearagent_cli.service import RunRequest, Service
    from bearagent_domain.errors import ErrorInfo

Limit = str | None


def run(
    context: typer.Context,
    objective: Annotated[
        str | None, typer.Argument(help="What should be done, in quotes; - reads it from stdin.")
    ] = None,
    objective_file: Annotated[
        Path | None, typer.Option("--objective-file", metavar="FILE", help="Read the objective from a UTF-8 file.")
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option("--workspace", metavar="FOLDER", help="The folder to work on. Default: the current one."),
    ] = None,
    db: Db = None,
    profile: Annotated[
        Path | None, typer.Option("--profile", metavar="FILE", help="A run profile, JSON or TOML; see bearagent init.")
    ] = None,
    provider: Annotated[str | None, typer.Option("--provider", help="Who answers. Default: offline.")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Which of the provider's models.")] = None,
    context_chars: Annotated[
        str | None, typer.Option("--context-chars", metavar="N", help="Most characters of one model request.")
    ] = None,
    max_model_calls: Annotated[Limit, typer.Option("--max-model-calls", metavar="N")] = None,
    max_tool_calls: Annotated[Limit, typer.Option("--max-tool-calls", metavar="N")] = None,
    max_input_tokens: Annotated[Limit, typer.Option("--max-input-tokens", metavar="N")] = None,
    max_output_tokens: Annotated[Limit, typer.Option("--max-output-tokens", metavar="N")] = None,
    max_cost_usd: Annotated[Limit, typer.Option("--max-cost-usd", metavar="USD", help="Needs a priced model.")] = None,
    max_seconds: Annotated[Limit, typer.Option("--max-seconds", metavar="N", help="Of active time.")] = None,
    as_json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False,
) -> int:
    """Do one piece of work on a folder, on record.

    The agent may read the folder and write below its outputs/. Every step is recorded before it happens; bearagent
    inspect shows the record. Without a setting the offline provider answers: it needs no key and no network, quotes
    from your documents, and is not a language model.
    """
    from bearagent_cli.objectives import objective_from
    from bearagent_cli.profiles import resolved_profile
    from bearagent_cli.service import RunRequest

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
    resolved = resolved_profile(settings, profile)
    request = RunRequest(
        profile=resolved,
        objective=objective_from(objective, objective_file, resolved.agent.context_chars),
        workspace=settings.workspace,
        uid=settings.uid,
    )
    return _carried_out(service_of(context, settings), request, quiet=quiet, as_json=as_json)


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
