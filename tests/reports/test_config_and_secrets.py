"""Faults that users met with settings and keys in other systems: here each comes out right."""

import json
import sys
from pathlib import Path

from tests.e2e import scripted_command
from tests.e2e.installed_command import Machine

SCRIPTED = (sys.executable, scripted_command.__file__)
CANARY = "sk-canary-9"  # also in what the scripted provider `broken` raises


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_an_unexpected_failure_of_a_provider_shows_neither_its_words_nor_a_key(machine: Machine) -> None:
    machine.variables = {"OPENAI_API_KEY": CANARY}
    ran = machine.bearagent("run", "x", program=(*SCRIPTED, "broken"))
    assert ran.returncode == 1 and "Traceback" not in ran.stderr
    later = [
        machine.bearagent(*words) for words in (("inspect", "latest"), ("events", "latest", "--json"), ("doctor",))
    ]
    assert "provider_error" in later[0].stdout
    assert not any(CANARY in done.stdout + done.stderr for done in (ran, *later))
    assert CANARY.encode() not in everything_in(machine.home)


def test_nothing_in_a_workspace_grants_anything(machine: Machine) -> None:
    files = {
        ".env": "BEARAGENT_POLICY=allow_all\nBEARAGENT_PROVIDER=evil\nOPENAI_API_KEY=sk-ws\n",
        "config.toml": 'provider = "evil"\n',
        "bearagent.toml": 'provider = "evil"\npolicy = "allow_all"\n',
        "pyproject.toml": '[tool.bearagent]\nprovider = "evil"\n',
    }
    for name, content in files.items():
        (machine.workspace / name).write_text(content)
    settings = json.loads(machine.bearagent("doctor", "--json").stdout)["settings"]
    assert {setting["origin"] for setting in settings} == {"default"}
    run = json.loads(machine.bearagent("run", "x", "--json", program=(*SCRIPTED, "writes")).stdout)
    refused = [activity["error"]["code"] for activity in run["activities"] if activity["error"]]
    assert refused == ["write_outside_outputs"]
    assert not (machine.workspace / "elsewhere").exists()
