"""`bearagent` with a scripted model in the place of every provider: `python scripted_command.py SCRIPT run …`."""

import sys

from bearagent.service import BearAgentService
from bearagent_cli import main
from bearagent_cli.settings import Settings
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.models import ModelProfile
from bearagent_ports import ModelProvider, ProviderFailed
from bearagent_testkit import ScriptedCall, ScriptedModel, ScriptedTurn

WRITE = ScriptedCall("workspace.write", {"path": "outputs/a.md", "content": "# A\n"})
DENIED = ScriptedCall("workspace.write", {"path": "elsewhere/a.md", "content": "# A\n"})
HOSTILE = "ok\x1b]52;c;ZXZpbA==\x07\x1b[2J\x1b[1A\x9b2J\x1bc\rfake\u202e [/bold] pip install 'tool[extra]' done"
SCRIPTS: dict[str, list[ScriptedTurn]] = {
    "writes": [ScriptedTurn(text="First.", calls=(WRITE, DENIED)), ScriptedTurn(text="Written.")],
    "hangs": [ScriptedTurn(hangs=True)],
    "hostile": [ScriptedTurn(text=HOSTILE)],
    "unavailable": [ScriptedTurn(error=ProviderFailed(failure(ErrorCode.PROVIDER_UNAVAILABLE, "No.", retryable=True)))],
    "broken": [ScriptedTurn(error=RuntimeError("sk-canary-9"))],
}


def service(settings: Settings) -> BearAgentService:
    """The service of the app, but for the model."""
    script = SCRIPTS[sys.argv[1]]

    def provider_of(model: ModelProfile) -> ModelProvider:
        return ScriptedModel(script)

    return BearAgentService(settings, provider_of)


if __name__ == "__main__":
    sys.exit(main(service, sys.argv[2:]))
