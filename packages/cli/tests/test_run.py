"""`run`: what is asked of the service, what is shown, and how it ends."""

import json
import signal
from pathlib import Path

import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_testkit import CountingIds, FixedClock, SampleRun
from tests.e2e.played_service import Command, PlayedService


def test_a_run_that_succeeded_shows_answer_artifact_and_head(command: Command, service: PlayedService) -> None:
    ended = command("run", "Write a report.")
    sample = service.sample
    assert ended.code == 0
    assert ended.out.startswith("It is written.\n")
    assert "outputs/report.md" in ended.out
    assert f"Head {sample.head.text}\n" in ended.out


def test_the_run_id_is_told_before_anything_else(command: Command, service: PlayedService) -> None:
    assert command("run", "x").err.splitlines()[0] == f"Run {service.sample.run_id}"


def test_progress_tells_each_activity_and_the_budget_used(command: Command) -> None:
    assert command("run", "x").err.splitlines()[1:] == [
        "  model: asks for 2 tool calls (1/200 model calls, 0/1,000 tool calls, 15 tokens)",
        "  fake.echo",
        "  fake.write",
        "  model: answers (2/200 model calls, 2/1,000 tool calls, 30 tokens)",
    ]


def test_quiet_tells_no_progress(command: Command) -> None:
    assert command("run", "x", "--quiet").err == ""


def test_json_is_one_object_with_the_fields_of_the_contract(command: Command, service: PlayedService) -> None:
    shown = json.loads(command("run", "x", "--json").out)
    assert shown["run_id"] == service.sample.run_id
    assert shown["status"] == "succeeded"
    assert shown["head_hash"] == service.sample.head.hash.hex()
    assert {"origin_run_id", "reason", "driven", "final_text", "error", "limits", "usage"} <= set(shown)
    assert {"activities", "artifacts", "last_sequence", "schema_version"} <= set(shown)


def test_limits_are_given_in_the_units_of_the_record(command: Command, service: PlayedService) -> None:
    command("run", "x", "--max-seconds", "1.5", "--max-cost-usd", "0.25", "--max-model-calls", "0")
    limits = service.requests[0].profile.limits
    assert (limits.active_ms, limits.cost_micro_usd, limits.model_calls) == (1_500, 250_000, 0)


@pytest.mark.parametrize(
    "words",
    [
        ("--max-model-calls", "-1"),
        ("--max-tool-calls", "1.5"),
        ("--max-input-tokens", "many"),
        ("--max-cost-usd", "0.0000001"),
        ("--max-cost-usd", "NaN"),
        ("--max-seconds", "Infinity"),
        ("--max-seconds", "1e999999999"),
        ("--max-output-tokens", "9" * 30),
    ],
)
def test_a_limit_that_is_none_is_refused(words: tuple[str, str], command: Command, service: PlayedService) -> None:
    assert command("run", "x", *words).code == 2
    assert service.requests == []


@pytest.mark.parametrize("words", [(), ("x", "--objective-file", "o.txt"), ("",), (" \n",)])
def test_no_objective_or_two_are_refused(words: tuple[str, ...], command: Command, service: PlayedService) -> None:
    assert command("run", *words).code == 2
    assert service.requests == []


def test_an_objective_comes_from_a_file(command: Command, service: PlayedService, home: Path) -> None:
    (home / "o.txt").write_bytes("\ufeff写一份报告\n".encode())
    command("run", "--objective-file", "o.txt")
    assert service.requests[0].objective == "写一份报告"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * (4 * 262_144 + 1)])
def test_an_objective_file_that_is_no_objective_is_refused(content: bytes, command: Command, home: Path) -> None:
    (home / "o.txt").write_bytes(content)
    assert command("run", "--objective-file", "o.txt").code == 2


def test_an_objective_file_that_is_not_there_is_named(command: Command) -> None:
    ended = command("run", "--objective-file", "o.txt")
    assert (ended.code, ended.err) == (2, "The objective file can't be read: No such file or directory.\n")


def test_a_refused_run_is_a_failure_document(command: Command, service: PlayedService) -> None:
    service.error = BearAgentError(failure(ErrorCode.WORKSPACE_INVALID, "There is no such folder."))
    ended = command("run", "x", "--json")
    assert (ended.code, ended.err) == (3, "There is no such folder.\n")
    assert json.loads(ended.out)["run_id"] is None


def test_a_run_whose_record_breaks_names_itself(command: Command, service: PlayedService) -> None:
    service.breaks = BearAgentError(failure(ErrorCode.STORE_FULL, "The disk is full."))
    ended = command("run", "x", "--json")
    assert ended.code == 4
    assert json.loads(ended.out)["run_id"] == service.sample.run_id
    assert ended.err.splitlines()[-1].startswith("The disk is full. What was recorded before: bearagent inspect ")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_run_and_says_how_to_go_on(
    number: int, code: int, command: Command, service: PlayedService
) -> None:
    service.sample = SampleRun(CountingIds(), FixedClock())
    service.sample.begin()
    service.signals = (number,)
    ended = command("run", "x", "--json")
    assert ended.code == code
    assert json.loads(ended.out)["reason"] == "interrupted"
    assert ended.err.splitlines()[-1] == (
        f"Interrupted. See how far it came: bearagent inspect {service.sample.run_id}"
    )
