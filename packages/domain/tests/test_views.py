"""The printed shapes hold what scripts rely on: fields may be added, never taken away or renamed."""

import pytest
from msgspec import Struct

from bearagent_domain.artifacts import Artifact
from bearagent_domain.errors import ErrorInfo
from bearagent_domain.rows import Binding
from bearagent_domain.schemas import schemas
from bearagent_domain.views import (
    ActivityView,
    DecisionView,
    EventPage,
    EventView,
    LimitsView,
    RunInspection,
    RunLine,
    RunPage,
    UsageView,
)

AMOUNTS = "model_calls tool_calls input_tokens output_tokens cost_micro_usd active_ms"
PROMISED: list[tuple[type[Struct], str]] = [
    (
        RunInspection,
        "schema_version run_id origin_run_id status reason driven final_text error limits usage activities artifacts"
        " last_sequence head_hash",
    ),
    (LimitsView, AMOUNTS),
    (UsageView, f"{AMOUNTS} estimated"),
    (
        ActivityView,
        "activity_id kind name attempt status call_id requested_sequence ended_sequence error decision",
    ),
    (DecisionView, "verdict rule reason resources"),
    (Artifact, "artifact_id path kind encoding size sha256"),
    (ErrorInfo, "code message retryable details"),
    (EventPage, "schema_version run_id events next_after_sequence has_more"),
    (EventView, "sequence type version recorded_at activity_id payload prev_hash hash"),
    (RunPage, "schema_version runs next_cursor"),
    (RunLine, "run driven"),
]


@pytest.mark.parametrize(("view", "fields"), PROMISED, ids=[view.__name__ for view, _ in PROMISED])
def test_a_view_holds_every_field_that_was_promised(view: type[Struct], fields: str) -> None:
    assert set(fields.split()) <= set(view.__struct_fields__)


def test_where_a_workspace_lies_stands_in_nothing_that_is_stored_as_an_event_or_printed() -> None:
    shown = str(schemas())
    own_fields = {"workspace", "workspace_identity"}
    assert own_fields <= set(Binding.__struct_fields__)
    assert [] == [field for field in own_fields if f"'{field}':" in shown]
