"""Every file system of the table of hostile paths: what stands at a path, met by each of the four workspace tools."""

import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.json_values import JsonObject, parse_json_text
from tests.security.hostile_workspace import ARGUMENTS, READERS, TABLE, Workspace, tools_over

CASES = {case["id"]: case for case in TABLE["file_system"]}
TIB = 2**40
READINGS_MAX = 100
MEMORY = Path("/dev/shm")  # where 100,000 files are made in a second
NOBODY = 65_534
DEVICE = os.makedev(1, 3)  # the null device of Linux

# Calls one tool on one path and tells the code, or `ok`; with the word nobody, as somebody without rights.
CALL_THERE = f"""
import asyncio, os, sys, time
from bearagent_domain.errors import BearAgentError
from bearagent_domain.ids import new_id
from bearagent_ports import CallContext
from bearagent_workspace_tools import workspace_tools
root, name, path, who = sys.argv[1:]
if who == "nobody" and os.geteuid() == 0:
    os.setresuid({NOBODY}, {NOBODY}, {NOBODY})
tool = next(tool for tool, _ in workspace_tools(root, new_id) if tool.spec.name == name)
more = {{"content": "x\\n" * 150_000}} if name == "workspace.write" else {{}}
call = CallContext(
    run_id=new_id(), activity_id=new_id(), attempt=1, deadline_ms=int(time.monotonic() * 1_000) + 60_000
)
async def act():
    prepared = tool.prepare({{"path": path, **more}})
    return await tool.execute(prepared, call, await tool.intend(prepared, call))
try:
    asyncio.run(act())
    print("ok")
except BearAgentError as error:
    assert root not in repr(error.info)
    print(error.info.code)
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    made = Workspace(tmp_path)
    (made.root / "outputs").mkdir()
    return made


def picture(workspace: Workspace) -> dict[str, tuple[int, int, bytes]]:
    """Mode, inode and bytes of all that lies in and beside the workspace."""
    seen = {}
    for name in workspace.everything():
        status = os.lstat(name)
        small = stat.S_ISREG(status.st_mode) and status.st_size < 1_000_000
        seen[name] = (status.st_mode, status.st_ino, Path(name).read_bytes() if small else b"")
    return seen


# What refuses all tools, or some of them


@dataclass(frozen=True)
class Obstacle:
    """What is put into a workspace, and the path that meets it. `codes` are those of tools that don't give the one of
    the table; null: the tool may go on."""

    build: Callable[[Workspace], object]
    path: str
    codes: Mapping[str, ErrorCode | None] = field(default_factory=dict)


def link(name: str, target: str) -> Callable[[Workspace], object]:
    return lambda workspace: (workspace.root / name).symlink_to(target)


def link_outside(name: str, target: str) -> Callable[[Workspace], object]:
    def build(workspace: Workspace) -> None:
        place = workspace.root / name
        if place.is_dir():
            place.rmdir()
        place.symlink_to(workspace.outside / target)

    return build


def loop_of_links(workspace: Workspace) -> None:
    (workspace.root / "outputs/a").symlink_to("b")
    (workspace.root / "outputs/b").symlink_to("a")


def pipe(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "outputs/p")


def bound_socket(workspace: Workspace) -> None:
    with socket.socket(socket.AF_UNIX) as bound, tempfile.TemporaryDirectory() as short:  # its names are short
        bound.bind(f"{short}/s")
        shutil.move(f"{short}/s", workspace.root / "outputs/s")


def device(workspace: Workspace) -> None:
    try:
        os.mknod(workspace.root / "outputs/null", 0o666 | stat.S_IFCHR, DEVICE)
    except PermissionError:
        pytest.skip("only root makes devices")


def folder(workspace: Workspace) -> None:
    (workspace.root / "outputs/r.md").mkdir()


def file(workspace: Workspace) -> None:
    (workspace.root / "outputs/r.md").write_text("x")


def sparse_file(workspace: Workspace) -> None:
    with (workspace.root / "outputs/big").open("wb") as made:
        made.truncate(TIB)


def bytes_that_are_no_text(workspace: Workspace) -> None:
    (workspace.root / "outputs/b").write_bytes(b"\xff\xfe\x00")


def upper_case_name(workspace: Workspace) -> None:
    (workspace.root / "outputs/Report.md").write_text("x")


def decomposed_name(workspace: Workspace) -> None:
    (workspace.root / "outputs/e\u0301.md").write_text("x")


NO_FOLDER = {"list": ErrorCode.PATH_NOT_DIRECTORY}
NOT_THERE = dict.fromkeys(READERS, ErrorCode.PATH_NOT_FOUND)
OBSTACLES = {
    "F01": Obstacle(link("outputs/l.md", "../docs/a.md"), "outputs/l.md"),
    "F02": Obstacle(link_outside("outputs/l.md", "secret"), "outputs/l.md"),
    "F03": Obstacle(link("outputs/d", "../docs"), "outputs/d/a.md"),
    "F04": Obstacle(link("outputs/l.md", "nowhere"), "outputs/l.md"),
    "F05": Obstacle(loop_of_links, "outputs/a/x"),
    "F06": Obstacle(link_outside("outputs", "."), "outputs/r.md"),
    "F07": Obstacle(link("outputs/s", ".."), "outputs/s/README.md"),
    "F08": Obstacle(link("outputs/r.md", "../README.md"), "outputs/r.md"),
    "F09": Obstacle(link_outside("outputs/d", "."), "outputs/d"),
    "F12": Obstacle(pipe, "outputs/p", NO_FOLDER),
    "F13": Obstacle(bound_socket, "outputs/s", NO_FOLDER),
    "F14": Obstacle(device, "outputs/null", NO_FOLDER),
    "F15": Obstacle(folder, "outputs/r.md", {"list": None, "search": None}),
    "F16": Obstacle(file, "outputs/r.md/x"),
    "F17": Obstacle(folder, "outputs/r.md", {"list": None, "search": None}),
    "F20": Obstacle(sparse_file, "outputs/big", {**NO_FOLDER, "search": None}),
    "F22": Obstacle(bytes_that_are_no_text, "outputs/b", {**NO_FOLDER, "search": None, "write": None}),
    "F25": Obstacle(upper_case_name, "outputs/report.md", NOT_THERE),
    "F26": Obstacle(decomposed_name, "outputs/\u00e9.md", NOT_THERE),
}


@pytest.mark.parametrize("case", OBSTACLES)
@pytest.mark.parametrize("tool", ARGUMENTS)
def test_what_stands_at_a_path_gets_its_verdict_from_each_tool(workspace: Workspace, case: str, tool: str) -> None:
    obstacle = OBSTACLES[case]
    obstacle.build(workspace)
    before = picture(workspace)
    expected = obstacle.codes.get(tool, CASES[case]["code"])
    if expected is None:
        assert "secret" not in workspace.run(tool, obstacle.path).content
    else:
        assert workspace.code(tool, obstacle.path) == expected
    assert picture(workspace) == before or (expected is None and tool == "write")


@pytest.mark.parametrize("case", ["F20", "F22"])
def test_a_search_counts_the_file_that_it_can_not_search(workspace: Workspace, case: str) -> None:
    OBSTACLES[case].build(workspace)
    assert workspace.run("search", "outputs").facts["skipped"] == 1


# What is met by one tool, or looked at in a way of its own


def test_a_hard_link_is_read_like_the_file_that_it_is(workspace: Workspace) -> None:
    os.link(workspace.outside / "secret", workspace.root / "docs/h.md")
    assert workspace.run("read", "docs/h.md").content == "the secret\n"


def test_a_write_over_a_hard_link_leaves_the_other_name_its_bytes(workspace: Workspace) -> None:
    os.link(workspace.outside / "secret", workspace.root / "outputs/h.md")
    workspace.run("write", "outputs/h.md")
    assert (workspace.root / "outputs/h.md").read_text() == "x"
    assert (workspace.outside / "secret").read_text() == "the secret\n"


def test_a_file_that_grows_while_it_is_read_is_marked(workspace: Workspace) -> None:
    """Another process appends without a pause; what is read ends where the file ended when it was opened."""
    log = workspace.root / "docs/log"
    log.write_text("line\n" * 2_000_000)
    append = "import sys\nwith open(sys.argv[1], 'a') as log:\n while True: log.write('line\\n'); log.flush()"
    with subprocess.Popen([sys.executable, "-c", append, log]) as writer:
        try:
            facts = next(facts for facts in (reading(workspace) for _ in range(READINGS_MAX)) if "changed" in facts)
        finally:
            writer.kill()
    assert isinstance(facts["size"], int) and 10_000_000 <= facts["size"] <= log.stat().st_size


def reading(workspace: Workspace) -> JsonObject:
    return workspace.run("read", "docs/log").facts


def test_a_name_that_is_no_text_is_counted_and_reaches_nobody(workspace: Workspace) -> None:
    (workspace.root / os.fsdecode(b"docs/\xff.md")).write_text("x\n")
    for tool in ("list", "search"):
        result = workspace.run(tool, "docs")
        assert result.facts["skipped"] == 1
        assert "\udcff" not in result.content


def test_a_chain_of_folders_without_end_is_cut_and_said_so(workspace: Workspace) -> None:
    handle = os.open(workspace.root / "docs", os.O_RDONLY)
    for _ in range(2_000):  # one below the other: the whole path would be longer than a system call takes
        os.mkdir("d", dir_fd=handle)
        below = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    facts = workspace.run("search", ".").facts
    assert (facts["truncated"], facts["reason"]) == (True, "depth")
    assert workspace.run("list", "docs").facts["entries"] == 2
    subprocess.run(["rm", "-rf", workspace.root / "docs/d"], check=True)  # pytest's own cleaning goes too deep for it


def test_a_folder_of_100_000_files_is_listed_in_order_page_by_page() -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
        workspace = Workspace(Path(name))
        many = workspace.root / "many"
        many.mkdir()
        for number in range(100_000):
            os.mknod(many / f"{number:06}")
        first = workspace.run("list", "many")
        last = workspace.run("list", "many", cursor="099998")
    assert names_in(first.content) == [f"{number:06}" for number in range(500)]
    assert (first.facts["next_cursor"], last.facts["next_cursor"]) == ("000499", None)
    assert names_in(last.content) == ["099999"]


def names_in(content: str) -> list[object]:
    entries = [parse_json_text(line) for line in content.splitlines()]
    return [entry["name"] for entry in entries if isinstance(entry, dict)]


@pytest.mark.needs("Linux")
def test_a_link_that_the_kernel_makes_up_is_a_link() -> None:
    tools = tools_over(Path("/proc"))
    asked = Workspace.__new__(Workspace)
    asked.tools, asked.root = tools, Path("/proc/self")
    for path in ("self/root/etc/passwd", f"{os.getpid()}/root/etc/passwd", f"{os.getpid()}/cwd"):
        for tool in READERS:
            assert asked.code(tool, path) == CASES["F30"]["code"]


@pytest.mark.parametrize("tool", ARGUMENTS)
def test_a_workspace_that_is_replaced_is_used_no_more(workspace: Workspace, tool: str) -> None:
    workspace.root.rename(workspace.root.with_name("moved"))
    (workspace.root / "outputs").mkdir(parents=True)
    before = picture(workspace)
    assert workspace.code(tool, "outputs/r.md") == CASES["F31"]["code"]
    assert picture(workspace) == before


def test_a_workspace_given_as_a_link_is_the_folder_behind_it(workspace: Workspace) -> None:
    named = workspace.outside / "named"
    named.symlink_to(workspace.root)
    workspace.tools = tools_over(named)
    assert workspace.run("read", "docs/a.md").content == "inside\n"
    named.unlink()
    named.symlink_to(workspace.outside)
    assert workspace.run("read", "docs/a.md").content == "inside\n"


def test_the_longest_name_can_be_written(workspace: Workspace) -> None:
    path = "outputs/" + "n" * 255
    workspace.run("write", path)
    assert os.listdir(workspace.root / "outputs") == ["n" * 255]


@pytest.mark.parametrize(("tool", "path"), [("read", "docs/a.md"), ("list", "docs"), ("write", "outputs/r.md")])
def test_what_the_user_may_not_do_has_one_code(tool: str, path: str) -> None:
    with tempfile.TemporaryDirectory() as name:  # nobody else may enter pytest's folders
        root = Path(name)
        root.chmod(0o755)
        for folder in ("docs", "outputs"):
            (root / folder).mkdir()
        (root / "docs/a.md").write_text("x")
        (root / "docs/a.md").chmod(0)
        (root / "docs").chmod(0o311 if tool == "list" else 0o555)
        (root / "outputs").chmod(0o555)
        assert (
            told([sys.executable, "-c", CALL_THERE, name, f"workspace.{tool}", path, "nobody"])
            == (CASES["F18"]["code"])
        )
        (root / "docs").chmod(0o700)
        (root / "outputs").chmod(0o700)


@pytest.mark.needs("namespaces")
@pytest.mark.parametrize(
    ("case", "mount"),
    [
        ("F37", "mount --bind outputs outputs && mount -o remount,bind,ro outputs"),
        ("F38", "mount -t tmpfs -o size=200k none outputs && echo old > outputs/r.md"),
    ],
)
def test_a_disk_that_takes_no_more_leaves_the_old_file(workspace: Workspace, case: str, mount: str) -> None:
    (workspace.root / "outputs/r.md").write_text("old\n")
    script = f'{mount} && "$0" "$@" && ls -A outputs && cat outputs/r.md'
    call = [sys.executable, "-c", CALL_THERE, str(workspace.root), "workspace.write", "outputs/r.md", "myself"]
    seen = told(["unshare", "-Urm", "sh", "-c", script, *call], cwd=workspace.root).splitlines()
    assert seen == [CASES[case]["code"], "r.md", "old"]


def told(command: list[str], cwd: Path | None = None) -> str:
    """What a command prints; nothing when it can't be carried out here."""
    if shutil.which(command[0]) is None:
        return ""
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd or "/").stdout.strip()


# The table


ON_THEIR_OWN: dict[str, Callable[..., object]] = {
    "F10": test_a_hard_link_is_read_like_the_file_that_it_is,
    "F11": test_a_write_over_a_hard_link_leaves_the_other_name_its_bytes,
    "F18": test_what_the_user_may_not_do_has_one_code,
    "F21": test_a_file_that_grows_while_it_is_read_is_marked,
    "F23": test_a_name_that_is_no_text_is_counted_and_reaches_nobody,
    "F27": test_a_chain_of_folders_without_end_is_cut_and_said_so,
    "F28": test_a_folder_of_100_000_files_is_listed_in_order_page_by_page,
    "F30": test_a_link_that_the_kernel_makes_up_is_a_link,
    "F31": test_a_workspace_that_is_replaced_is_used_no_more,
    "F32": test_a_workspace_given_as_a_link_is_the_folder_behind_it,
    "F36": test_the_longest_name_can_be_written,
    "F37": test_a_disk_that_takes_no_more_leaves_the_old_file,
    "F38": test_a_disk_that_takes_no_more_leaves_the_old_file,
}
ELSEWHERE = {
    "F33": ("tests/reports/test_file_tools.py", "test_a_link_swapped_in_for_a_new_folder_leads_no_write_outside"),
    "F35": (
        "packages/workspace_tools/tests/test_write_tool.py",
        "test_folders_made_for_a_write_that_fails_go_again",
    ),
}
WAITS = {"F40": "Windows is not supported yet"}


def test_every_file_system_of_the_table_is_looked_at() -> None:
    assert sorted(CASES) == sorted([*OBSTACLES, *ON_THEIR_OWN, *ELSEWHERE, *WAITS])
    for path, test in ELSEWHERE.values():
        assert f"def {test}(" in (Path(__file__).resolve().parents[2] / path).read_text("utf-8")
