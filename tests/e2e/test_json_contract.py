"""What `--json` prints, field by field, on runs of the installed command: every promised field, its type, and null."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.installed_command import Machine

PAGE = (Path(__file__).resolve().parents[2] / "docs/command-line.md").read_text("utf-8")
SCRIPTED = Path(__file__).with_name("scripted_command.py")
AMOUNTS = "model_calls tool_calls input_tokens output_tokens cost_micro_usd active_ms".split()
RUN = (
    "schema_version run_id origin_run_id status reason driven final_text error limits usage activities artifacts "
    "last_sequence head_hash head_kept"
).split()
ADDED_TO_RUN = "objective created_at updated_at provider model exhausted".split()
ACTIVITY = "activity_id kind name attempt status call_id requested_sequence ended_sequence error decision".split()
EVENT = "sequence type version recorded_at activity_id payload prev_hash hash".split()
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
HASH = re.compile(r"[0-9a-f]{64}")


def printed(machine: Machine, *words: str, script: str | None = None) -> dict[str, Any]:
    """The one object on stdout."""
    program: dict[str, Any] = {} if script is None else {"program": (sys.executable, SCRIPTED, script)}
    done = machine.bearagent(*words, "--json", **program)
    shown = json.loads(done.stdout)
    assert isinstance(shown, dict) and shown["schema_version"] == 1
    return shown


@pytest.fixture
def run(machine: Machine) -> dict[str, Any]:
    """A run that succeeded, as `run` prints it."""
    return printed(machine, "run", "Read docs/ and write a report to outputs/report.md")


def test_a_run_that_succeeded_has_every_field(run: dict[str, Any]) -> None:
    assert sorted(run) == sorted([*RUN, *ADDED_TO_RUN])
    assert ID.fullmatch(run["run_id"]) and HASH.fullmatch(run["head_hash"])
    assert [run[name] for name in ("origin_run_id", "status", "reason", "driven", "error", "exhausted")] == [
        None, "succeeded", None, None, None, None,
    ]  # fmt: skip
    assert isinstance(run["final_text"], str)
    assert isinstance(run["last_sequence"], int)


def test_limits_and_usage_are_whole_numbers_and_null_means_none(run: dict[str, Any]) -> None:
    assert sorted(run["limits"]) == sorted(AMOUNTS)
    assert sorted(run["usage"]) == sorted([*AMOUNTS, "estimated"])
    assert run["limits"] == {
        "model_calls": 200, "tool_calls": 1_000, "input_tokens": 2_000_000, "output_tokens": 200_000,
        "cost_micro_usd": None, "active_ms": 7_200_000,
    }  # fmt: skip
    assert {type(run["usage"][name]) for name in AMOUNTS} == {int}
    assert run["usage"]["estimated"] is False


def test_each_activity_has_every_field_and_a_tool_its_decision(run: dict[str, Any]) -> None:
    assert {tuple(sorted(activity)) for activity in run["activities"]} == {tuple(sorted(ACTIVITY))}
    assert {activity["kind"] for activity in run["activities"]} == {"model", "tool"}
    for activity in run["activities"]:
        is_tool = activity["kind"] == "tool"
        assert ID.fullmatch(activity["activity_id"])
        assert (activity["attempt"], activity["status"], activity["error"]) == (1, "completed", None)
        assert activity["requested_sequence"] < activity["ended_sequence"] <= run["last_sequence"]
        assert isinstance(activity["call_id"], str) == is_tool == (activity["decision"] is not None)
        if is_tool:
            assert sorted(activity["decision"]) == ["reason", "resources", "rule", "verdict"]
            assert activity["decision"]["verdict"] == "allow" and activity["decision"]["resources"]


def test_each_artifact_has_every_field(run: dict[str, Any]) -> None:
    (artifact,) = run["artifacts"]
    assert sorted(artifact) == ["artifact_id", "encoding", "kind", "path", "sha256", "size"]
    assert ID.fullmatch(artifact["artifact_id"]) and HASH.fullmatch(artifact["sha256"])
    assert (artifact["path"], artifact["kind"], artifact["encoding"]) == ("outputs/report.md", "text", "utf-8")
    assert isinstance(artifact["size"], int)


def test_inspect_prints_what_run_printed(machine: Machine, run: dict[str, Any]) -> None:
    assert printed(machine, "inspect", run["run_id"]) == run
    assert printed(machine, "run", "inspect", "latest") == run


def test_a_run_that_rests_names_reason_error_and_limit(machine: Machine) -> None:
    run = printed(machine, "run", "x", "--max-model-calls", "0")
    assert (run["status"], run["reason"], run["exhausted"], run["final_text"]) == (
        "suspended", "budget", "model_calls", None,
    )  # fmt: skip
    assert sorted(run["error"]) == ["code", "details", "message", "retryable"]
    assert (run["error"]["code"], run["error"]["retryable"]) == ("budget_exhausted", False)
    assert run["driven"] is None


def test_a_running_run_says_whether_a_process_drives_it(machine: Machine) -> None:
    with subprocess.Popen(
        [sys.executable, SCRIPTED, "hangs", "run", "x"],
        cwd=machine.workspace,
        env=machine.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as driver:
        assert driver.stderr is not None
        assert driver.stderr.readline().startswith("Run ")
        run = printed(machine, "inspect", "latest")
        driver.kill()
    assert (run["status"], run["reason"], run["driven"]) == ("running", None, True)
    run = printed(machine, "inspect", "latest")
    assert (run["status"], run["reason"], run["driven"]) == ("running", None, False)


def test_what_a_failed_call_may_have_used_is_counted_and_marked(machine: Machine) -> None:
    run = printed(machine, "run", "x", "--provider", "scripted", "--model", "m", script="unavailable")
    assert (run["status"], run["reason"]) == ("suspended", "provider_unavailable")
    assert run["usage"]["cost_micro_usd"] is None  # the model has no price
    assert run["usage"]["estimated"] is True and run["usage"]["output_tokens"] > 0


def test_a_refused_call_has_an_error_and_no_decision(machine: Machine) -> None:
    run = printed(machine, "run", "x", "--provider", "scripted", "--model", "m", script="writes")
    (refused,) = (activity for activity in run["activities"] if activity["status"] == "failed")
    assert sorted(refused["error"]) == ["code", "details", "message", "retryable"]
    assert (refused["error"]["code"], refused["decision"]) == ("write_outside_outputs", None)
    assert run["status"] == "succeeded" and run["error"] is None


def test_events_are_pages_of_stored_events(machine: Machine, run: dict[str, Any]) -> None:
    page = printed(machine, "events", "latest", "--limit", "3", "--after-sequence", "1")
    assert sorted(page) == ["events", "has_more", "next_after_sequence", "run_id", "schema_version"]
    assert (page["run_id"], page["next_after_sequence"], page["has_more"]) == (run["run_id"], 4, True)
    assert [sorted(event) for event in page["events"]] == [sorted(EVENT)] * 3
    assert [event["sequence"] for event in page["events"]] == [2, 3, 4]
    whole = printed(machine, "events", "latest")
    assert (whole["next_after_sequence"], whole["has_more"]) == (None, False)
    first, last = whole["events"][0], whole["events"][-1]
    assert (first["type"], first["version"], first["activity_id"], first["prev_hash"]) == (
        "run.created", 1, None, "0" * 64,
    )  # fmt: skip
    assert (last["sequence"], last["hash"]) == (run["last_sequence"], run["head_hash"])


def test_json_lines_are_the_same_events(machine: Machine, run: dict[str, Any]) -> None:
    lines = machine.bearagent("events", run["run_id"], "--jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == printed(machine, "events", "latest")["events"]


def test_when_no_run_came_to_be_there_is_an_error_and_nothing_else(machine: Machine) -> None:
    done = machine.bearagent("run", "", "--json")
    shown = json.loads(done.stdout)
    assert sorted(shown) == ["error", "run_id", "schema_version", "status"]
    assert (shown["schema_version"], shown["run_id"], shown["status"]) == (1, None, None)
    assert sorted(shown["error"]) == ["code", "details", "message", "retryable"]
    assert done.stderr == shown["error"]["message"] + "\n"


@pytest.mark.parametrize("words", [("inspect", "latest"), ("events", "latest"), ("list",), ("tools",), ("doctor",)])
def test_the_page_on_the_command_line_names_every_field(
    words: tuple[str, ...], machine: Machine, run: dict[str, Any]
) -> None:
    assert {name for name in printed(machine, *words) if f"`{name}`" not in PAGE} == set()
