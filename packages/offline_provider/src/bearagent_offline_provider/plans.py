"""From a request to the next step: list, read on, hand over the report, or answer. Only the newest group counts."""

from typing import TypeAlias

import msgspec

from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.json_values import JsonObject
from bearagent_domain.messages import AssistantTurn, ToolAnswer
from bearagent_domain.models import ModelRequest
from bearagent_domain.tools import ToolCall
from bearagent_offline_provider.answers import answer_after_write, refuse_without_write
from bearagent_offline_provider.ledger import Ledger
from bearagent_offline_provider.listings import ROOT, take_listing
from bearagent_offline_provider.notes import Delivery, Notes, Plan, carried_in, delivery_text, notes_text
from bearagent_offline_provider.objectives import Objective, objective_of
from bearagent_offline_provider.pages import take_page
from bearagent_offline_provider.reports import report_of
from bearagent_ports import ProviderFailed

LIST, READ, WRITE = "workspace.list", "workspace.read", "workspace.write"
CALLS_PER_TURN_MAX = 8
READ_BYTES_PER_TURN_MAX = 131_072  # a quarter of the default context
PAGE_BYTES_MAX = 65_536
PAGE_LINES_MAX = 20_000
TURNS_MAX = 150  # a run has 200 model calls and 1,000 tool calls, unless it is told otherwise
LIST_TURNS_MAX = 75  # the other half is for reading
CALLS_MAX = 900
DENIED = frozenset({ErrorCode.TOOL_NOT_ALLOWED, ErrorCode.TOOL_EFFECT_REFUSED, ErrorCode.TOOL_UNKNOWN})


class Call(Rec, frozen=True):
    """One call to make."""

    name: str
    arguments: JsonObject


class Step(Rec, frozen=True, kw_only=True):
    """What the provider says: text and calls; without calls the text is the final answer."""

    text: str
    calls: tuple[Call, ...] = ()


_NOTES_LOST = "The context is too small for the notes. Allow more with --context-chars, or name fewer documents."
_Group: TypeAlias = tuple[AssistantTurn, tuple[tuple[ToolCall, ToolAnswer], ...]]


def next_step(request: ModelRequest) -> Step:
    """What comes after the newest group of `request`: the same request always gives the same step.

    Raises `ProviderFailed` with `context_too_large` when the notes were cut so far that the plan is lost, with
    `tool_not_allowed` when the run does not offer to write, and with the code of the write's error when it failed.
    """
    objective = objective_of(request.objective)
    offered = {tool.name for tool in request.tools}
    if WRITE not in offered:
        refuse_without_write(objective)
    group = _newest_group(request)
    if group is None:
        return _going_on(_begun(objective), offered)
    turn, answered = group
    match carried_in(turn.text):
        case Notes() as notes:
            return _going_on(_with_answers(notes, objective, turn, answered), offered)
        case Delivery() as delivery:
            return Step(text=answer_after_write(delivery, objective, answered[0][1]))
        case None:
            raise ProviderFailed(failure(ErrorCode.CONTEXT_TOO_LARGE, _NOTES_LOST))


def _newest_group(request: ModelRequest) -> _Group | None:
    """The last turn, with its calls and their answers; None when it asked for nothing, or there is none."""
    answers: dict[str, ToolAnswer] = {}
    for item in reversed(request.items):
        if isinstance(item, AssistantTurn):
            pairs = tuple((call, answers[call.call_id]) for call in item.calls if call.call_id in answers)
            return (item, pairs) if pairs else None
        answers[item.call_id] = item
    return None


def _begun(objective: Objective) -> Ledger:
    ledger = Ledger(Notes(), objective)
    for folder in objective.folders:
        ledger.add_folder(folder)
    for path in objective.files:
        ledger.add_file(path)
    if objective.may_speak_of_folders:
        ledger.add_folder(ROOT)
    return ledger


def _with_answers(
    notes: Notes, objective: Objective, turn: AssistantTurn, answered: tuple[tuple[ToolCall, ToolAnswer], ...]
) -> Ledger:
    ledger = Ledger(notes, objective)
    if turn.cut is not None:
        ledger.narrow(turn.cut.bytes_kept // 2)
    for call, answer in answered:
        path = (call.arguments or {}).get("path")
        if answer.cut is not None:
            ledger.narrow(answer.cut.bytes_kept * 3 // 2)  # of about a quarter of the context
        if call.name == LIST and isinstance(path, str):
            take_listing(ledger, path, answer)
        elif call.name == READ and isinstance(path, str):
            take_page(ledger, path, answer)
    denied = {call.name for call, answer in answered if answer.error is not None and answer.error.code in DENIED}
    if READ in denied and not ledger.documents:  # nothing can be read: to ask on would only spend the budget
        ledger.stop_all("not_asked", "not_asked")
    return ledger


def _going_on(ledger: Ledger, offered: set[str]) -> Step:
    """The next calls for what waits in `ledger`; when nothing waits, or enough was asked, the report."""
    _stop_where_enough(ledger, offered)
    notes = ledger.closed()
    plan = notes.plan
    calls = _list_calls(plan) if ledger.folders else _read_calls(plan) if ledger.files else ()
    if calls:
        counted = msgspec.structs.replace(plan, turns=plan.turns + 1, calls=plan.calls + len(calls))
        return Step(text=notes_text(Notes(counted, notes.documents)), calls=calls)
    report = report_of(notes, ledger.objective)
    write = Call(WRITE, {"path": ledger.objective.output, "content": report.text})
    return Step(text=delivery_text(report.delivery), calls=(write,))


def _stop_where_enough(ledger: Ledger, offered: set[str]) -> None:
    """Give up what can't be asked for, and what there is no more room or turn for."""
    if LIST not in offered:
        ledger.stop_folders("not_offered")
    if READ not in offered:
        ledger.stop_all("not_offered", "not_offered")
    if ledger.is_full and not ledger.wanted:
        ledger.stop_folders("too_many_files")
    if ledger.turns >= LIST_TURNS_MAX:
        ledger.stop_folders("limit")
    if ledger.turns >= TURNS_MAX or ledger.calls >= CALLS_MAX:
        ledger.stop_all("limit", "limit")
    if not ledger.folders:
        ledger.end_search()


def _list_calls(plan: Plan) -> tuple[Call, ...]:
    folders = plan.folders[: 1 if plan.is_narrow else CALLS_PER_TURN_MAX]
    return tuple(Call(LIST, {"path": folder.path, "cursor": folder.cursor}) for folder in folders)


def _read_calls(plan: Plan) -> tuple[Call, ...]:
    """As many files as a turn may ask for and as fit into a context beside the notes, by their known sizes."""
    calls: list[Call] = []
    size = 0
    for file in plan.files[: 1 if plan.is_narrow else CALLS_PER_TURN_MAX]:
        size += min(file.size or PAGE_BYTES_MAX, PAGE_BYTES_MAX)
        if calls and size > READ_BYTES_PER_TURN_MAX:
            break
        calls.append(Call(READ, {"path": file.path, "start_line": file.start_line, "max_lines": PAGE_LINES_MAX}))
    return tuple(calls)
