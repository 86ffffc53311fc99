"""One model call: build the request, hold its budget, commit the intent, ask once, record what came of it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec

from bearagent_domain.budgets import Amounts, ModelUsage
from bearagent_domain.commands import (
    CancelActivity,
    CompleteModel,
    FailActivity,
    FailRun,
    RequestModel,
    StartActivity,
)
from bearagent_domain.errors import BearAgentError, ErrorCode, ErrorInfo, failure
from bearagent_domain.ids import ActivityId, CallId
from bearagent_domain.json_values import canonical_json, node_count_within
from bearagent_domain.models import (
    RESPONSE_BYTES_MAX,
    RESPONSE_NODES_MAX,
    ModelEvent,
    ModelRequest,
    ModelResponse,
)
from bearagent_domain.prices import ModelRate, cost_micro_usd, rates_hash
from bearagent_domain.tools import ToolCall
from bearagent_ports import Clock, IdSource, ModelProvider
from bearagent_runtime.active_time import ActiveTime
from bearagent_runtime.bounded_waits import result_within
from bearagent_runtime.call_arguments import recorded_call
from bearagent_runtime.context import BuiltRequest, ContextBuilder, ContextTooLarge
from bearagent_runtime.foreign_code import foreign_code, storable_error
from bearagent_runtime.journal import Journal
from bearagent_runtime.registry import Registry
from bearagent_runtime.responses import CallDraft, ResponseAssembler, ResponseRefused

MODEL_TOTAL_SECONDS = 600
CONTENT_IDLE_MS_MAX = 60_000
EMPTY_EVENTS_MAX = 10_000


class ModelCalls:
    """Asks one provider, and knows what a call costs at most."""

    def __init__(
        self,
        provider: ModelProvider,
        context: ContextBuilder,
        registry: Registry,
        rate: ModelRate | None,
        ids: IdSource,
        clock: Clock,
        active_time: ActiveTime,
        total_seconds: int,
    ) -> None:
        self._provider = provider
        self._context = context
        self._registry = registry
        self._rate = rate
        self._ids = ids
        self._clock = clock
        self._active_time = active_time
        self._total_seconds = total_seconds

    async def ask(self, journal: Journal) -> None:
        """Ask the model once and record what came of it. A cancellation is recorded and travels on."""
        try:
            built = self._context.build(journal.transcript)
        except ContextTooLarge as refusal:
            journal.record(FailRun(error=refusal.info))
            return
        activity_id = ActivityId(self._ids.new_id())
        held = self._held(built)
        if not journal.record(RequestModel(activity_id=activity_id, manifest=built.manifest, held=held)).is_running:
            return  # out of budget: the events of the request have suspended the run
        journal.record(StartActivity(activity_id=activity_id))
        journal.commit()  # facts before effects
        try:
            answer = await self._answer_to(built.request, self._seconds_left(journal))
        except asyncio.CancelledError:
            active_ms = self._active_time.take()
            journal.record(CancelActivity(activity_id=activity_id, cause="interrupted", active_ms=active_ms))
            raise
        journal.record(self._outcome(journal, activity_id, answer))  # rides with the next intent

    async def _answer_to(self, request: ModelRequest, seconds: float) -> ResponseAssembler | ErrorInfo:
        """The assembled answer, or why there is none. Foreign exceptions are known by their place only (R5)."""
        assembler = ResponseAssembler()
        try:
            await result_within(self._drained(request, assembler), seconds)
            assembler.require_finished()
        except TimeoutError:
            message = "The model did not answer in time. A profile's timeouts.model_total allows more."
            return failure(ErrorCode.MODEL_TIMEOUT, message, retryable=True)
        except BearAgentError as error:  # ProviderFailed, ResponseRefused
            return storable_error(error, ErrorCode.PROVIDER_ERROR)
        except Exception:  # foreign code
            return failure(ErrorCode.PROVIDER_ERROR, "The provider failed in a way that it should not.")
        return assembler

    async def _drained(self, request: ModelRequest, assembler: ResponseAssembler) -> None:
        with foreign_code():
            async with aclosing(self._provider.stream(request)) as stream:
                await self._drain(stream, assembler)

    async def _drain(self, stream: AsyncGenerator[ModelEvent, None], assembler: ResponseAssembler) -> None:
        empty, content_at = 0, self._clock.monotonic_ms()
        async for event in stream:
            if assembler.add(event):
                empty, content_at = 0, self._clock.monotonic_ms()
                continue
            empty += 1
            if empty > EMPTY_EVENTS_MAX or self._clock.monotonic_ms() - content_at > CONTENT_IDLE_MS_MAX:
                message = "The model keeps the connection open and sends no content."
                raise ResponseRefused(failure(ErrorCode.MODEL_STALLED, message))

    def _outcome(
        self, journal: Journal, activity_id: ActivityId, answer: ResponseAssembler | ErrorInfo
    ) -> CompleteModel | FailActivity:
        active_ms = self._active_time.take()
        if isinstance(answer, ErrorInfo):
            return FailActivity(activity_id=activity_id, error=answer, active_ms=active_ms)
        response = ModelResponse(
            text=answer.text,
            calls=self._recorded_calls(journal, answer.calls),
            finish=answer.require_finished(),
        )
        if _is_too_large(response):
            error = failure(ErrorCode.MODEL_OUTPUT_TOO_LARGE, "The answer is larger than 3.5 MiB or 9,000 values.")
            return FailActivity(activity_id=activity_id, error=error, active_ms=active_ms)
        return CompleteModel(
            activity_id=activity_id,
            response=response,
            usage=self._usage(journal, answer),
            rates_hash=None if self._rate is None else rates_hash(self._rate),
            provider_request_id=answer.provider_request_id,
            active_ms=active_ms,
        )

    def _recorded_calls(self, journal: Journal, drafts: tuple[CallDraft, ...]) -> tuple[ToolCall, ...]:
        """The calls for the log: each keeps the model's id if it is well-formed and new in the run, else a made one."""
        calls: list[ToolCall] = []
        taken: set[CallId] = set()
        turn = journal.state.used.model_calls + 1
        for index, draft in enumerate(drafts, start=1):
            call_id = _call_id(draft.model_call_id, f"call_{turn}_{index}", journal, taken)
            taken.add(call_id)
            calls.append(recorded_call(call_id, draft.name, draft.arguments_text, self._registry))
        return tuple(calls)

    def _usage(self, journal: Journal, answer: ResponseAssembler) -> ModelUsage | None:
        """Reported usage, a missing part filled from the hold; None when nothing was reported at all."""
        reported, held = answer.usage, journal.state.held
        if reported is None or (reported.input_tokens is None and reported.output_tokens is None):
            return None
        input_tokens = held.input_tokens if reported.input_tokens is None else reported.input_tokens
        output_tokens = held.output_tokens if reported.output_tokens is None else reported.output_tokens
        return ModelUsage(
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            cost_micro_usd=None if self._rate is None else cost_micro_usd(self._rate, input_tokens, output_tokens),
            estimated=None in (reported.input_tokens, reported.output_tokens),
        )

    def _held(self, built: BuiltRequest) -> Amounts:
        output_tokens = built.manifest.max_output_tokens
        cost = 0 if self._rate is None else cost_micro_usd(self._rate, built.input_tokens, output_tokens)
        return Amounts(model_calls=1, input_tokens=built.input_tokens, output_tokens=output_tokens, cost_micro_usd=cost)

    def _seconds_left(self, journal: Journal) -> float:
        left = journal.state.active_ms_left
        return self._total_seconds if left is None else min(self._total_seconds, left / 1_000)


def _call_id(model_call_id: CallId | None, made: str, journal: Journal, taken: set[CallId]) -> CallId:
    if model_call_id is not None and model_call_id not in taken:
        if not journal.transcript.has_call_id(model_call_id):
            return model_call_id
    while made in taken or journal.transcript.has_call_id(CallId(made)):
        made += "x"
    return CallId(made)


def _is_too_large(response: ModelResponse) -> bool:
    if node_count_within(msgspec.to_builtins(response), RESPONSE_NODES_MAX) > RESPONSE_NODES_MAX:
        return True
    return len(canonical_json(response)) > RESPONSE_BYTES_MAX
