"""Five fixed tasks, each with a scripted model and with the offline provider: what must hold when the work is done."""

import hashlib
from pathlib import Path

from bearagent import RunLimits
from bearagent_domain.errors import ErrorCode
from bearagent_domain.runs import RunStatus
from bearagent_testkit import ScriptedCall, ScriptedTurn
from tests.evals.evaluation import Evaluation

DONE = ScriptedTurn(text="Done.")


def reading(*paths: str) -> ScriptedTurn:
    return ScriptedTurn(calls=tuple(ScriptedCall("workspace.read", {"path": path}) for path in paths))


def listing(*paths: str) -> ScriptedTurn:
    return ScriptedTurn(calls=tuple(ScriptedCall("workspace.list", {"path": path}) for path in paths))


def writing(path: str, *lines: str) -> ScriptedTurn:
    content = "# Report\n\n" + "".join(f"{line}\n" for line in lines)
    return ScriptedTurn(calls=(ScriptedCall("workspace.write", {"path": path, "content": content}),))


def test_an_introduction_from_one_document(evaluation: Evaluation) -> None:
    output = "outputs/introduction.md"
    script = [
        reading("docs/tide-mills.md"),
        writing(
            output,
            "- A tide mill grinds grain with the water that the sea leaves behind a dam. (docs/tide-mills.md:3)",
            "- From then on the wheel turns for about five hours. (docs/tide-mills.md:8-9)",
        ),
        DONE,
    ]
    objective = f"Read docs/tide-mills.md and write an introduction to {output}"
    outcome = evaluation.carry_out("one_document", objective, script)
    assert outcome.cited(outcome.delivered(output)) == {"docs/tide-mills.md"}
    assert outcome.read == ["docs/tide-mills.md"]
    assert (outcome.run.usage.model_calls, outcome.run.usage.tool_calls) == (3, 2)


def test_a_summary_of_several_documents(evaluation: Evaluation) -> None:
    output, documents = "outputs/summary.md", ["hedgehogs.md", "swifts.txt", "蝙蝠.md", "notes/weather.md"]
    paths = [f"docs/{name}" for name in documents]
    script = [
        listing("docs"),
        listing("docs/notes"),
        reading(*paths),
        writing(
            output,
            "- Hedgehogs crossed the garden on nine of ten nights in May. (docs/hedgehogs.md:3)",
            "- The first swifts arrived on 3 May. (docs/swifts.txt:1)",
            "- 五月共记录到三种蝙蝠。 (docs/蝙蝠.md:3)",
            "- The month was dry, with rain on four days only. (docs/notes/weather.md:3)",
        ),
        DONE,
    ]
    objective = f"Summarise all documents under docs/ and write the summary to {output}"
    outcome = evaluation.carry_out("several_documents", objective, script)
    assert outcome.cited(outcome.delivered(output)) == set(paths)
    assert sorted(outcome.read) == sorted(paths)


def test_a_comparison_of_sources(evaluation: Evaluation) -> None:
    output, paths = "outputs/comparison.md", ["docs/boat-survey.md", "docs/shore-survey.md"]
    script = [
        reading(*paths),
        writing(
            output,
            "- The boat survey counted 212 grebes on the lake. (docs/boat-survey.md:3)",
            "- The shore survey counted 187 grebes on the lake. (docs/shore-survey.md:3)",
        ),
        DONE,
    ]
    outcome = evaluation.carry_out("comparison", f"Compare {' and '.join(paths)} and write to {output}", script)
    report = outcome.delivered(output)
    assert outcome.cited(report) == set(paths)
    assert outcome.read == paths
    assert "212 grebes" in report and "187 grebes" in report


def test_an_existing_output_is_replaced(evaluation: Evaluation) -> None:
    output = "outputs/report.md"
    script = [
        reading("docs/minutes.md"),
        writing(output, "- The meeting moved the opening of the reading room to 4 November. (docs/minutes.md:3)"),
        DONE,
    ]
    objective = f"Read docs/minutes.md and replace {output} by a new report"
    outcome = evaluation.carry_out("existing_output", objective, script)
    report = outcome.delivered(output)
    assert outcome.cited(report) == {"docs/minutes.md"}
    assert "4 November" in report and "21 October" not in report
    before = hashlib.sha256(outcome.before[output]).hexdigest()
    intents = [event.payload["intent"] for event in outcome.events if event.type == "activity.started"]
    assert [intent["prior_sha256"] for intent in intents if isinstance(intent, dict) and "path" in intent] == [before]


def test_a_denied_path_within_a_small_budget(evaluation: Evaluation, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private/wages.md").write_text("The ferryman gets 31 crowns.\n")
    output = "outputs/report.md"
    outside = writing("docs/report.md", "The model insists.")
    script = [reading("docs/plan.md", "../private/wages.md"), outside, outside, DONE]
    limits = RunLimits(model_calls=3, tool_calls=3)
    objective = f"Read docs/plan.md and ../private/wages.md and write a report to {output}"
    outcome = evaluation.carry_out("denied_path", objective, script, limits=limits)
    assert outcome.read == ["docs/plan.md"]
    assert not any("31 crowns" in str(event.payload) for event in outcome.events)
    assert (outcome.run.usage.model_calls, outcome.run.usage.tool_calls) == (3, 3)
    if evaluation.provider == "offline":  # it says what it was denied, and delivers the rest within the same budget
        report = outcome.delivered(output)
        assert outcome.refused == [ErrorCode.PATH_TRAVERSAL]
        assert outcome.cited(report) == {"docs/plan.md"} and "`../private/wages.md`" in report
    else:  # it insists until the budget ends it
        assert outcome.refused == [ErrorCode.PATH_TRAVERSAL, ErrorCode.WRITE_OUTSIDE_OUTPUTS]
        assert (outcome.run.status, outcome.run.reason) == (RunStatus.SUSPENDED, "budget")
        assert outcome.run.exhausted == "tool_calls"
        assert outcome.changed == set() and outcome.run.artifacts == ()
