"""The main job: real documents in, a cited report out, and a record that tells how."""

import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.installed_command import Machine

FIELD_NOTES = Path(__file__).resolve().parents[2] / "examples/field-notes/docs"
OBJECTIVE = "Read the documents under docs/ and write a report to outputs/report.md"
CITATION = re.compile(r"^\s*- (.+) \(([^()]+):(\d+)(?:-(\d+))?\)$", re.MULTILINE)


@pytest.fixture
def field_notes(machine: Machine) -> Machine:
    """A machine whose workspace holds the example documents of this project."""
    shutil.rmtree(machine.workspace / "docs")
    shutil.copytree(FIELD_NOTES, machine.workspace / "docs")
    return machine


def test_a_report_with_literal_citations_appears(field_notes: Machine) -> None:
    done = field_notes.bearagent("run", OBJECTIVE)
    assert done.returncode == 0, done.stderr
    report = (field_notes.workspace / "outputs/report.md").read_text("utf-8")
    citations = CITATION.findall(report)
    assert {path for _, path, _, _ in citations} == {f"docs/{file.name}" for file in FIELD_NOTES.iterdir()}
    for text, path, first, last in citations:
        lines = (field_notes.workspace / path).read_text("utf-8").splitlines()
        cited = " ".join(" ".join(lines[int(first) - 1 : int(last or first)]).split())
        assert text in cited


def test_the_terminal_is_told_id_progress_answer_artifact_and_head(field_notes: Machine) -> None:
    done = field_notes.bearagent("run", OBJECTIVE)
    run = json.loads(field_notes.bearagent("inspect", "latest", "--json").stdout)
    data = (field_notes.workspace / "outputs/report.md").read_bytes()
    assert done.stderr.splitlines()[0] == f"Run {run['run_id']}"
    assert "  workspace.write outputs/report.md" in done.stderr.splitlines()
    assert done.stdout.startswith(run["final_text"])
    assert f"outputs/report.md  {len(data):,} bytes\n  sha256 {hashlib.sha256(data).hexdigest()}\n" in done.stdout
    assert f"Head {run['last_sequence']}:{run['head_hash']}\n" in done.stdout


def test_the_record_answers_the_five_questions(field_notes: Machine) -> None:
    shown = json.loads(field_notes.bearagent("run", OBJECTIVE, "--json", "--quiet").stdout)
    run = json.loads(field_notes.bearagent("inspect", shown["run_id"][:8], "--json").stdout)
    assert run == shown
    tools = [activity for activity in run["activities"] if activity["kind"] == "tool"]
    assert {activity["status"] for activity in run["activities"]} == {"completed"}
    assert {activity["decision"]["verdict"] for activity in tools} == {"allow"}
    assert run["usage"]["tool_calls"] == len(tools)
    assert run["usage"]["cost_micro_usd"] == 0
    (artifact,) = run["artifacts"]
    data = (field_notes.workspace / artifact["path"]).read_bytes()
    assert (artifact["size"], artifact["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())


def test_events_can_be_paged_and_their_chain_holds(field_notes: Machine) -> None:
    run = json.loads(field_notes.bearagent("run", OBJECTIVE, "--json", "--quiet").stdout)
    first = json.loads(field_notes.bearagent("events", "latest", "--json", "--limit", "7").stdout)
    after = str(first["next_after_sequence"])
    rest = json.loads(field_notes.bearagent("run", "events", "latest", "--json", "--after-sequence", after).stdout)
    events = first["events"] + rest["events"]
    assert (first["has_more"], rest["has_more"]) == (True, False)
    assert [event["sequence"] for event in events] == list(range(1, run["last_sequence"] + 1))
    hashes = ["0" * 64, *(event["hash"] for event in events)]
    assert [event["prev_hash"] for event in events] == hashes[:-1]
    assert hashes[-1] == run["head_hash"]


def test_the_same_documents_give_the_same_bytes_again(field_notes: Machine) -> None:
    reports = []
    for _ in range(2):
        assert field_notes.bearagent("run", OBJECTIVE, "--quiet").returncode == 0
        reports.append((field_notes.workspace / "outputs/report.md").read_bytes())
    assert reports[0] == reports[1]
    rows = field_notes.bearagent("list").stdout.splitlines()
    assert len(rows) == 2


def test_an_objective_in_chinese_is_obeyed(machine: Machine) -> None:
    done = machine.bearagent("run", "阅读 docs/ 下的文档,写一份报告到 outputs/报告.md", "--quiet")
    assert done.returncode == 0, done.stderr
    assert "熊在冬天睡觉。" in (machine.workspace / "outputs/报告.md").read_text("utf-8")


def test_a_budget_that_is_too_small_suspends_and_loses_nothing(field_notes: Machine) -> None:
    done = field_notes.bearagent("run", OBJECTIVE, "--json", "--max-tool-calls", "2")
    run = json.loads(done.stdout)
    assert (done.returncode, run["status"], run["reason"]) == (6, "suspended", "budget")
    assert run["exhausted"] == "tool_calls"
    assert not (field_notes.workspace / "outputs").exists()


def test_a_head_that_can_not_be_kept_is_said(field_notes: Machine) -> None:
    field_notes.database.parent.mkdir()
    field_notes.database.with_name("bearagent.db.heads").touch()
    done = field_notes.bearagent("run", OBJECTIVE)
    assert done.returncode == 0
    assert "(not kept outside the record; note it down)" in done.stdout
    run = json.loads(field_notes.bearagent("inspect", "latest", "--json").stdout)
    assert (run["status"], run["head_kept"]) == ("succeeded", False)


def test_a_profile_without_the_write_tool_can_not_make_a_report(field_notes: Machine) -> None:
    (field_notes.home / "p.toml").write_text('schema_version = 1\ntools = ["workspace.list", "workspace.read"]\n')
    done = field_notes.bearagent("run", OBJECTIVE, "--json", "--profile", field_notes.home / "p.toml")
    run = json.loads(done.stdout)
    assert (done.returncode, run["status"], run["error"]["code"]) == (1, "failed", "tool_not_allowed")
    assert "workspace.write" in run["error"]["message"] and run["usage"]["tool_calls"] == 0
    assert not (field_notes.workspace / "outputs").exists()


def test_nothing_of_the_machine_stands_in_what_a_run_stores_or_exports(field_notes: Machine) -> None:
    field_notes.bearagent("run", OBJECTIVE)
    exported = field_notes.bearagent("events", "latest", "--jsonl", "--limit", "10000").stdout
    assert str(field_notes.workspace) not in exported
    assert str(field_notes.home) not in exported
    assert str(field_notes.workspace) not in (field_notes.workspace / "outputs/report.md").read_text("utf-8")


def test_a_report_that_can_not_be_written_is_no_success(field_notes: Machine) -> None:
    (field_notes.workspace / "outputs").write_text("A file where the folder has to be.", "utf-8")
    done = field_notes.bearagent("run", OBJECTIVE, "--json")
    run = json.loads(done.stdout)
    assert (done.returncode, run["status"], run["error"]["code"]) == (1, "failed", "path_not_directory")
    assert "was not saved" in run["error"]["message"] and run["artifacts"] == []
