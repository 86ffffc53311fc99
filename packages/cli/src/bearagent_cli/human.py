"""Views as text for people. Foreign text is always literal: never markup, never a control code."""

import io
import sys
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bearagent_cli.diagnoses import DiagnosisDocument
from bearagent_cli.service import ToolList
from bearagent_cli.terminal import on_one_line, shows_colour, visible, width_of
from bearagent_domain.artifacts import Artifact
from bearagent_domain.budgets import LIMIT_NAMES
from bearagent_domain.views import ActivityView, RunInspection, Verification

_STYLES = {
    "succeeded": "green",
    "completed": "green",
    "ok": "green",
    "holds": "green",
    "failed": "red",
    "wrong": "red",
    "outcome_unknown": "red",
    "suspended": "yellow",
    "waiting": "yellow",
    "cancelled": "yellow",
    "interrupted": "yellow",
    "not_checked": "yellow",
}


def run_text(run: RunInspection) -> str:
    """A run that has come to rest: answer, results, and the head of its record."""
    parts = [visible(run.final_text).rstrip() + "\n\n"] if run.final_text else []
    if run.artifacts:
        parts.append(artifacts_text(run.artifacts) + "\n")
    parts.append(f"Run {run.run_id}: {_status(run)}\n")
    if run.error is not None:
        parts.append(f"{run.error.code.value}: {on_one_line(run.error.message)}\n")
    parts.append(_head(run))
    return "".join(parts)


def inspection_text(run: RunInspection) -> str:
    """Everything that the record tells of a run."""
    facts = [
        ("Run", run.run_id),
        ("Status", _status(run)),
        ("Objective", run.objective),
        ("Model", f"{run.provider} / {run.model}"),
        ("Created", run.created_at),
        ("Last event", run.updated_at),
    ]
    if run.error is not None:
        facts.append(("Error", f"{run.error.code.value}: {run.error.message}"))
    if run.origin_run_id is not None:
        facts.append(("Retry of", run.origin_run_id))
    parts = [_rows(facts), "\nBudget\n", _rows(_budget(run), headings=("", "used", "limit"))]
    if run.activities:
        headings = ("seq", "activity", "status", "attempt", "allowed", "touches", "error")
        parts += ["\nActivities\n", _rows(map(_activity, run.activities), headings=headings)]
    if run.artifacts:
        parts += ["\nArtifacts\n", artifacts_text(run.artifacts)]
    if run.final_text:
        parts += ["\nAnswer\n", visible(run.final_text).rstrip() + "\n"]
    return "".join([*parts, "\n", _head(run)])


def artifacts_text(artifacts: Iterable[Artifact]) -> str:
    """Path, size and hash of each file written; the hash has a line of its own, so that no terminal folds it."""
    return "".join(
        f"{on_one_line(artifact.path)}  {artifact.size:,} bytes\n  sha256 {artifact.sha256}\n" for artifact in artifacts
    )


def tools_text(listed: ToolList) -> str:
    """Each tool with what it may do."""
    headings = ("tool", "effect", "retry", "what it does")
    rows = ((tool.name, tool.effect.value, tool.retry.value, tool.description) for tool in listed.tools)
    return _rows(rows, headings=headings)


def diagnosis_text(found: DiagnosisDocument) -> str:
    """What is right and wrong, then each setting with its origin."""
    checks = _rows((check.name, "ok" if check.ok else "wrong", check.detail) for check in found.checks)
    settings = _rows((one.name, "not set" if one.value is None else one.value, one.origin) for one in found.settings)
    return f"{checks}\nSettings\n{settings}"


def verification_text(verification: Verification) -> str:
    """Each check, and what follows."""
    checks = _rows(
        (check.name, check.outcome.value, check.detail if check.code is None else f"{check.code.value}: {check.detail}")
        for check in verification.checks
    )
    head = f"{verification.last_sequence}:{verification.head_hash}"
    if not verification.ok:
        verdict = f"The record of run {verification.run_id} does not hold. Keep it as it is, and work on a copy."
        return f"{checks}\n{verdict}\nIts chain holds to {head}\n"
    return f"{checks}\nThe record of run {verification.run_id} holds.\nHead {head}\n"


def _head(run: RunInspection) -> str:
    kept = "" if run.head_kept or run.status.needs_driver else " (not kept outside the record; note it down)"
    return f"Head {run.last_sequence}:{run.head_hash}{kept}\n"


def _status(run: RunInspection) -> str:
    if run.driven is False:
        return f"{run.status.value} (interrupted: no process drives it)"
    return run.status.value if run.reason is None else f"{run.status.value} ({run.reason})"


def _budget(run: RunInspection) -> Iterable[tuple[str, str, str]]:
    for name in LIMIT_NAMES:
        used, limit = getattr(run.usage, name), getattr(run.limits, name)
        exhausted = " exhausted" if run.exhausted == name else ""
        shown = "not priced" if used is None else f"{used:,}"
        yield name, shown + exhausted, "none" if limit is None else f"{limit:,}"
    if run.usage.estimated:
        yield "", "partly estimated", ""


def _activity(activity: ActivityView) -> Sequence[str]:
    decision, error = activity.decision, activity.error
    return (
        f"{activity.requested_sequence}",
        activity.name,
        activity.status.value,
        f"{activity.attempt}",
        "" if decision is None else f"{decision.verdict.value}: {decision.rule}. {decision.reason}",
        "" if decision is None else ", ".join(f"{found.access} {found.name}" for found in decision.resources),
        "" if error is None else f"{error.code.value}: {error.message}",
    )


def _rows(rows: Iterable[Sequence[str]], *, headings: Sequence[str] = ()) -> str:
    """Columns side by side, each cell literally, folded to the width of a terminal."""
    table = Table(box=None, show_header=bool(headings), pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    cells = [[on_one_line(cell) for cell in row] for row in rows]
    for index in range(max(map(len, cells), default=0)):
        table.add_column(Text(headings[index] if headings else ""), overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell, style=_STYLES.get(cell.split(" ")[0], "")) for cell in row))
    shown = io.StringIO()
    console = Console(
        file=shown,
        force_terminal=shows_colour(sys.stdout),
        no_color=not shows_colour(sys.stdout),
        width=width_of(sys.stdout),
        legacy_windows=False,
    )
    console.print(table)
    return "".join(line.rstrip() + "\n" for line in shown.getvalue().splitlines())
