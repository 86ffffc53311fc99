"""`OfflineProvider`: answers like a model, without one. A pure function from a request to a stream of events."""

import json
from collections.abc import AsyncGenerator

from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    FinishReason,
    ModelEvent,
    ModelRequest,
    TextDelta,
    UsageReported,
)
from bearagent_offline_provider.plans import next_step


class OfflineProvider:
    """A `ModelProvider` that needs no model, no key and no network, and knows nothing but the request.

    It reads the documents that the objective names, or all, through the tools on offer, and writes an extractive report
    with citations. The same request always gives the same events; a request with only the newest group is enough. It
    uses 0 tokens. Raises `ProviderFailed` with `context_too_large` when too little of its own notes comes back,
    `tool_not_allowed` when it is not offered to write, and the code of the write's error when that failed.
    """

    @property
    def api(self) -> str:
        """For the record."""
        return "offline"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Text, then calls, then a usage of nothing, then the end."""
        step = next_step(request)
        yield TextDelta(text=step.text)
        for index, call in enumerate(step.calls):
            yield CallOpened(index=index, name=call.name)
            yield ArgumentsDelta(index=index, text=json.dumps(call.arguments, ensure_ascii=False))
        yield UsageReported(input_tokens=0, output_tokens=0)
        yield Finished(reason=FinishReason.TOOL_CALLS if step.calls else FinishReason.STOP)
