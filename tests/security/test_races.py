"""Names are swapped for links to the outside while tools work: nothing outside is read, nothing is written there.

The controls do the same in the ways that look right and are not: a path is checked, and opened afterwards. They must
leak, else the race was none.
"""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from bearagent_domain.errors import BearAgentError, ErrorCode
from bearagent_domain.ids import ActivityId, RunId, new_id
from bearagent_domain.json_values import JsonObject
from bearagent_ports import CallContext, Tool
from tests.security.hostile_workspace import tools_over
from tests.security.swapping import swapped_by_another_process

SECRET = "the secret outside"
ALLOWED = {ErrorCode.PATH_LINK, ErrorCode.FILE_CHANGED, ErrorCode.TARGET_CHANGED, ErrorCode.WRITE_CHANGED}
EXTENSIONS_MAX = 20
CONTROL_SECONDS_MAX = 60


class Ground:
    """A workspace, and a folder outside that looks just like one of it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.outside = folder / "workspace", folder / "outside"
        (self.root / "outputs/sub").mkdir(parents=True)
        for place, text in ((self.root / "docs", "inside\n"), (self.outside, f"{SECRET}\n")):
            (place / "deep").mkdir(parents=True)
            (place / "a.md").write_text(text)
            (place / "deep/a.md").write_text(text)
        self.tools = tools_over(self.root)

    def outside_now(self) -> dict[str, tuple[int, bytes]]:
        """Everything outside: when each name was changed last, and its bytes."""
        places = [self.outside, *sorted(self.outside.rglob("*"))]
        return {
            str(place): (place.stat().st_mtime_ns, place.read_bytes() if place.is_file() else b"") for place in places
        }

    def temporary_files(self) -> list[Path]:
        return [place for place in self.root.rglob("*") if place.name.endswith(".part")]

    def race(self, tool: str, arguments: JsonObject, rounds: int) -> None:
        """Ask one tool again and again, at least until both sides of the swap were met."""
        found: Counter[str] = Counter()
        for _ in range(EXTENSIONS_MAX):
            found += asyncio.run(self._race(self.tools[tool], arguments, rounds))
            if found["ok"] and found[ErrorCode.PATH_LINK]:
                break
        print(f"{found.total()} rounds: {dict(found)}")
        assert found["ok"] > 0 and found[ErrorCode.PATH_LINK] > 0
        assert set(found) <= {"ok", *ALLOWED}

    async def _race(self, tool: Tool, arguments: JsonObject, rounds: int) -> Counter[str]:
        found: Counter[str] = Counter()
        prepared = tool.prepare(arguments)
        for _ in range(rounds):
            call = CallContext(
                run_id=RunId(new_id()),
                activity_id=ActivityId(new_id()),
                attempt=1,
                deadline_ms=int(time.monotonic() * 1_000) + 60_000,
            )
            try:
                result = await tool.execute(prepared, call, await tool.intend(prepared, call))
            except BearAgentError as error:
                found[error.info.code] += 1
                assert SECRET not in repr(error.info)
            else:
                found["ok"] += 1
                assert SECRET not in repr(result)
        return found


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


@pytest.mark.needs("Linux")
@pytest.mark.rounds(short=600, full=10_000)
@pytest.mark.parametrize(
    ("tool", "arguments", "place", "target"),
    [
        ("read", {"path": "docs/a.md"}, "docs", ""),
        ("read", {"path": "docs/deep/a.md"}, "docs", ""),
        ("read", {"path": "docs/deep/a.md"}, "docs/deep", "deep"),
        ("read", {"path": "docs/a.md"}, "docs/a.md", "a.md"),
        ("search", {"path": "docs", "query": "e"}, "docs", ""),
        ("list", {"path": "docs/deep"}, "docs", ""),
    ],
    ids=["folder", "folder above", "folder below", "file", "search", "list"],
)
def test_what_is_swapped_for_a_link_while_it_is_read_shows_nothing_of_the_outside(
    ground: Ground, rounds: int, tool: str, arguments: JsonObject, place: str, target: str
) -> None:
    with swapped_by_another_process(ground.root / place, ground.outside / target):
        ground.race(tool, arguments, rounds)


@pytest.mark.needs("Linux")
@pytest.mark.rounds(short=150, full=2_000)
@pytest.mark.parametrize("place", ["outputs", "outputs/sub"])
@pytest.mark.parametrize("path", ["outputs/sub/a.md", "outputs/sub/new/a.md"])
def test_a_folder_that_is_swapped_for_a_link_while_it_is_written_to_leads_no_write_outside(
    ground: Ground, rounds: int, place: str, path: str
) -> None:
    before = ground.outside_now()
    with swapped_by_another_process(ground.root / place, ground.outside):
        ground.race("write", {"path": path, "content": "ours\n"}, rounds)
    assert ground.outside_now() == before
    assert ground.temporary_files() == []


# Controls


def until_it_leaks(attempt: Callable[[], bool]) -> int:
    """How many attempts it takes until one leaks."""
    end, attempts = time.monotonic() + CONTROL_SECONDS_MAX, 0
    while time.monotonic() < end:
        attempts += 1
        try:
            if attempt():
                print(f"leaked after {attempts} attempts")
                return attempts
        except (OSError, ValueError):
            continue
    raise AssertionError(f"{attempts} attempts, and nothing leaked: the race is none")


def checked_by_realpath(root: Path, path: str) -> Path:
    place = Path(os.path.realpath(root / path))
    if not place.is_relative_to(root):
        raise ValueError
    return root / path


def checked_for_links(root: Path, path: str) -> Path:
    if any((root / part).is_symlink() for part in (path, *map(str, Path(path).parents))):
        raise ValueError
    return root / path


@pytest.mark.needs("Linux")
@pytest.mark.parametrize("checked", [checked_by_realpath, checked_for_links])
def test_control_a_path_that_is_checked_and_opened_afterwards_leaks(
    ground: Ground, checked: Callable[[Path, str], Path]
) -> None:
    with swapped_by_another_process(ground.root / "docs", ground.outside):
        until_it_leaks(lambda: SECRET in checked(ground.root, "docs/a.md").read_text())


@pytest.mark.needs("Linux")
def test_control_a_file_that_is_replaced_after_a_check_lands_outside(ground: Ground) -> None:
    def attempt() -> bool:
        place = checked_by_realpath(ground.root, "outputs/new.md")
        staged = place.with_name("new.part")
        staged.write_text("ours\n")
        os.replace(staged, place)
        return any(name in os.listdir(ground.outside) for name in ("new.md", "new.part"))

    with swapped_by_another_process(ground.root / "outputs", ground.outside):
        until_it_leaks(attempt)
