"""The table of reports: each is a test that exists, or waits for something that is named."""

import ast
from pathlib import Path

import msgspec

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]


class Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fault that somebody met elsewhere: where its right value is tested (`path::name`), or what it waits for."""

    area: str
    id: int
    behaviour: str
    test: str | None = None
    waits: str | None = None


TABLE = msgspec.json.decode((HERE / "table.json").read_bytes(), type=tuple[Report, ...])


def test_every_report_stands_once_and_is_a_test_or_waits() -> None:
    assert TABLE
    assert len({(report.area, report.id) for report in TABLE}) == len(TABLE)
    assert all((report.test is None) != (report.waits is None) for report in TABLE)


def test_every_named_test_exists() -> None:
    missing = [report.test for report in TABLE if report.test is not None and not _exists(report.test)]
    assert missing == []


def test_every_test_of_this_folder_stands_in_the_table() -> None:
    named = {report.test for report in TABLE}
    here = {
        f"{path.relative_to(PROJECT).as_posix()}::{name}"
        for path in HERE.glob("test_*.py")
        if path.name != Path(__file__).name
        for name in _tests_in(path)
    }
    assert here - named == set()


def _exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return name in _tests_in(PROJECT / path)


def _tests_in(path: Path) -> set[str]:
    if not path.is_file():
        return set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}
