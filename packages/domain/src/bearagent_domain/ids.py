"""Names and numbers of the record: what an id, a hash, a name and a bounded text look like.

All of them are checked when a document is decoded, never when a Struct is constructed: data from outside goes through
`msgspec.convert` or a decoder first (docs/architecture.md, "Borders").
"""

import re
import uuid
from typing import Annotated, NewType, TypeVar

from msgspec import Meta

T = TypeVar("T")
END = r"(?![\s\S])"  # the true end of a text: "$" would accept a trailing newline
UUID4_PATTERN = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}" + END
INTEGER_MAX = 2**53 - 1

Id = Annotated[str, Meta(pattern=UUID4_PATTERN)]
RunId = NewType("RunId", Id)
ActivityId = NewType("ActivityId", Id)
ArtifactId = NewType("ArtifactId", Id)
TaskId = NewType("TaskId", Id)
SessionId = NewType("SessionId", Id)
CommandId = NewType("CommandId", Id)
CALL_ID_PATTERN = r"^[A-Za-z0-9_-]{1,64}" + END
CallId = NewType("CallId", Annotated[str, Meta(pattern=CALL_ID_PATTERN)])

Sha = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}" + END)]
Name = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,39}" + END)]
AppId = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{1,39}" + END)]
RoleId = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{1,39}/[a-z][a-z0-9_]{0,39}" + END)]
ToolName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,31}(\.[a-z][a-z0-9_]{0,31}){0,2}" + END)]
Version = Annotated[str, Meta(pattern=r"^[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}" + END)]
Uid = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.@-]{0,63}" + END)]
Line = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+" + END)]
Note = Annotated[str, Meta(min_length=1, max_length=2_000)]
N0 = Annotated[int, Meta(ge=0, le=INTEGER_MAX)]
N1 = Annotated[int, Meta(ge=1, le=INTEGER_MAX)]
Up16 = Annotated[tuple[T, ...], Meta(max_length=16)]
Up32 = Annotated[tuple[T, ...], Meta(max_length=32)]
Up64 = Annotated[tuple[T, ...], Meta(max_length=64)]
Up128 = Annotated[tuple[T, ...], Meta(max_length=128)]

NO_HASH = "0" * 64

_UUID4 = re.compile(UUID4_PATTERN)
_CALL_ID = re.compile(CALL_ID_PATTERN)


def is_canonical_id(text: str) -> bool:
    """Whether `text` is a UUID4 in canonical lower-case form."""
    return _UUID4.match(text) is not None


def is_call_id(text: str) -> bool:
    """Whether `text` can stand as the id of a call: 1 to 64 letters, digits, `_` and `-` of ASCII."""
    return _CALL_ID.match(text) is not None


def new_id() -> str:
    """A random UUID4 in canonical text. For adapters of the `IdSource` port only: the core never makes ids itself."""
    return str(uuid.uuid4())
