"""`python -m bearagent`, and the console script `bearagent`."""

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bearagent.service import BearAgentService
    from bearagent_cli.settings import Settings

INTERRUPTED = 130


def main() -> int:
    """Carry out the command line of this process; gives its exit code."""
    try:
        from bearagent_cli import main as command_line

        code = command_line(_service)
    except KeyboardInterrupt:  # while modules were loaded: nothing has been begun
        return INTERRUPTED
    gc.freeze()  # what goes away with the process need not be looked through once more: a tenth of `list`
    return code


def _service(settings: "Settings") -> "BearAgentService":
    from bearagent.service import BearAgentService

    return BearAgentService(settings)


if __name__ == "__main__":
    sys.exit(main())
