"""The schemas are those that were reviewed, and a stored shape has not moved under its version."""

import json
from pathlib import Path

import pytest

from bearagent_domain.events import EVENT_TYPES
from bearagent_domain.json_values import JsonObject
from bearagent_domain.schemas import schema_names, schemas, stored_schema_names
from bearagent_domain.upcasters import UPCASTERS

FOLDER = Path(__file__).parent / "schemas"


def test_the_names_are_those_of_the_schemas() -> None:
    assert tuple(schemas()) == schema_names()


@pytest.mark.parametrize(("name", "schema"), schemas().items())
def test_a_schema_is_the_one_that_was_reviewed(name: str, schema: JsonObject) -> None:
    reviewed = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    assert schema == reviewed, "run `uv run python tools/write_schemas.py` and read the difference"


def test_a_reviewed_file_without_a_schema_is_an_older_version_that_can_still_be_read() -> None:
    older = {f"{type_}.{version}" for type_, version in UPCASTERS}
    assert {path.stem for path in FOLDER.iterdir()} - set(schema_names()) <= older


def test_every_event_is_a_stored_shape_under_its_type_and_version() -> None:
    assert {f"{event.TYPE}.{event.VERSION}" for event in EVENT_TYPES} <= set(stored_schema_names())


def test_no_stored_shape_takes_a_field_that_it_does_not_name() -> None:
    open_shapes = []
    known = schemas()
    for name in stored_schema_names():
        definitions = known[name]["$defs"]
        assert isinstance(definitions, dict)
        for title, shape in definitions.items():
            assert isinstance(shape, dict)
            if shape.get("type") == "object" and shape.get("additionalProperties") is not False:
                open_shapes.append((name, title))
    assert open_shapes == []
