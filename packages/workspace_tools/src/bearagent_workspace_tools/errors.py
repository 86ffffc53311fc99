"""Failures of the file system as others may see them: a stable code and a sentence, never a host path (R5)."""

import errno

from bearagent_domain.errors import ErrorCode, ErrorInfo, failure
from bearagent_ports.tool import OutcomeUnknown, ToolFailed

_SENTENCES = {
    ErrorCode.PATH_NOT_FOUND: "There is nothing at this path. `workspace.list` shows what is there.",
    ErrorCode.PATH_NOT_DIRECTORY: "A part of this path is a file where a folder is needed.",
    ErrorCode.PATH_IS_DIRECTORY: "This path is a folder, not a file.",
    ErrorCode.PATH_LINK: "A part of this path is a link; links are not followed.",
    ErrorCode.PATH_NOT_REGULAR: "This path is neither a file nor a folder (a pipe, socket or device).",
    ErrorCode.PATH_NOT_UNICODE: "This Python takes no UTF-8 names of files. PYTHONUTF8=1 changes that.",
    ErrorCode.PATH_PERMISSION: "The user who runs BearAgent may not do this here.",
    ErrorCode.PATH_TOO_LONG: "This file system can't hold so long a name.",
    ErrorCode.PATH_COLLISION: "A name here differs only in case or composition; use exactly that name, or another one.",
    ErrorCode.DISK_FULL: "The disk or the quota is full. Free space, then try again.",
    ErrorCode.DISK_READ_ONLY: "This file system is read-only.",
    ErrorCode.FILE_TOO_LARGE: "The file is larger than this tool or system handles.",
    ErrorCode.TOO_MANY_OPEN_FILES: "Too many files are open. Try again.",
    ErrorCode.IO_ERROR: "The file system reported an error.",
    ErrorCode.NOT_TEXT: "This file is not UTF-8 text (or holds NUL), so it is not shown.",
    ErrorCode.FILE_CHANGED: "The file was replaced or changed while it was read. Try again.",
    ErrorCode.TARGET_CHANGED: "The target is no longer what it was when the write was announced. Nothing was written.",
    ErrorCode.WRITE_CHANGED: "The folder or the staged file changed during the write. Nothing was written.",
    ErrorCode.WORKSPACE_CHANGED: "The workspace folder was moved or replaced while the run was going on.",
    ErrorCode.TOOL_TIMEOUT: "The tool ran out of time.",
    ErrorCode.INTERRUPTED: "The call was cancelled before it took effect.",
    ErrorCode.ARGUMENTS_INVALID: "`start_offset` is not in this line; use the `next_offset` of the page before.",
}
_CODES = {
    errno.ENOENT: ErrorCode.PATH_NOT_FOUND,
    errno.ENOTDIR: ErrorCode.PATH_NOT_DIRECTORY,
    errno.EISDIR: ErrorCode.PATH_IS_DIRECTORY,
    errno.ELOOP: ErrorCode.PATH_LINK,
    errno.ENXIO: ErrorCode.PATH_NOT_REGULAR,
    errno.ENODEV: ErrorCode.PATH_NOT_REGULAR,
    errno.EACCES: ErrorCode.PATH_PERMISSION,
    errno.EPERM: ErrorCode.PATH_PERMISSION,
    errno.ENAMETOOLONG: ErrorCode.PATH_TOO_LONG,
    errno.ENOSPC: ErrorCode.DISK_FULL,
    errno.EDQUOT: ErrorCode.DISK_FULL,
    errno.EROFS: ErrorCode.DISK_READ_ONLY,
    errno.EFBIG: ErrorCode.FILE_TOO_LARGE,
    errno.EMFILE: ErrorCode.TOO_MANY_OPEN_FILES,
    errno.ENFILE: ErrorCode.TOO_MANY_OPEN_FILES,
}
_RETRYABLE = frozenset({ErrorCode.TOO_MANY_OPEN_FILES, ErrorCode.FILE_CHANGED, ErrorCode.TOOL_TIMEOUT})


def failed(code: ErrorCode) -> ToolFailed:
    """The failure `code` with its sentence: provably nothing happened."""
    return ToolFailed(_info(code))


def translated(error: OSError | UnicodeEncodeError) -> ToolFailed:
    """What a failed system call means; use it as `raise translated(error) from error`.

    The system's own words can hold a host path, so they stay in `__cause__`.
    """
    if isinstance(error, UnicodeEncodeError):
        return failed(ErrorCode.PATH_NOT_UNICODE)
    return failed(_CODES.get(error.errno or 0, ErrorCode.IO_ERROR))


def in_doubt(worker_ended: bool) -> OutcomeUnknown:
    """Something may have happened; `worker_ended` tells whether looking at the file can settle it now.

    What it says of an ended worker stays true when looking has settled it: the model reads it then.
    """
    if worker_ended:
        code, message = ErrorCode.IO_ERROR, "The file system reported an error while the file was put in its place."
    else:
        code, message = ErrorCode.OUTCOME_UNKNOWN, "Whether the file was written is not known: it may still happen."
    return OutcomeUnknown(failure(code, message, worker_ended=worker_ended))


def _info(code: ErrorCode) -> ErrorInfo:
    return failure(code, _SENTENCES[code], retryable=code in _RETRYABLE)
