"""`workspace.list`: the entries of one folder, sorted, page by page."""

import heapq
import os
import stat
from collections.abc import Iterator
from functools import partial

from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.json_values import JsonObject, JsonValue, canonical_json
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, Resource, RetrySafety, ToolResult, ToolSpec
from bearagent_ports.tool import CallContext, CallRefused, ToolFailed
from bearagent_workspace_tools.arguments import object_schema, refuse_arguments, require_fields
from bearagent_workspace_tools.directories import Workspace, entries_in, status_of
from bearagent_workspace_tools.paths import ROOT_PATH, child_of, is_temporary, normalised, parts_of
from bearagent_workspace_tools.workers import READ_GRACE_MS, check_time, run_worker

ENTRIES_MAX = 500
CONTENT_BYTES_MAX = 49_152  # as JSON inside JSON at most twice as much
RESULT_BYTES_MAX = 131_072

_SPEC = ToolSpec(
    name="workspace.list",
    spec_version="1.0.0",
    description=(
        "List one folder of the workspace, not those below it: one JSON object a line with kind (file, directory, "
        "link, other), name and size in bytes, sorted by name, at most 500 a page. Go on with cursor = next_cursor "
        "until that is null. Names that no path can hold are left out and counted as skipped."
    ),
    input_schema=object_schema(
        {
            "path": {"type": "string", "default": ROOT_PATH, "description": "Folder, relative to the workspace"},
            "cursor": {"type": ["string", "null"], "description": "next_cursor of the page before"},
        },
        [],
    ),
    effect=Effect.WORKSPACE_READ,
    retry=RetrySafety.SAFE,
    timeout_ms=30_000,
    result_bytes_max=RESULT_BYTES_MAX,
)


class ListTool:
    """Lists; a page holds the 500 smallest names behind the cursor, so that memory does not grow with the folder."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def spec(self) -> ToolSpec:
        """Constant."""
        return _SPEC

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """The path, normalised, and the cursor."""
        require_fields(arguments, required=(), optional=("path", "cursor"))
        path = normalised(arguments.get("path", ROOT_PATH))
        prepared: JsonObject = {"path": path, "cursor": _cursor_of(path, arguments.get("cursor"))}
        resource = Resource(kind="directory", access="read", name=path)
        return PreparedToolRequest(tool=_SPEC.name, arguments=prepared, resources=(resource,))

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """Empty: nothing is changed."""
        return Intent()

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """One page of entries."""
        path, cursor = str(prepared.arguments["path"]), str(prepared.arguments["cursor"] or "")
        work = partial(self._list, path, cursor, call)
        return await run_worker(call, work, grace_ms=READ_GRACE_MS, may_write=False)

    def _list(self, path: str, cursor: str, call: CallContext) -> ToolResult:
        with self._workspace.directory(parts_of(path)) as folder:
            listing = _Listing(path, call)
            names = heapq.nsmallest(ENTRIES_MAX + 1, listing.names_behind(folder, cursor))
            lines, last = _lines_of(folder, names[:ENTRIES_MAX])
        has_more = last is not None and last != names[-1]
        facts: JsonObject = {
            "path": path,
            "entries": len(lines),
            "next_cursor": last if has_more else None,
            "skipped": listing.skipped,
        }
        return ToolResult(content="".join(lines), facts=facts)


class _Listing:
    """One pass over the names of a folder; those that no path can hold are counted, not given."""

    def __init__(self, path: str, call: CallContext) -> None:
        self._path = path
        self._call = call
        self.skipped = 0

    def names_behind(self, folder: int, cursor: str) -> Iterator[str]:
        """The names behind `cursor`, in no order."""
        for entry in entries_in(folder, partial(check_time, self._call)):
            name = entry.name
            if is_temporary(name):
                continue
            if child_of(self._path, name) is None:
                self.skipped += 1
            elif name > cursor:
                yield name


def _lines_of(folder: int, names: list[str]) -> tuple[list[str], str | None]:
    """The lines that fit into a page, and the last name that is dealt with."""
    lines: list[str] = []
    last, size = None, 0
    for name in names:
        line = _line_of(folder, name)
        size += len(line.encode())
        if size > CONTENT_BYTES_MAX:
            break
        last = name
        if line:
            lines.append(line)
    return lines, last


def _line_of(folder: int, name: str) -> str:
    try:
        status = status_of(folder, name)
    except ToolFailed:  # gone since the folder was read, or not to be looked at
        return ""
    return canonical_json({"kind": _kind_of(status), "name": name, "size": _size_of(status)}).decode() + "\n"


def _kind_of(status: os.stat_result) -> str:
    match stat.S_IFMT(status.st_mode):
        case stat.S_IFREG:
            return "file"
        case stat.S_IFDIR:
            return "directory"
        case stat.S_IFLNK:
            return "link"
        case _:
            return "other"


def _size_of(status: os.stat_result) -> int:
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _cursor_of(path: str, value: JsonValue) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        refuse_arguments(["cursor"], "`cursor` is the text that the page before gave as next_cursor.")
    if child_of(path, value) is None or "/" in value:
        message = "This cursor is not one that workspace.list gave for this folder. Begin again without a cursor."
        raise CallRefused(failure(ErrorCode.CURSOR_INVALID, message))
    return value
