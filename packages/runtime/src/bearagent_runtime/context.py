"""What a model is shown: system text and objective always, then as many of the newest groups as fit.

The builder is pure. Characters are those of the encoded items; the same measure serves the limit and the hold.
"""

from bisect import bisect_left

from bearagent_domain.documents import Rec
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.events import RunCreated
from bearagent_domain.json_values import canonical_json, hash_of
from bearagent_domain.messages import TranscriptItem
from bearagent_domain.models import ModelRequest, RequestManifest
from bearagent_reducer import Transcript, cut_item

CUT_BYTES_MIN = 1_024
BYTES_PER_TOKEN = 4


class ContextTooLarge(BearAgentError):
    """The request does not fit, even with every text in its newest group cut."""


class BuiltRequest(Rec, frozen=True, kw_only=True):
    """A request, the manifest that the record keeps of it, and an upper estimate of its input tokens."""

    request: ModelRequest
    manifest: RequestManifest
    input_tokens: int


class ContextBuilder:
    """Builds requests of one run. What never changes is encoded once."""

    def __init__(self, created: RunCreated, api: str) -> None:
        self._created = created
        self._api = api
        fixed = canonical_json((created.system_text, created.objective))
        tools = canonical_json(created.tools)
        self._fixed_bytes = len(fixed) + len(tools)
        self._fixed_chars = len(fixed.decode()) + len(tools.decode())
        self._tools_hash = hash_of("tools", created.tools)

    def build(self, transcript: Transcript) -> BuiltRequest:
        """The next request. Raises `ContextTooLarge`."""
        room = self._created.snapshot.context_chars_max - self._fixed_chars
        if room < 0:
            raise _too_large()
        first = _first_that_fits(transcript, room)
        if first is not None:
            size = transcript.bytes_before[-1] - transcript.bytes_before[first]
            return self._built(transcript, tuple(transcript.items[first:]), first, size, ())
        newest = transcript.group_starts[-1]
        items, cut_to = _cut_evenly(transcript.items[newest:], room)
        cut = tuple((sequence, cut_to) for sequence in transcript.sequences[newest:])
        return self._built(transcript, items, newest, len(canonical_json(items)), cut)

    def _built(
        self,
        transcript: Transcript,
        items: tuple[TranscriptItem, ...],
        first: int,
        size: int,
        cut: tuple[tuple[int, int], ...],
    ) -> BuiltRequest:
        created, sequences = self._created, transcript.sequences
        model = created.snapshot.model
        manifest = RequestManifest(
            provider=model.provider,
            model=model.model,
            api=self._api,
            max_output_tokens=model.max_output_tokens,
            temperature_milli=model.temperature_milli,
            seed=model.seed,
            included=_range_of(sequences, first, len(sequences)),
            left_out=_range_of(sequences, 0, first),
            cut=cut,
            tools_hash=self._tools_hash,
            transcript_hash=transcript.running_hash,
        )
        request = ModelRequest(
            model=model,
            system_text=created.system_text,
            objective=created.objective,
            items=items,
            tools=created.tools,
        )
        tokens = -(-(self._fixed_bytes + size) // BYTES_PER_TOKEN)
        return BuiltRequest(request=request, manifest=manifest, input_tokens=tokens)


def _first_that_fits(transcript: Transcript, room: int) -> int | None:
    """Index of the first item of the oldest group that still fits; None when not even the newest one does."""
    starts, chars_before = transcript.group_starts, transcript.chars_before
    group = bisect_left(starts, chars_before[-1] - room, key=chars_before.__getitem__)
    if group < len(starts):
        return starts[group]
    return None if starts else 0


def _cut_evenly(items: list[TranscriptItem], room: int) -> tuple[tuple[TranscriptItem, ...], int]:
    """The newest group with every text cut to the same number of bytes, the largest with which it fits."""
    low, high = CUT_BYTES_MIN, room
    if _chars_of(_cut_all(items, low)) > room:
        raise _too_large()
    while high - low > CUT_BYTES_MIN // 4:
        middle = (low + high) // 2
        low, high = (middle, high) if _chars_of(_cut_all(items, middle)) <= room else (low, middle)
    return _cut_all(items, low), low


def _cut_all(items: list[TranscriptItem], bytes_max: int) -> tuple[TranscriptItem, ...]:
    return tuple(cut_item(item, bytes_max) for item in items)


def _chars_of(items: tuple[TranscriptItem, ...]) -> int:
    return len(canonical_json(items).decode())


def _range_of(sequences: list[int], first: int, end: int) -> tuple[tuple[int, int], ...]:
    return ((sequences[first], sequences[end - 1]),) if first < end else ()


def _too_large() -> ContextTooLarge:
    message = "The request does not fit the context, even cut. Allow more with --context-chars, or ask for less."
    return ContextTooLarge(failure(ErrorCode.CONTEXT_TOO_LARGE, message))
