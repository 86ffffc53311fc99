"""Write the JSON Schemas of the domain to packages/domain/tests/schemas/, one reviewed file each.

Run `uv run python tools/write_schemas.py`, and read the difference; with `--check` nothing is written. One line per
file that is new, changed or refused on stdout; exit status 1 if one is refused, or, with `--check`, if one differs.

A stored shape is refused when it no longer is what its file says: give the event a new `VERSION` and an upcaster, then
it gets a file of its own, and the old one stays. Words and newly added error codes are no change of shape.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from bearagent_domain.json_values import JsonObject, JsonValue
from bearagent_domain.schemas import schemas, stored_schema_names

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "packages" / "domain" / "tests" / "schemas"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the JSON Schemas of the domain.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file differs")
    check: bool = parser.parse_args(arguments).check
    return write(FOLDER, schemas(), frozenset(stored_schema_names()), check=check)


def write(folder: Path, current: Mapping[str, JsonObject], stored: frozenset[str], *, check: bool) -> int:
    """Bring `folder` up to `current`, except for files of `stored` shapes that changed; the exit status."""
    status = 0
    for name, schema in current.items():
        path = folder / f"{name}.json"
        before = path.read_text("utf-8") if path.exists() else None
        if before == pretty(schema):
            continue
        if before is not None and name in stored and not only_grown(json.loads(before), schema):
            print(f"{path.name}: refused: this shape is stored; give it a new version")
            status = 1
            continue
        print(f"{path.name}: {'new' if before is None else 'changed'}")
        if check:
            status = 1
        else:
            path.write_text(pretty(schema), "utf-8")
    return status


def pretty(schema: JsonObject) -> str:
    """The text of a schema file: fields in their declared order, one line each."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def only_grown(before: JsonObject, after: JsonObject) -> bool:
    """Whether `after` takes what `before` took, with other words and more error codes at most."""
    return _shape(before) == _shape(after) and _error_codes(before) <= _error_codes(after)


def _shape(value: JsonValue) -> JsonValue:
    """`value` without descriptions (a text; a field of that name has an object there) and error codes."""
    if isinstance(value, list):
        return [_shape(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("title") == "ErrorCode":
        return "ErrorCode"
    return {key: _shape(item) for key, item in value.items() if not (key == "description" and isinstance(item, str))}


def _error_codes(schema: JsonObject) -> set[str]:
    definitions = schema["$defs"]
    assert isinstance(definitions, dict)
    listed = definitions.get("ErrorCode", {"enum": []})
    assert isinstance(listed, dict) and isinstance(listed["enum"], list)
    return {str(code) for code in listed["enum"]}


if __name__ == "__main__":
    sys.exit(main())
