"""`bearagent init`: write a commented run profile to start from."""

from pathlib import Path
from typing import Annotated

import typer

PROFILE = """\
# A run profile for: bearagent run --profile THIS_FILE "..."
# Flags of the command line stand above it; environment and config file stand below it.
# It has no field for a key, a URL or a path, and an unknown field is refused.
schema_version = 1

# The tools that the model is shown and that the policy allows. Without this line: all that `bearagent tools` shows.
# tools = ["workspace.list", "workspace.read", "workspace.search", "workspace.write"]

[agent]
# instructions = "Answer in plain English."
# provider = "offline"
# model = "extractive"
# max_output_tokens = 4096
# temperature_milli = 0
# seed = 1
# context_chars = 524288

[limits]
# A run that would need more is suspended, and nothing of it is lost.
# model_calls = 200
# tool_calls = 1000
# input_tokens = 2000000
# output_tokens = 200000
# cost_micro_usd = 500000  # needs a model whose rates stand in the config file
# active_ms = 7200000

[timeouts]
# model_total = 600  # seconds
"""


def init(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to make; it must not exist.")] = Path(
        "bearagent-profile.toml"
    ),
) -> int:
    """Write a commented run profile to start from."""
    from bearagent_cli.terminal import visible, write
    from bearagent_domain.errors import BearAgentError, ErrorCode, failure

    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(PROFILE)
    except FileExistsError as error:
        message = "That file is there already, and was left as it is. Name another one."
        raise BearAgentError(failure(ErrorCode.USAGE, message)) from error
    except OSError as error:
        message = f"The profile could not be written: {error.strerror}."
        raise BearAgentError(failure(ErrorCode.IO_ERROR, message)) from error
    write(f'Wrote {visible(str(file))}. Use it: bearagent run --profile {visible(str(file))} "..."\n')
    return 0
