"""`main`: every failure is one sentence and an exit code, and the words of a command line mean what users expect."""

import json
from importlib.metadata import version

import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from tests.e2e.played_service import Command, PlayedService, not_found

COMMANDS = ("run", "list", "inspect", "events", "tools", "schema", "init", "doctor")


def test_version_names_the_release(command: Command) -> None:
    assert command("--version").out == f"bearagent {version('bearagent-cli')}\n"


def test_help_names_every_command_and_shell_completion(command: Command) -> None:
    shown = command("--help").out
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert "--install-completion" in shown


def test_no_word_at_all_shows_the_help(command: Command) -> None:
    assert command() == command("--help")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_names_its_exit_codes(name: str, command: Command) -> None:
    ended = command(name, "--help")
    assert ended.code == 0
    assert "Exit codes: 0 " in ended.out


def test_a_failure_is_one_sentence_on_stderr(command: Command, service: PlayedService) -> None:
    service.error = not_found()
    ended = command("inspect", "deadbeef")
    assert (ended.code, ended.out, ended.err) == (4, "", "No run fits that name.\n")


def test_a_failure_with_json_is_also_one_object_on_stdout(command: Command, service: PlayedService) -> None:
    service.error = not_found()
    ended = command("inspect", "deadbeef", "--json")
    assert json.loads(ended.out) == {
        "schema_version": 1,
        "run_id": None,
        "status": None,
        "error": {"code": "run_not_found", "message": "No run fits that name.", "retryable": False, "details": {}},
    }
    assert ended.err == "No run fits that name.\n"


@pytest.mark.parametrize("words", [("list", "--nonsense"), ("nonsense",), ("list", "--limit", "0"), ("inspect",)])
def test_wrong_usage_ends_with_2_and_says_where_help_is(words: tuple[str, ...], command: Command) -> None:
    ended = command(*words)
    assert ended.code == 2
    assert ended.err.endswith("See bearagent --help.\n")
    assert ended.err.count("\n") == 1


def test_wrong_usage_with_json_is_an_object_too(command: Command) -> None:
    assert json.loads(command("list", "--limit", "0", "--json").out)["error"]["code"] == "usage"


def test_an_unexpected_exception_shows_neither_its_words_nor_a_traceback(
    command: Command, service: PlayedService
) -> None:
    service.error = RuntimeError("sk-canary-9 in /home/me")
    ended = command("inspect", "latest", "--json")
    assert ended.code == 1
    assert json.loads(ended.out)["error"]["code"] == "internal_error"
    assert "canary" not in ended.out + ended.err
    assert "Traceback" not in ended.err


def test_text_in_a_failure_never_reaches_the_terminal_as_a_control_code(
    command: Command, service: PlayedService
) -> None:
    service.error = BearAgentError(failure(ErrorCode.PROVIDER_ERROR, "no\x1b[2J\r[/bold] [y/N] tool[extra]"))
    assert command("inspect", "latest").err == "no\\x1b[2J\\x0d[/bold] [y/N] tool[extra]\n"


@pytest.mark.parametrize("query", ["inspect", "events"])
def test_a_query_behind_run_is_that_query(query: str, command: Command, service: PlayedService) -> None:
    assert command("run", query, "latest", "--db", "x.db").code == 0
    assert service.asked[0][:2] == (query, "latest")
    assert service.settings[0].text("db") == "x.db"


def test_the_value_of_a_flag_is_not_taken_for_a_word(command: Command, service: PlayedService) -> None:
    command("run", "events", "--limit", "1", "latest")
    assert service.asked == [("events", "latest", 0, 1)]


def test_one_word_behind_run_is_an_objective(command: Command, service: PlayedService) -> None:
    command("run", "inspect")
    assert [request.objective for request in service.requests] == ["inspect"]


def test_two_words_behind_a_query_are_a_mistake_and_start_no_run(command: Command, service: PlayedService) -> None:
    assert command("run", "inspect", "the", "documents").code == 2
    assert service.requests == []
