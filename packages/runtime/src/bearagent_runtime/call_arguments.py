"""A call as a model sent it, made into one that the log can keep: decoded within limits, or refused and cut."""

from bearagent_domain.errors import ErrorCode, ErrorInfo, failure
from bearagent_domain.ids import CallId
from bearagent_domain.json_values import (
    JsonObject,
    JsonRefused,
    canonical_json,
    has_lone_surrogate,
    parse_json_text,
    require_json,
    sha256_hex,
)
from bearagent_domain.tools import (
    ARGUMENTS_DEPTH_MAX,
    CALL_NAME_CHARS_MAX,
    EXCERPT_CHARS_MAX,
    REFUSED_ARGUMENTS_BYTES_MAX,
    ToolCall,
)
from bearagent_ports import CallRefused
from bearagent_runtime.registry import Registry

_CODES = {
    ErrorCode.JSON_INVALID: ErrorCode.ARGUMENTS_NOT_JSON,
    ErrorCode.JSON_TOO_DEEP: ErrorCode.ARGUMENTS_TOO_DEEP,
    ErrorCode.JSON_TOO_LARGE: ErrorCode.ARGUMENTS_TOO_LARGE,
    ErrorCode.JSON_NUMBER_RANGE: ErrorCode.ARGUMENTS_INVALID,
    ErrorCode.JSON_DUPLICATE_KEY: ErrorCode.ARGUMENTS_DUPLICATE_KEY,
}


def recorded_call(call_id: CallId, name: str, arguments_text: str | None, registry: Registry) -> ToolCall:
    """The call for the log.

    `arguments_text` is None when there was more of it than anybody keeps. Arguments are kept whole when they can be
    stored and the tool takes them, or when they are small; else their hash, size and an excerpt are, with the refusal.
    """
    if len(name) > CALL_NAME_CHARS_MAX or has_lone_surrogate(name) or any(_is_control(char) for char in name):
        error = failure(ErrorCode.TOOL_NAME_INVALID, "The tool's name is too long or holds control characters.")
        return _refused(call_id, excerpt(name, CALL_NAME_CHARS_MAX // 2), arguments_text or "", error)
    if arguments_text is None:
        error = failure(ErrorCode.ARGUMENTS_TOO_LARGE, "The arguments are larger than a call may be.")
        return _refused(call_id, name, "", error)
    try:
        arguments = _decoded(arguments_text)
        refusal = _refusal_by_tool(name, arguments, registry)
        require_json(arguments)
    except CallRefused as refused:
        return _refused(call_id, name, arguments_text, refused.info)
    except JsonRefused:
        error = refusal or failure(ErrorCode.ARGUMENTS_INVALID, "The arguments hold text that can't be stored.")
        return _refused(call_id, name, arguments_text, error)
    if refusal is not None and len(canonical_json(arguments)) > REFUSED_ARGUMENTS_BYTES_MAX:
        return _refused(call_id, name, arguments_text, refusal)
    return ToolCall(call_id=call_id, name=name, arguments=arguments, refusal=refusal)


def excerpt(text: str, chars_max: int) -> str:
    """The beginning of `text` with controls and surrogates as `\\u` escapes, at most `chars_max` characters."""
    shown = "".join(char if char.isprintable() else _escaped(char) for char in text[:chars_max])
    return shown[:chars_max]


def _decoded(text: str) -> JsonObject:
    if not text.strip():
        raise CallRefused(failure(ErrorCode.ARGUMENTS_NOT_JSON, "The arguments are empty; send a JSON object."))
    try:
        value = parse_json_text(text, depth_max=ARGUMENTS_DEPTH_MAX)
    except JsonRefused as error:
        code = _CODES.get(error.info.code, ErrorCode.ARGUMENTS_NOT_JSON)
        raise CallRefused(failure(code, f"The arguments can't be used. {error.info.message}")) from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise CallRefused(failure(ErrorCode.ARGUMENTS_NOT_OBJECT, "The arguments are JSON, but not an object."))
    return value


def _refusal_by_tool(name: str, arguments: JsonObject, registry: Registry) -> ErrorInfo | None:
    try:
        registry.prepared(name, arguments)
    except CallRefused as refused:
        return refused.info
    return None


def _refused(call_id: CallId, name: str, arguments_text: str, error: ErrorInfo) -> ToolCall:
    data = arguments_text.encode(errors="surrogatepass")
    return ToolCall(
        call_id=call_id,
        name=name,
        arguments=None,
        arguments_sha256=sha256_hex(data),
        arguments_bytes=len(data),
        arguments_excerpt=excerpt(arguments_text, EXCERPT_CHARS_MAX),
        refusal=error,
    )


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _is_control(char: str) -> bool:
    return char < " " or "\x7f" <= char <= "\x9f"
