"""Stable error codes, and the one shape in which a failure crosses a package border.

A message says what happened and what to do next. It holds no host path, no key and no raw exception (R5); the cause
stays in Python's exception chain. `retryable` describes a failure; it authorises nothing (R2). docs/errors.md lists all
codes.
"""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

MESSAGE_CHARS_MAX = 1_000


class ErrorCode(StrEnum):
    """Every stable code. A code is never renamed and never gets a second meaning."""

    # documents and JSON
    DOCUMENT_INVALID = "document_invalid"
    SCHEMA_VERSION_UNKNOWN = "schema_version_unknown"
    JSON_INVALID = "json_invalid"
    JSON_TOO_LARGE = "json_too_large"
    JSON_TOO_DEEP = "json_too_deep"
    JSON_NUMBER_RANGE = "json_number_range"
    JSON_DUPLICATE_KEY = "json_duplicate_key"
    # starting a run
    OBJECTIVE_INVALID = "objective_invalid"
    OBJECTIVE_TOO_LARGE = "objective_too_large"
    WORKSPACE_INVALID = "workspace_invalid"
    DATA_INSIDE_WORKSPACE = "data_inside_workspace"
    PROFILE_INVALID = "profile_invalid"
    SETTINGS_INVALID = "settings_invalid"
    LIMIT_INVALID = "limit_invalid"
    COST_UNPRICED = "cost_unpriced"
    PROVIDER_NOT_CONFIGURED = "provider_not_configured"
    APPLICATION_NOT_FOUND = "application_not_found"
    RUN_DRIVEN_ELSEWHERE = "run_driven_elsewhere"
    # the record
    RUN_NOT_FOUND = "run_not_found"
    RUN_AMBIGUOUS = "run_ambiguous"
    ILLEGAL_TRANSITION = "illegal_transition"
    RECORD_CORRUPT = "record_corrupt"
    RECORD_TRUNCATED = "record_truncated"
    STORE_MISSING = "store_missing"
    STORE_CONFLICT = "store_conflict"
    STORE_BUSY = "store_busy"
    STORE_FULL = "store_full"
    STORE_READ_ONLY = "store_read_only"
    STORE_CORRUPT = "store_corrupt"
    STORE_SCHEMA_UNKNOWN = "store_schema_unknown"
    STORE_SCHEMA_ALTERED = "store_schema_altered"
    STORE_NOT_A_DATABASE = "store_not_a_database"
    STORE_FAILED = "store_failed"
    EVENT_TOO_LARGE = "event_too_large"
    # the model
    CONTEXT_TOO_LARGE = "context_too_large"
    MODEL_OUTPUT_CUT = "model_output_cut"
    MODEL_OUTPUT_TOO_LARGE = "model_output_too_large"
    MODEL_EMPTY_RESPONSE = "model_empty_response"
    MODEL_REFUSED = "model_refused"
    MODEL_STALLED = "model_stalled"
    MODEL_TIMEOUT = "model_timeout"
    TOO_MANY_TOOL_CALLS = "too_many_tool_calls"
    PROVIDER_PROTOCOL = "provider_protocol"
    PROVIDER_ERROR = "provider_error"
    PROVIDER_UNAVAILABLE = "provider_unavailable"
    STREAM_INCOMPLETE = "stream_incomplete"
    # a tool call
    TOOL_UNKNOWN = "tool_unknown"
    TOOL_NAME_INVALID = "tool_name_invalid"
    TOOL_NOT_ALLOWED = "tool_not_allowed"
    TOOL_EFFECT_REFUSED = "tool_effect_refused"
    TOOL_FAILED = "tool_failed"
    TOOL_TIMEOUT = "tool_timeout"
    TOOL_RESULT_INVALID = "tool_result_invalid"
    TOOL_RESULT_TOO_LARGE = "tool_result_too_large"
    OUTCOME_UNKNOWN = "outcome_unknown"
    ARGUMENTS_NOT_JSON = "arguments_not_json"
    ARGUMENTS_NOT_OBJECT = "arguments_not_object"
    ARGUMENTS_INVALID = "arguments_invalid"
    ARGUMENTS_DUPLICATE_KEY = "arguments_duplicate_key"
    ARGUMENTS_TOO_DEEP = "arguments_too_deep"
    ARGUMENTS_TOO_LARGE = "arguments_too_large"
    INTERRUPTED = "interrupted"
    BUDGET_EXHAUSTED = "budget_exhausted"
    # paths and files
    PATH_TYPE = "path_type"
    PATH_EMPTY = "path_empty"
    PATH_NOT_UNICODE = "path_not_unicode"
    PATH_CONTROL = "path_control"
    PATH_TOO_LONG = "path_too_long"
    PATH_BIDI = "path_bidi"
    PATH_INVISIBLE = "path_invisible"
    PATH_UNC = "path_unc"
    PATH_ABSOLUTE = "path_absolute"
    PATH_DRIVE = "path_drive"
    PATH_COLON = "path_colon"
    PATH_HOME = "path_home"
    PATH_TRAVERSAL = "path_traversal"
    PATH_TOO_DEEP = "path_too_deep"
    PATH_CONFUSABLE = "path_confusable"
    PATH_TRAILING = "path_trailing"
    PATH_DEVICE = "path_device"
    PATH_NOT_NFC = "path_not_nfc"
    PATH_RESERVED_CHAR = "path_reserved_char"
    PATH_PROTECTED = "path_protected"
    PATH_SHORT_NAME = "path_short_name"
    PATH_COLLISION = "path_collision"
    PATH_LINK = "path_link"
    PATH_NOT_REGULAR = "path_not_regular"
    PATH_NOT_DIRECTORY = "path_not_directory"
    PATH_IS_DIRECTORY = "path_is_directory"
    PATH_NOT_FOUND = "path_not_found"
    PATH_PERMISSION = "path_permission"
    WRITE_OUTSIDE_OUTPUTS = "write_outside_outputs"
    WORKSPACE_CHANGED = "workspace_changed"
    NOT_TEXT = "not_text"
    CONTENT_TOO_LARGE = "content_too_large"
    CONTENT_NOT_TEXT = "content_not_text"
    LINE_TOO_LONG = "line_too_long"
    CURSOR_INVALID = "cursor_invalid"
    FILE_CHANGED = "file_changed"
    TARGET_CHANGED = "target_changed"
    WRITE_CHANGED = "write_changed"
    DISK_FULL = "disk_full"
    DISK_READ_ONLY = "disk_read_only"
    FILE_TOO_LARGE = "file_too_large"
    TOO_MANY_OPEN_FILES = "too_many_open_files"
    IO_ERROR = "io_error"
    # ourselves
    USAGE = "usage"
    INTERNAL_ERROR = "internal_error"


DetailValue = Annotated[str, Meta(max_length=500)] | int | bool | None


class ErrorInfo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A failure as others may see it: stable code, one or two sentences, bounded safe details."""

    code: ErrorCode
    message: Annotated[str, Meta(min_length=1, max_length=MESSAGE_CHARS_MAX)]
    retryable: bool = False
    details: dict[str, DetailValue] = {}


class BearAgentError(Exception):
    """Base of all failures that cross a package border. `info` is what others may see."""

    def __init__(self, info: ErrorInfo) -> None:
        super().__init__(info.message)
        self.info = info


def failure(code: ErrorCode, message: str, *, retryable: bool = False, **details: DetailValue) -> ErrorInfo:
    """An `ErrorInfo` with its message cut to the allowed length."""
    return ErrorInfo(code, message[:MESSAGE_CHARS_MAX], retryable, details)
