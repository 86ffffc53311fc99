"""`workspace.search`: the lines below a folder that hold a literal text, case ignored; never a regular expression."""

import heapq
import stat
import time

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import JsonObject, canonical_json
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, Resource, RetrySafety, ToolResult, ToolSpec
from bearagent_ports.tool import CallContext, ToolFailed
from bearagent_workspace_tools.arguments import integer_of, line_of, object_schema, require_fields
from bearagent_workspace_tools.directories import Workspace, entries_in, require_regular, status_of
from bearagent_workspace_tools.paths import ROOT_PATH, child_of, is_temporary, normalised, parts_of
from bearagent_workspace_tools.texts import FoundLine, decoded, found_lines
from bearagent_workspace_tools.workers import READ_GRACE_MS, check_time, run_worker

QUERY_CHARS_MAX = 1_000
MATCHES_DEFAULT = 100
MATCHES_MAX = 1_000
ENTRIES_MAX = 100_000
SEARCH_MS_MAX = 20_000
CONTENT_BYTES_MAX = 49_152  # as JSON inside JSON at most twice as much
RESULT_BYTES_MAX = 131_072
_ENDS_THE_SEARCH = frozenset(
    {ErrorCode.WORKSPACE_CHANGED, ErrorCode.TOO_MANY_OPEN_FILES, ErrorCode.TOOL_TIMEOUT, ErrorCode.INTERRUPTED}
)
_NOT_SEARCHED = frozenset({ErrorCode.NOT_TEXT, ErrorCode.FILE_TOO_LARGE})

_SPEC = ToolSpec(
    name="workspace.search",
    spec_version="1.0.0",
    description=(
        "Find the lines that hold a text, literally and whatever its case, in the text files below a folder (or in one "
        "file): one JSON object a line with path, line and text (at most 300 characters). When truncated is true the "
        "reason says why; narrow path or query. Links, pipes and files that are not text are counted as skipped."
    ),
    input_schema=object_schema(
        {
            "query": {"type": "string", "minLength": 1, "maxLength": QUERY_CHARS_MAX},
            "path": {"type": "string", "default": ROOT_PATH, "description": "Folder or file to search"},
            "max_matches": {"type": "integer", "minimum": 1, "maximum": MATCHES_MAX, "default": MATCHES_DEFAULT},
        },
        ["query"],
    ),
    effect=Effect.WORKSPACE_READ,
    retry=RetrySafety.SAFE,
    timeout_ms=30_000,
    result_bytes_max=RESULT_BYTES_MAX,
)


class SearchTool:
    """Searches, within limits on entries, matches, bytes and time, each of which shows in the result when reached."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def spec(self) -> ToolSpec:
        """Constant."""
        return _SPEC

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """Query, path and limit, normalised; defaults filled in."""
        require_fields(arguments, required=("query",), optional=("path", "max_matches"))
        path = normalised(arguments.get("path", ROOT_PATH))
        prepared: JsonObject = {
            "query": line_of(arguments, "query", chars_max=QUERY_CHARS_MAX),
            "path": path,
            "max_matches": integer_of(arguments, "max_matches", default=MATCHES_DEFAULT, least=1, most=MATCHES_MAX),
        }
        resource = Resource(kind="directory", access="read", name=path)
        return PreparedToolRequest(tool=_SPEC.name, arguments=prepared, resources=(resource,))

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """Empty: nothing is changed."""
        return Intent()

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """The matches in the order of their paths, and what was left out."""
        search = _Search(self._workspace, prepared.arguments, call)
        return await run_worker(call, search.result, grace_ms=READ_GRACE_MS, may_write=False)


class _Cut(Exception):
    """A limit was reached; the text names it."""


class _Search:
    """One search: a stack of paths to visit, walked without recursion, and what was found so far."""

    def __init__(self, workspace: Workspace, arguments: JsonObject, call: CallContext) -> None:
        max_matches = arguments["max_matches"]
        assert isinstance(max_matches, int), "prepare gave whole numbers"
        self._workspace = workspace
        self._query, self._start, self._max_matches = str(arguments["query"]), str(arguments["path"]), max_matches
        self._call = call
        self._end_ms = min(time.monotonic() * 1_000 + SEARCH_MS_MAX, call.deadline_ms - 1_000)
        self._waiting: list[tuple[str, bool]] = []
        self._lines: list[str] = []
        self._entries = self._files = self._skipped = self._bytes = 0
        self._reason: str | None = None

    def result(self) -> ToolResult:
        """Search until everything is visited or a limit is reached."""
        self._waiting = [(self._start, self._is_directory(self._start))]
        try:
            while self._waiting:
                path, is_directory = self._waiting.pop()
                self._visit(path, is_directory)
        except _Cut as cut:
            self._reason = str(cut)
        facts: JsonObject = {
            "path": self._start,
            "matches": len(self._lines),
            "truncated": self._reason is not None,
            "files": self._files,
            "skipped": self._skipped,
        }
        if self._reason is not None:
            facts["reason"] = self._reason
        return ToolResult(content="".join(self._lines), facts=facts)

    def _is_directory(self, path: str) -> bool:
        parts = parts_of(path)
        if not parts:
            return True
        with self._workspace.directory(parts[:-1]) as folder:
            status = status_of(folder, parts[-1])
        if stat.S_ISDIR(status.st_mode):
            return True
        require_regular(status)
        return False

    def _visit(self, path: str, is_directory: bool) -> None:
        try:
            if is_directory:
                self._open_directory(path)
            else:
                self._read_file(path)
        except ToolFailed as error:
            code = error.info.code
            if code in _ENDS_THE_SEARCH or (path == self._start and code not in _NOT_SEARCHED):
                raise
            self._skipped += 1

    def _open_directory(self, path: str) -> None:
        """Put the entries of a folder on the stack, so that paths come out in their order."""
        room = ENTRIES_MAX - self._entries
        below: list[tuple[str, str, bool]] = []
        with self._workspace.directory(parts_of(path)) as folder:
            for entry in entries_in(folder, self._check):
                is_directory, is_file = entry.is_dir(follow_symlinks=False), entry.is_file(follow_symlinks=False)
                child = child_of(path, entry.name)
                if is_temporary(entry.name):
                    continue
                if child is None and child_of(ROOT_PATH, entry.name) is not None:
                    self._reason = "depth"  # only its place makes the name too long or too deep
                if child is None or not (is_directory or is_file):
                    self._skipped += 1
                else:
                    below.append((child + "/" if is_directory else child, child, is_directory))
        kept = heapq.nsmallest(room, below)
        self._entries += len(kept)
        self._waiting.extend((child, is_directory) for _, child, is_directory in reversed(kept))
        if len(below) > room:
            self._reason = "entries"

    def _read_file(self, path: str) -> None:
        with self._workspace.file(parts_of(path)) as file:
            texts = decoded(file, self._check)
            found = found_lines(texts, self._query, self._max_matches - len(self._lines) + 1)
        self._files += 1
        for line in found:
            self._add(path, line)

    def _add(self, path: str, found: FoundLine) -> None:
        if len(self._lines) == self._max_matches:
            raise _Cut("max_matches")
        line = canonical_json({"line": found.number, "path": path, "text": found.excerpt}).decode() + "\n"
        self._bytes += len(line.encode())
        if self._bytes > CONTENT_BYTES_MAX:
            raise _Cut("result_bytes")
        self._lines.append(line)

    def _check(self) -> None:
        check_time(self._call)
        if time.monotonic() * 1_000 > self._end_ms:
            raise _Cut("time")
