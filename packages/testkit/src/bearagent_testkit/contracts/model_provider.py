"""What every model provider must do with a request that it can answer."""

import asyncio
from contextlib import aclosing

import msgspec
import pytest

from bearagent_domain.ids import Name
from bearagent_domain.models import (
    ArgumentsDelta,
    CallOpened,
    Finished,
    ModelEvent,
    ModelProfile,
    ModelRequest,
    TextDelta,
    UsageReported,
)
from bearagent_ports import ModelProvider
from bearagent_testkit.fake_tools import FakeTool


class ModelProviderContract:
    """Override `provider` and, where the model matters, `request_to_answer`."""

    @pytest.fixture
    def provider(self) -> ModelProvider:
        """The provider to test."""
        raise NotImplementedError("override the fixture `provider`")

    @pytest.fixture
    def request_to_answer(self) -> ModelRequest:
        """A request that the provider can answer."""
        return ModelRequest(
            model=ModelProfile(provider="contract", model="contract"),
            system_text="Work.",
            objective="Say something.",
            tools=(FakeTool().spec,),
        )

    def test_the_interface_has_a_name(self, provider: ModelProvider) -> None:
        assert msgspec.convert(provider.api, Name) == provider.api

    def test_an_answer_ends_with_finished_and_nothing_but_usage_follows(
        self, provider: ModelProvider, request_to_answer: ModelRequest
    ) -> None:
        events = asyncio.run(_drained(provider, request_to_answer))
        ends = [index for index, event in enumerate(events) if isinstance(event, Finished)]
        assert len(ends) == 1
        assert all(isinstance(event, UsageReported) for event in events[ends[0] + 1 :])

    def test_a_call_is_opened_before_its_arguments(
        self, provider: ModelProvider, request_to_answer: ModelRequest
    ) -> None:
        opened: set[int] = set()
        for event in asyncio.run(_drained(provider, request_to_answer)):
            if isinstance(event, CallOpened):
                assert event.index not in opened
                opened.add(event.index)
            elif isinstance(event, ArgumentsDelta):
                assert event.index in opened
            else:
                assert isinstance(event, TextDelta | UsageReported | Finished)

    def test_a_stream_can_be_closed_early(self, provider: ModelProvider, request_to_answer: ModelRequest) -> None:
        async def first_only() -> ModelEvent | None:
            async with aclosing(provider.stream(request_to_answer)) as stream:
                async for event in stream:
                    return event
            return None

        assert asyncio.run(first_only()) is not None


async def _drained(provider: ModelProvider, request: ModelRequest) -> list[ModelEvent]:
    async with aclosing(provider.stream(request)) as stream:
        return [event async for event in stream]
