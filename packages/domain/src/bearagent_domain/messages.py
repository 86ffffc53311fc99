"""The transcript: what a model is shown of a run after the objective, one item after another."""

from typing import TypeAlias

from bearagent_domain.documents import Rec
from bearagent_domain.errors import ErrorInfo
from bearagent_domain.ids import N0, CallId, Sha
from bearagent_domain.json_values import JsonObject
from bearagent_domain.tools import ToolCall


class CutMark(Rec, frozen=True, kw_only=True):
    """Says that a text is shown in part only: how many bytes it has whole, and the hash of the whole."""

    bytes_kept: N0
    size: N0
    sha256: Sha


class AssistantTurn(Rec, frozen=True, kw_only=True, tag="assistant", tag_field="role"):
    """One answer of the model: its text and the calls that it asked for."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    cut: CutMark | None = None


class ToolAnswer(Rec, frozen=True, kw_only=True, tag="tool", tag_field="role"):
    """The answer to one call: a result, or an error. Each call of a turn has exactly one, in order."""

    call_id: CallId
    name: str
    content: str = ""
    facts: JsonObject = {}
    error: ErrorInfo | None = None
    cut: CutMark | None = None


TranscriptItem: TypeAlias = AssistantTurn | ToolAnswer
