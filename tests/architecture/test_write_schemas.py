"""tools/write_schemas.py writes what is new, and refuses to move a stored shape under its version."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from bearagent_domain.json_values import JsonObject
from tools.write_schemas import FOLDER, main, pretty, write

STORED = frozenset({"stored.1"})


def shape(*fields: tuple[str, object] | tuple[str, object, object], words: str = "Some words.") -> JsonObject:
    """The schema of a Struct called `Shape` with the docstring `words`."""
    schema: JsonObject = msgspec.json.schema(msgspec.defstruct("Shape", fields, namespace={"__doc__": words}))
    return schema


def error_shape(*codes: str) -> JsonObject:
    listed: JsonObject = {"title": "ErrorCode", "enum": list(codes)}
    return {"$ref": "#/$defs/ErrorCode", "$defs": {"ErrorCode": listed}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that holds one stored and one printed shape, both with an integer `size`."""
    for name in ("stored.1", "printed"):
        (tmp_path / f"{name}.json").write_text(pretty(shape(("size", int))), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "changed",
    [
        shape(("size", int), ("path", str | None, None)),
        shape(("size", int | None)),
        shape(("size", Annotated[int, msgspec.Meta(ge=0)])),
        shape(("size", int, 0)),
        shape(("size", int), ("description", str)),
        shape(("size", Literal[1])),
    ],
    ids=["new field", "wider", "bounded", "default", "field called description", "constant"],
)
def test_a_stored_shape_is_refused_when_it_changes(folder: Path, changed: JsonObject) -> None:
    before = (folder / "stored.1.json").read_text("utf-8")
    assert write(folder, {"stored.1": changed}, STORED, check=False) == 1
    assert (folder / "stored.1.json").read_text("utf-8") == before


def test_a_changed_stored_shape_is_written_under_a_new_version(folder: Path) -> None:
    changed = shape(("size", int), ("path", str))
    assert write(folder, {"stored.2": changed}, frozenset({"stored.2"}), check=False) == 0
    assert {path.name for path in folder.iterdir()} == {"stored.1.json", "stored.2.json", "printed.json"}


def test_other_words_for_a_stored_shape_are_written(folder: Path) -> None:
    reworded = shape(("size", int), words="Better words.")
    assert write(folder, {"stored.1": reworded}, STORED, check=False) == 0
    assert (folder / "stored.1.json").read_text("utf-8") == pretty(reworded)


@pytest.mark.parametrize(("codes", "status"), [(("a", "b", "c"), 0), (("a", "c"), 1)], ids=["added", "taken away"])
def test_error_codes_of_a_stored_shape_may_only_be_added(tmp_path: Path, codes: tuple[str, ...], status: int) -> None:
    write(tmp_path, {"stored.1": error_shape("a", "b")}, STORED, check=False)
    assert write(tmp_path, {"stored.1": error_shape(*codes)}, STORED, check=False) == status


def test_a_printed_shape_is_written_anew(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert write(folder, {"printed": shape(("size", int), ("path", str))}, STORED, check=False) == 0
    assert capsys.readouterr().out == "printed.json: changed\n"


def test_a_check_tells_and_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert write(folder, {"printed": shape(), "other": shape()}, STORED, check=True) == 1
    assert capsys.readouterr().out == "printed.json: changed\nother.json: new\n"
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_the_files_of_this_project_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert FOLDER.is_dir()
    assert main(["--check"]) == 0
    assert capsys.readouterr().out == ""
