"""Lists as text: one row per run or event. Made without a layout library, because `list` must be quick."""

import sys
from unicodedata import east_asian_width

import msgspec

from bearagent_cli.terminal import on_one_line, width_of
from bearagent_domain.views import EventPage, EventView, RunLine, RunPage

WHOLE_ID_COLUMNS = 120  # a narrower terminal gets 8 characters of an id, which name a run as well
PAYLOAD_CHARS_MAX = 160
TYPE_COLUMNS = len("activity.outcome_unknown")


def runs_text(page: RunPage) -> str:
    """One row per run: id (its beginning on a narrow terminal), when, status, objective cut to the terminal's width."""
    if not page.runs and not page.damaged:
        return "No runs yet. Start one with bearagent run.\n"
    columns = max((len(status_of(line)) for line in page.runs), default=0)
    shown = "".join(_run_row(line, columns) for line in page.runs)
    for run_id in map(on_one_line, page.damaged):
        shown += f"{run_id}  damaged in the list; its events may be whole: bearagent verify {run_id}\n"
    return shown if page.next_cursor is None else f"{shown}More: bearagent list --cursor {page.next_cursor}\n"


def events_text(page: EventPage) -> str:
    """One row per event: sequence, when, type, activity, and how its payload begins."""
    shown = "".join(map(_event_row, page.events))
    if not page.has_more:
        return shown
    return f"{shown}More: bearagent events {page.run_id} --after-sequence {page.next_after_sequence}\n"


def status_of(line: RunLine) -> str:
    """The status in words; a running run that no process drives is interrupted."""
    if line.driven is False:
        return "interrupted"
    run = line.run
    return run.status.value if run.reason is None else f"{run.status.value} ({run.reason})"


def _run_row(line: RunLine, status_columns: int) -> str:
    run = line.run
    when = run.created_at[:16].replace("T", " ")
    run_id = run.run_id if width_of(sys.stdout) >= WHOLE_ID_COLUMNS else run.run_id[:8]
    return _fitted(f"{run_id}  {when}  {status_of(line):{status_columns}}  {on_one_line(run.objective)}")


def _event_row(event: EventView) -> str:
    when = event.recorded_at[11:23]
    activity = (event.activity_id or "")[:8]
    payload = on_one_line(msgspec.json.encode(event.payload)[: 4 * PAYLOAD_CHARS_MAX].decode(errors="ignore"))
    row = f"{event.sequence:>5}  {when}  {event.type:{TYPE_COLUMNS}}  {activity:8}  {payload[:PAYLOAD_CHARS_MAX]}"
    return _fitted(row)


def _fitted(text: str) -> str:
    """`text` cut to the width of the terminal, where East Asian characters take two columns, and ended."""
    columns, used = width_of(sys.stdout), 0
    for index, character in enumerate(text):
        used += 2 if east_asian_width(character) in "WF" else 1
        if used > columns:
            return text[: index - 1] + "…\n"
    return text.rstrip() + "\n"
