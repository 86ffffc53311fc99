"""`workspace.read`: a page of whole lines of one text file, exactly as they stand in it."""

import hashlib
from functools import partial

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import JsonObject, canonical_json
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, Resource, RetrySafety, ToolResult, ToolSpec
from bearagent_ports.tool import CallContext, ToolFailed
from bearagent_workspace_tools.arguments import integer_of, object_schema, require_fields
from bearagent_workspace_tools.directories import OpenFile, Workspace
from bearagent_workspace_tools.errors import failed
from bearagent_workspace_tools.paths import normalised, parts_of
from bearagent_workspace_tools.texts import PAGE_BYTES_MAX, Page, PageReader, TextDecoder, blocks, has_changed
from bearagent_workspace_tools.workers import READ_GRACE_MS, check_time, run_worker

RESULT_BYTES_MAX = 131_072
LINES_DEFAULT = 2_000
LINE_NUMBER_MAX = 2**40
ENCODED_BYTES_MAX = RESULT_BYTES_MAX - 8_192  # the rest is for the facts

_SPEC = ToolSpec(
    name="workspace.read",
    spec_version="1.0.0",
    description=(
        "Read a text file of the workspace: whole lines, at most 65,536 bytes a page. Go on with start_line = "
        "next_start_line until that is null. When line_cut is true the line is longer than a page: go on with "
        "start_offset = next_offset in the same line."
    ),
    input_schema=object_schema(
        {
            "path": {"type": "string", "description": "File, relative to the workspace, e.g. docs/notes.md"},
            "start_line": {"type": "integer", "minimum": 1, "maximum": LINE_NUMBER_MAX, "default": 1},
            "max_lines": {"type": "integer", "minimum": 1, "maximum": LINE_NUMBER_MAX, "default": LINES_DEFAULT},
            "start_offset": {
                "type": "integer",
                "minimum": 0,
                "maximum": LINE_NUMBER_MAX,
                "default": 0,
                "description": "Byte within start_line to begin at; only to go on in a line that was cut",
            },
        },
        ["path"],
    ),
    effect=Effect.WORKSPACE_READ,
    retry=RetrySafety.SAFE,
    timeout_ms=30_000,
    result_bytes_max=RESULT_BYTES_MAX,
)


class ReadTool:
    """Reads; the package README lists the facts that come with a page."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    @property
    def spec(self) -> ToolSpec:
        """Constant."""
        return _SPEC

    def prepare(self, arguments: JsonObject) -> PreparedToolRequest:
        """Path and numbers, normalised; defaults filled in."""
        require_fields(arguments, required=("path",), optional=("start_line", "max_lines", "start_offset"))
        path = normalised(arguments["path"])
        prepared: JsonObject = {
            "path": path,
            "start_line": integer_of(arguments, "start_line", default=1, least=1, most=LINE_NUMBER_MAX),
            "max_lines": integer_of(arguments, "max_lines", default=LINES_DEFAULT, least=1, most=LINE_NUMBER_MAX),
            "start_offset": integer_of(arguments, "start_offset", default=0, least=0, most=LINE_NUMBER_MAX),
        }
        resource = Resource(kind="file", access="read", name=path)
        return PreparedToolRequest(tool=_SPEC.name, arguments=prepared, resources=(resource,))

    async def intend(self, prepared: PreparedToolRequest, call: CallContext) -> Intent:
        """Empty: nothing is changed."""
        return Intent()

    async def execute(self, prepared: PreparedToolRequest, call: CallContext, intent: Intent) -> ToolResult:
        """The page, with the size and SHA-256 of the whole file."""
        work = partial(self._read, prepared.arguments, call)
        return await run_worker(call, work, grace_ms=READ_GRACE_MS, may_write=False)

    def _read(self, arguments: JsonObject, call: CallContext) -> ToolResult:
        path, start_line, max_lines = (
            str(arguments["path"]),
            _number(arguments, "start_line"),
            _number(arguments, "max_lines"),
        )
        reader = PageReader(start_line, _number(arguments, "start_offset"))
        with self._workspace.file(parts_of(path)) as file:
            facts = _read_through(file, reader, call)
        page = _fitting_page(reader, max_lines)
        end_line, total = start_line + page.line_count - 1, reader.total_lines
        next_line = start_line if page.is_cut else end_line + 1
        facts |= {"path": path, "start_line": start_line, "end_line": end_line, "total_lines": total}
        facts["next_start_line"] = next_line if next_line <= total else None
        if page.is_cut:
            facts |= {"line_cut": True, "next_offset": _number(arguments, "start_offset") + len(page.data)}
        if start_line > total:
            facts["end_of_file"] = True
        return ToolResult(content=page.data.decode(), facts=facts)


def _read_through(file: OpenFile, reader: PageReader, call: CallContext) -> JsonObject:
    """Feed the whole file to `reader`; its size and hash, and whether it changed meanwhile."""
    digest, decoder, size = hashlib.sha256(), TextDecoder(), 0
    for block in blocks(file, partial(check_time, call)):
        digest.update(block)
        decoder.feed(block)
        reader.feed(block)
        size += len(block)
    facts: JsonObject = {"size": size, "sha256": digest.hexdigest()}
    if has_changed(file):
        facts["changed"] = True
    try:
        decoder.feed(b"", is_last=True)
    except ToolFailed as error:  # a file that grew is read as far as it went before, maybe half of a character
        if "changed" in facts:
            raise failed(ErrorCode.FILE_CHANGED) from error
        raise
    return facts


def _fitting_page(reader: PageReader, max_lines: int) -> Page:
    """A page whose JSON form fits into a result: control characters take six bytes there."""
    bytes_max = PAGE_BYTES_MAX
    page = reader.page(max_lines, bytes_max)
    while len(canonical_json(page.data.decode())) > ENCODED_BYTES_MAX:
        bytes_max //= 2
        page = reader.page(max_lines, bytes_max)
    return page


def _number(arguments: JsonObject, name: str) -> int:
    value = arguments[name]
    assert isinstance(value, int), "prepare gave whole numbers"
    return value
