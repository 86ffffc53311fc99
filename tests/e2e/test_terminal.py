"""What people and pipes meet: signals, pseudo-terminals, closed pipes, locales, and texts that fight the terminal."""

import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unicodedata import east_asian_width

import pytest

from tests.e2e.installed_command import COMMAND, SECONDS_MAX, Machine

SCRIPTED = Path(__file__).with_name("scripted_command.py")


def scripted(script: str) -> tuple[str | Path, ...]:
    """The command with a scripted model."""
    return (sys.executable, SCRIPTED, script)


def on_a_terminal(machine: Machine, words: Sequence[str | Path], *, signals: Sequence[int] = ()) -> tuple[int, str]:
    """Exit code, and all that the terminal receives. The signals are sent as soon as a model call is under way."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(machine.workspace)
        os.execvpe(str(words[0]), [str(word) for word in words], machine.environment)
    received = b""
    while select.select([terminal], [], [], SECONDS_MAX)[0]:
        try:
            received += os.read(terminal, 65_536)
        except OSError:  # Linux says so when the other side has closed
            break
        if signals and b"model calls" in received:
            for number in signals:
                os.kill(child, number)
            signals = ()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    return status, received.decode()


@pytest.mark.parametrize(
    ("signals", "code"),
    [([signal.SIGINT], 130), ([signal.SIGTERM], 143), ([signal.SIGINT, signal.SIGINT], 130)],
)
def test_a_signal_ends_a_run_that_waits_for_ever(signals: list[int], code: int, machine: Machine) -> None:
    ended, shown = on_a_terminal(machine, [*scripted("hangs"), "run", "x"], signals=signals)
    assert ended == code
    assert "Traceback" not in shown
    assert shown.rstrip().splitlines()[-1].startswith("Interrupted. See how far it came: bearagent inspect ")
    run = json.loads(machine.bearagent("inspect", "latest", "--json").stdout)
    assert (run["status"], run["reason"], run["driven"]) == ("suspended", "interrupted", None)


def test_the_terminal_shows_the_run_before_the_model_answers(machine: Machine) -> None:
    _, shown = on_a_terminal(machine, [*scripted("writes"), "run", "x"])
    assert shown.index("Run ") < shown.index("model: asks for 2 tool calls")
    assert "1/200 model calls" in shown


def test_hostile_text_never_reaches_the_terminal_as_a_command(machine: Machine) -> None:
    _, shown = on_a_terminal(machine, [*scripted("hostile"), "run", "[/q 7] \x1b]0;owned\x07"])
    _, inspected = on_a_terminal(machine, [COMMAND, "inspect", "latest"])
    for text in (shown, inspected):
        assert "ok\\x1b]52;c;ZXZpbA==\\x07\\x1b[2J\\x1b[1A\\x9b2J\\x1bc" in text
        assert "[/bold] pip install 'tool[extra]' done" in text
        assert not set("\x07\x9b\u202e") & set(text)
        assert "\x1b]" not in text and "\x1b[2J" not in text and "\x1bc" not in text


def test_no_color_and_a_dumb_terminal_are_honoured(machine: Machine) -> None:
    machine.bearagent("run", "x", program=scripted("writes"))
    machine.variables["NO_COLOR"] = "1"
    assert "\x1b" not in on_a_terminal(machine, [COMMAND, "inspect", "latest"])[1]
    machine.variables = {"TERM": "dumb"}
    assert "\x1b" not in on_a_terminal(machine, [*scripted("writes"), "run", "x"])[1]


def test_a_terminal_shows_colours_and_a_file_gets_none(machine: Machine) -> None:
    machine.variables["TERM"] = "xterm-256color"
    machine.bearagent("run", "x", program=scripted("writes"))
    assert "\x1b[32msucceeded" in on_a_terminal(machine, [COMMAND, "inspect", "latest"])[1]
    assert "\x1b" not in machine.bearagent("inspect", "latest").stdout


def test_a_list_fits_a_narrow_terminal_also_with_wide_characters(machine: Machine) -> None:
    machine.bearagent("run", "阅读文档并写一份很长很长的报告" * 5, program=scripted("writes"))
    machine.variables = {"COLUMNS": "60", "NO_COLOR": "1"}
    _, shown = on_a_terminal(machine, [COMMAND, "list"])
    (row,) = shown.splitlines()
    assert 58 <= sum(2 if east_asian_width(one) in "WF" else 1 for one in row) <= 60
    assert row.endswith("…")


def test_a_reader_that_goes_away_is_no_failure(machine: Machine) -> None:
    machine.bearagent("run", "x", program=scripted("writes"))
    shell = f"{COMMAND} events latest --jsonl | head -n 1; echo ${{PIPESTATUS[0]}} >&2"
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=machine.workspace,
        env=machine.environment | {"PYTHONUNBUFFERED": "1"},
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["sequence"] == 1
    assert done.stderr == "0\n"


def test_stdout_is_one_object_and_warnings_stay_on_stderr(machine: Machine) -> None:
    machine.variables = {"PYTHONWARNINGS": "always", "PYTHONDEVMODE": "1"}
    ran = machine.bearagent("run", "x", "--json", program=scripted("writes"))
    assert json.loads(ran.stdout)["status"] == "succeeded"
    inspected = machine.bearagent("inspect", "latest", "--json")
    assert json.loads(inspected.stdout) == json.loads(ran.stdout)
    assert inspected.stderr == ""


def test_a_plain_locale_changes_nothing(machine: Machine) -> None:
    machine.variables = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    machine.bearagent("run", "写一份报告 é", program=scripted("writes"))
    assert "写一份报告 é" in machine.bearagent("inspect", "latest").stdout


def test_json_and_exit_code_agree_on_a_failure(machine: Machine) -> None:
    done = machine.bearagent("run", "x", "--json", program=scripted("broken"))
    run = json.loads(done.stdout)
    assert (done.returncode, run["status"], run["error"]["code"]) == (1, "failed", "provider_error")
    assert "canary" not in done.stdout + done.stderr
    assert b"canary" not in machine.database.read_bytes()


def test_a_model_that_is_not_there_suspends_the_run(machine: Machine) -> None:
    done = machine.bearagent("run", "x", "--json", program=scripted("unavailable"))
    run = json.loads(done.stdout)
    assert (done.returncode, run["status"], run["reason"]) == (5, "suspended", "provider_unavailable")


def test_an_exhausted_budget_suspends_the_run(machine: Machine) -> None:
    done = machine.bearagent("run", "x", "--json", "--max-model-calls", "1", program=scripted("writes"))
    run = json.loads(done.stdout)
    assert (done.returncode, run["status"], run["reason"]) == (6, "suspended", "budget")


def test_a_mistyped_run_is_not_found_and_starts_none(machine: Machine) -> None:
    machine.bearagent("run", "x", program=scripted("writes"))
    for query in (
        ["inspect", "zz"],
        ["inspect", ""],
        ["events", "deadbeef"],
        ["inspect", "%%%%"],
        ["inspect", "--", "-x"],
    ):
        done = machine.bearagent(*query)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (4, "", 1)
    assert len(machine.bearagent("list").stdout.splitlines()) == 1


def test_a_unique_prefix_in_any_case_names_a_run_in_every_query(machine: Machine) -> None:
    ran = json.loads(machine.bearagent("run", "x", "--json", program=scripted("writes")).stdout)
    prefix = ran["run_id"][:8].upper()
    assert json.loads(machine.bearagent("inspect", prefix, "--json").stdout)["run_id"] == ran["run_id"]
    assert json.loads(machine.bearagent("events", prefix, "--json").stdout)["run_id"] == ran["run_id"]


def test_a_folder_can_not_configure_the_program(machine: Machine) -> None:
    (machine.workspace / ".env").write_text("BEARAGENT_PROVIDER=evil\nOPENAI_API_KEY=sk-ws\n")
    settings = json.loads(machine.bearagent("doctor", "--json").stdout)["settings"]
    assert {"name": "provider", "value": "offline", "origin": "default"} in settings


def test_proxies_and_keys_in_the_environment_disturb_nothing(machine: Machine) -> None:
    machine.variables = {"HTTP_PROXY": "socks5h://xxx", "OPENAI_BASE_URL": "no url", "OPENAI_API_KEY": "sk-canary\n"}
    machine.bearagent("run", "x", program=scripted("writes"))
    shown = [machine.bearagent("list"), machine.bearagent("doctor", "--json"), machine.bearagent("inspect", "latest")]
    assert [done.returncode for done in shown] == [0, 0, 0]
    assert not any("canary" in done.stdout + done.stderr for done in shown)


def test_the_shell_completes_commands_and_flags(machine: Machine) -> None:
    machine.variables = {"_BEARAGENT_COMPLETE": "complete_bash", "COMP_WORDS": "bearagent in", "COMP_CWORD": "1"}
    assert machine.bearagent().stdout.split() == ["inspect", "init"]
    machine.variables |= {"COMP_WORDS": "bearagent events latest --after", "COMP_CWORD": "3"}
    assert machine.bearagent().stdout.split() == ["--after-sequence"]
