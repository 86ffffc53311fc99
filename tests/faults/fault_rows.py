"""What each failing system call of a write means: one row per fault, and the answer that is right.

The same table stands, shorter, in the README of bearagent-workspace-tools.
"""

from dataclasses import dataclass

from tests.faults.faulty_machine import MADE, REPLACED

FAILED, COMPLETED, UNKNOWN = "failed", "completed", "outcome_unknown"
PART = r"\.part"


@dataclass(frozen=True)
class Row:
    """A fault in one call of a write to `path`, the one that `call` matches for the `nth` time.

    `status` and `code` are what the record then says of the write; `second` is a fault in the clean-up after it.
    """

    point: str
    call: str
    faults: tuple[str, ...]
    codes: tuple[str, ...]
    path: str = REPLACED
    nth: int = 1
    status: str = FAILED
    second: str = ""


ROWS = (
    Row(
        "mkdirat",
        r"mkdirat\(",
        ("EROFS", "EACCES", "EPERM", "ENOSPC", "EDQUOT", "EIO", "EMLINK"),
        ("disk_read_only", "path_permission", "path_permission", "disk_full", "disk_full", "io_error", "io_error"),
        path=MADE,
    ),
    Row("mkdirat", r"mkdirat\(", ("EEXIST",), ("path_not_found",), path=MADE),  # made by another, and gone again
    Row("fsync above a new folder", r"fsync\(", ("EIO", "ENOSPC"), ("io_error", "disk_full"), path=MADE),
    Row(
        "openat of a folder",
        r'openat\([^"]*"new"',
        ("ENOENT", "ENOTDIR", "ELOOP", "EACCES", "EMFILE", "ENFILE", "EIO"),
        (
            "path_not_found",
            "path_link",  # so a link is reported that was swapped in
            "path_link",
            "path_permission",
            "too_many_open_files",
            "too_many_open_files",
            "io_error",
        ),
        path=MADE,
    ),
    Row(
        "openat of the temporary file",
        rf'openat\([^"]*"[^"]*{PART}',
        ("EMFILE", "ENOSPC", "EDQUOT", "EACCES", "EROFS", "EPERM", "ENAMETOOLONG", "EIO"),
        (
            "too_many_open_files",
            "disk_full",
            "disk_full",
            "path_permission",
            "disk_read_only",
            "path_permission",
            "path_too_long",
            "io_error",
        ),
    ),
    Row("openat of the temporary file", rf'openat\([^"]*"[^"]*{PART}', ("EEXIST",), ("",), status=COMPLETED),
    Row(
        "write",
        r"write\(",
        ("ENOSPC", "EDQUOT", "EFBIG", "EIO"),
        ("disk_full", "disk_full", "file_too_large", "io_error"),
        nth=2,
    ),
    Row("write", r"write\(", ("EINTR",), ("",), status=COMPLETED),  # it is done again
    Row("write that lies", r"write\(", ("retval=65536", "retval=10", "retval=0"), ("io_error",) * 3),
    Row("fchmod", r"fchmod\(", ("EPERM", "EIO"), ("path_permission", "io_error")),
    Row("fsync of the temporary file", r"fsync\(", ("EIO", "ENOSPC", "EDQUOT"), ("io_error", "disk_full", "disk_full")),
    Row("reading back", r"pread64\(", ("EIO",), ("io_error",)),
    Row("reading back less", r"pread64\(", ("retval=17",), ("io_error",)),
    Row("fstat of the temporary file", rf"newfstatat\(.*{PART}>, \"\"", ("EIO",), ("io_error",), nth=2),
    Row("close of the temporary file", rf"close\(.*{PART}", ("EIO", "ENOSPC"), ("io_error", "disk_full"), path=MADE),
    Row("second walk", r'openat\([^"]*"new"', ("ENOENT", "ELOOP"), ("write_changed",) * 2, path=MADE, nth=2),
    Row("lstat of the temporary file", rf'newfstatat\([^"]*"[^"]*{PART}', ("ENOENT",), ("write_changed",)),
    Row("lstat of the target", r'newfstatat\([^"]*"a\.md".* 0$', ("ENOENT",), ("target_changed",), nth=-1),
    Row(
        "renameat",
        r"renameat\(",
        ("EXDEV", "EACCES", "EPERM", "ENOSPC", "EDQUOT", "EISDIR", "ENOTDIR", "EROFS"),
        (
            "io_error",
            "path_permission",
            "path_permission",
            "disk_full",
            "disk_full",
            "path_is_directory",
            "path_not_directory",
            "disk_read_only",
        ),
    ),
    Row("renameat, of which nobody knows", r"renameat\(", ("EIO", "ENOENT", "EINTR"), ("io_error",) * 3),
    Row("renameat, and the clean-up", r"renameat\(", ("ENOSPC", "EIO"), ("disk_full", "io_error"), second="unlinkat"),
    Row("fsync of the folder", r"fsync\(", ("EIO", "ENOSPC"), ("",) * 2, nth=2, status=COMPLETED),
    Row("close of the folder", r"close\(", ("EIO",), ("",), path=MADE, nth=-1, status=COMPLETED),
)
