"""The commands that only look: what they ask, and how they show it."""

import json
from pathlib import Path

import pytest

from bearagent_cli.commands.init import PROFILE
from bearagent_cli.profiles import read_profile
from bearagent_domain.errors import ErrorCode
from bearagent_domain.ids import RunId
from bearagent_domain.profiles import RunProfile
from bearagent_testkit import CountingIds, FixedClock, SampleRun, sample_run
from tests.e2e.played_service import Command, PlayedService


def test_list_shows_one_row_per_run_and_how_to_go_on(command: Command, service: PlayedService) -> None:
    rows = command("list").out.splitlines()
    assert rows[0].startswith(service.sample.run_id)
    assert rows[0].endswith("succeeded  Write a report.")
    assert rows[1:] == ["More: bearagent list --cursor c1"]


def test_list_shows_a_run_that_nobody_drives_as_interrupted(command: Command, service: PlayedService) -> None:
    service.driven = False
    assert "  interrupted  " in command("list").out


def test_list_shows_the_other_runs_beside_a_damaged_one(command: Command, service: PlayedService) -> None:
    service.damaged = (RunId("12345678-0000-4000-8000-000000000000"),)
    rows = command("list").out.splitlines()
    assert rows[0].startswith(service.sample.run_id)
    assert rows[1].startswith(service.damaged[0]) and rows[1].endswith(f"bearagent verify {service.damaged[0]}")
    assert json.loads(command("list", "--json").out)["damaged"] == list(service.damaged)


def test_list_keeps_a_hostile_objective_on_its_row(command: Command, service: PlayedService) -> None:
    service.sample = sample_run(CountingIds(), FixedClock(), objective="\r\x1b[2Keverything is fine\nreally [/b]")
    row = command("list").out.splitlines()[0]
    assert row.endswith("\\x0d\\x1b[2Keverything is fine really [/b]")


def test_list_passes_limit_and_cursor_on(command: Command, service: PlayedService) -> None:
    shown = json.loads(command("list", "--limit", "3", "--cursor", "c0", "--json").out)
    assert service.asked == [("runs", "c0", 3)]
    assert shown["next_cursor"] == "c1"


@pytest.mark.parametrize("number", ["-1", str(2**53), str(2**63), "9" * 40])
def test_events_behind_a_number_that_is_none_is_wrong_usage(
    command: Command, service: PlayedService, number: str
) -> None:
    assert command("events", "latest", "--after-sequence", number).code == 2
    assert service.asked == []


def test_inspect_shows_what_was_done_and_why_it_was_allowed(command: Command, service: PlayedService) -> None:
    shown = command("inspect", "latest").out
    assert "fake.write" in shown
    assert "allow: allowed_tool. It is configured." in shown
    assert "outputs/report.md" in shown
    assert f"Head {service.sample.head.text}" in shown


def test_inspect_shows_a_run_that_nobody_drives_as_interrupted(command: Command, service: PlayedService) -> None:
    service.sample = SampleRun(CountingIds(), FixedClock())
    service.sample.begin()
    service.driven = False
    assert "running (interrupted: no process drives it)" in command("inspect", "latest").out


def test_inspect_shows_foreign_text_literally(command: Command, service: PlayedService) -> None:
    service.sample = sample_run(CountingIds(), FixedClock(), objective="explain [/q 7] [link=x] and [bold]x[/red]")
    assert "explain [/q 7] [link=x] and [bold]x[/red]" in command("inspect", "latest").out


def test_events_show_one_line_each_and_how_to_go_on(command: Command, service: PlayedService) -> None:
    lines = command("events", "latest", "--limit", "2").out.splitlines()
    assert [line.split()[2] for line in lines[:2]] == ["run.created", "run.started"]
    assert lines[2] == f"More: bearagent events {service.sample.run_id} --after-sequence 2"


def test_verify_says_that_the_record_holds(command: Command, service: PlayedService) -> None:
    done = command("verify", "latest", "--head", service.sample.head.text)
    assert done.code == 0
    assert service.asked == [("verify", "latest", service.sample.head.text)]
    assert f"The record of run {service.sample.run_id} holds." in done.out
    assert f"Head {service.sample.head.text}" in done.out


def test_verify_of_a_damaged_record_ends_with_7_and_says_what_was_found(
    command: Command, service: PlayedService
) -> None:
    service.damage = ErrorCode.RECORD_CORRUPT
    done = command("verify", "latest")
    assert done.code == 7
    assert "record_corrupt: As \\x1b[2J found." in done.out
    assert f"The record of run {service.sample.run_id} does not hold." in done.out
    shown = json.loads(command("verify", "latest", "--json").out)
    assert (shown["ok"], shown["checks"][0]["outcome"]) == (False, "failed")


def test_events_as_json_are_a_page(command: Command, service: PlayedService) -> None:
    page = json.loads(command("events", "latest", "--json", "--after-sequence", "1", "--limit", "1").out)
    assert (page["has_more"], page["next_after_sequence"], page["events"][0]["sequence"]) == (True, 2, 2)


def test_events_as_json_lines_are_one_object_each(command: Command, service: PlayedService) -> None:
    lines = command("events", "latest", "--jsonl").out.splitlines()
    assert [json.loads(line)["sequence"] for line in lines] == list(range(1, service.sample.head.sequence + 1))


def test_events_are_given_as_json_or_as_json_lines(command: Command) -> None:
    assert command("events", "latest", "--json", "--jsonl").code == 2


def test_tools_are_shown_with_their_effect(command: Command) -> None:
    assert "fake.echo  none" in command("tools").out
    assert json.loads(command("tools", "--json").out)["tools"][0]["name"] == "fake.echo"


def test_every_schema_that_is_named_is_given(command: Command) -> None:
    names = command("schema").out.split()
    assert {"profile", "run", "events", "doctor", "failure"} <= set(names)
    assert all("$ref" in json.loads(command("schema", name).out) for name in names)


def test_a_schema_that_is_not_there_is_wrong_usage(command: Command) -> None:
    assert command("schema", "nonsense").code == 2


def test_init_writes_a_profile_that_says_nothing_but_explains_everything(command: Command, home: Path) -> None:
    assert command("init").code == 0
    assert read_profile(home / "bearagent-profile.toml") == RunProfile()


def test_every_field_that_init_explains_is_one(home: Path) -> None:
    uncommented = "\n".join(
        line.removeprefix("# ") if " = " in line or line.startswith("# tools") else line
        for line in PROFILE.splitlines()
    )
    (home / "p.toml").write_text(uncommented)
    assert read_profile(home / "p.toml").agent.context_chars == 524_288


def test_init_leaves_a_file_that_is_there_alone(command: Command, home: Path) -> None:
    (home / "p.toml").write_text("mine")
    assert command("init", "p.toml").code == 2
    assert (home / "p.toml").read_text() == "mine"


def test_doctor_shows_checks_and_each_setting_with_its_origin(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BEARAGENT_MODEL", "m")
    shown = json.loads(command("doctor", "--db", "x.db", "--json").out)
    origins = {setting["name"]: setting["origin"] for setting in shown["settings"]}
    assert (origins["db"], origins["model"], origins["provider"]) == ("flag", "environment", "default")
    assert {"name": "Python", "ok": True, "detail": "3.11"} in shown["checks"]


def test_doctor_ends_with_3_when_something_is_wrong_and_still_shows_the_rest(command: Command, home: Path) -> None:
    (home / "bearagent").mkdir()
    (home / "bearagent/config.toml").write_text("nonsense = 1\n")
    ended = command("doctor")
    assert ended.code == 3
    assert "nonsense" in ended.out and "Python" in ended.out
