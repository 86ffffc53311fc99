"""What a listed folder adds to the ledger: documents to read, folders to list, and what is passed over and why."""

from collections.abc import Iterator

import msgspec

from bearagent_domain.errors import ErrorCode
from bearagent_domain.messages import ToolAnswer
from bearagent_offline_provider.ledger import Ledger
from bearagent_offline_provider.notes import PendingFolder
from bearagent_offline_provider.objectives import names_folder

ROOT = "."
OUTPUTS_FOLDER = "outputs"
# What holds no sentences, told by the name. A file that the objective names is read all the same.
NOT_DOCUMENTS = tuple(
    ".c .cc .cpp .css .csv .go .h .html .htm .ini .ipynb .java .js .json .jsonl .jsx .kt .lock .mjs .py .pyi .rb .rs "
    ".scss .sh .sql .svg .swift .toml .ts .tsv .tsx .vue .xml .yaml .yml".split()
)
GENERATED_FOLDERS = frozenset({"node_modules", "__pycache__", "venv"})


class _Entry(msgspec.Struct, frozen=True):
    kind: str
    name: str
    size: int


def take_listing(ledger: Ledger, path: str, answer: ToolAnswer) -> None:
    """Take in the answer to a listing of the folder `path`."""
    ledger.folders.pop(path, None)
    if answer.error is not None:
        if answer.error.code is ErrorCode.PATH_NOT_DIRECTORY and path in ledger.objective.folders:
            ledger.add_file(path)
        else:
            ledger.skip(path, answer.error.code.value)
        return
    entries = list(_entries_in(answer.content))
    for entry in _meant(ledger, path, entries):
        _take_entry(ledger, path, entry)
    cursor = answer.facts.get("next_cursor")
    if answer.cut is not None:  # the rest of the page was not shown: a name serves as cursor
        cursor = entries[-1].name if entries else None
    skipped = answer.facts.get("skipped")
    if isinstance(cursor, str):
        ledger.folders = {path: PendingFolder(path, cursor), **ledger.folders}
    elif isinstance(skipped, int) and skipped:
        ledger.count("no_path", skipped)


def _entries_in(content: str) -> Iterator[_Entry]:
    for line in content.split("\n"):
        try:
            yield msgspec.json.decode(line, type=_Entry)
        except msgspec.MsgspecError:
            continue  # the empty end, or no listing at all


def _meant(ledger: Ledger, folder: str, entries: list[_Entry]) -> list[_Entry]:
    """Of the workspace itself the folders that the objective speaks of; all, if it says nothing of what to read."""
    objective = ledger.objective
    if folder != ROOT or not objective.may_speak_of_folders or ledger.wanted:
        return entries
    spoken_of = [entry for entry in entries if entry.kind == "directory" and names_folder(objective.words, entry.name)]
    return spoken_of if spoken_of or objective.names_paths else entries


def _take_entry(ledger: Ledger, folder: str, entry: _Entry) -> None:
    path = entry.name if folder == ROOT else f"{folder}/{entry.name}"
    if ledger.wanted and entry.kind == "file" and entry.name not in ledger.wanted:
        return
    reason = _reason_to_skip(path, entry, is_wanted=entry.name in ledger.wanted)
    if reason:
        ledger.skip(path, reason)
    elif entry.kind == "directory":
        ledger.add_folder(path)
    else:
        ledger.add_file(path, entry.size)


def _reason_to_skip(path: str, entry: _Entry, *, is_wanted: bool) -> str:
    match entry.kind:
        case "file" | "directory" if entry.name.startswith("."):
            return "hidden"
        case "directory":
            return "outputs" if path == OUTPUTS_FOLDER else "generated" if entry.name in GENERATED_FOLDERS else ""
        case "file":
            is_document = is_wanted or not entry.name.casefold().endswith(NOT_DOCUMENTS)
            return "empty" if not entry.size else "" if is_document else "not_document"
        case "link":
            return "link"
        case _:
            return "special"
