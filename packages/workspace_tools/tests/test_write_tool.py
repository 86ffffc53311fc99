"""`workspace.write`: announced, then whole or not at all; and what the reconciler makes of a doubt."""

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from bearagent_domain.artifacts import Artifact
from bearagent_domain.errors import ErrorCode
from bearagent_domain.ids import ArtifactId, new_id
from bearagent_domain.json_values import JsonValue
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, RetrySafety, ToolResult
from bearagent_ports import CallContext, Done, Finding, NotDone, Reconciler, Tool, ToolFailed, Unknown
from bearagent_workspace_tools import workspace_tools

Call = Callable[..., ToolResult]
CodeOf = Callable[..., ErrorCode]
NewContext = Callable[[], CallContext]
ARTIFACT = ArtifactId("7c9e6679-7425-40de-944b-e07fc1f90ae7")


class Writing:
    """One call of the write tool, step by step."""

    def __init__(self, workspace: Path, context: CallContext) -> None:
        self.call = context
        pairs = {
            tool.spec.name: (tool, reconciler) for tool, reconciler in workspace_tools(workspace, lambda: ARTIFACT)
        }
        self.tool: Tool
        reconciler: Reconciler | None
        self.tool, reconciler = pairs["workspace.write"]
        assert reconciler is not None
        self._reconciler = reconciler
        self.prepared: PreparedToolRequest
        self.intent: Intent

    def announce(self, path: str = "outputs/r.md", content: str = "new\n") -> None:
        self.prepared = self.tool.prepare({"path": path, "content": content})
        self.intent = asyncio.run(self.tool.intend(self.prepared, self.call))

    def act(self) -> ToolResult:
        return asyncio.run(self.tool.execute(self.prepared, self.call, self.intent))

    def failing(self) -> ErrorCode:
        with pytest.raises(ToolFailed) as caught:
            self.act()
        return caught.value.info.code

    def finding(self) -> Finding:
        return asyncio.run(self._reconciler.reconcile(self.prepared, self.call, self.intent))


@pytest.fixture
def writing(workspace: Path, context: NewContext) -> Writing:
    return Writing(workspace, context())


@pytest.fixture
def outputs(workspace: Path) -> Path:
    (workspace / "outputs").mkdir()
    return workspace / "outputs"


def tree(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_the_spec_says_write_and_not_safe(writing: Writing) -> None:
    assert (writing.tool.spec.effect, writing.tool.spec.retry) == (Effect.WORKSPACE_WRITE, RetrySafety.NOT_SAFE)


def test_a_new_file_is_made_with_the_folders_on_the_way(workspace: Path, writing: Writing) -> None:
    writing.announce("outputs/a/b/r.md", "héllo\n")
    assert tree(workspace) == ["docs"]  # prepare and intend touch nothing
    data = "héllo\n".encode()
    expected = Intent(path="outputs/a/b/r.md", size=7, sha256=sha(data), prior_sha256=None, artifact_id=ARTIFACT)
    assert writing.intent == expected
    result = writing.act()
    assert (workspace / "outputs/a/b/r.md").read_bytes() == data
    assert result.artifact == Artifact(artifact_id=ARTIFACT, path="outputs/a/b/r.md", size=7, sha256=sha(data))
    assert result.facts == {"path": "outputs/a/b/r.md", "size": 7, "sha256": sha(data)}
    assert tree(workspace / "outputs") == ["a", "a/b", "a/b/r.md"]


def test_an_existing_file_is_replaced_and_its_hash_announced(outputs: Path, writing: Writing) -> None:
    (outputs / "r.md").write_bytes(b"old")
    (outputs / "r.md").chmod(0o600)
    writing.announce()
    assert writing.intent.prior_sha256 == sha(b"old")
    writing.act()
    assert (outputs / "r.md").read_bytes() == b"new\n"
    assert stat.S_IMODE((outputs / "r.md").stat().st_mode) == 0o600  # a private file stays private
    assert tree(outputs) == ["r.md"]


@pytest.mark.parametrize("content", ["# t\n", "\ufeff# t\n", "", "a\r\nb\rc", "\u2028", "x" * 65_536 + "\n" + "y"])
def test_the_bytes_are_exactly_those_of_the_content(workspace: Path, call: Call, content: str) -> None:
    call("write", path="outputs/a.md", content=content)
    assert (workspace / "outputs/a.md").read_bytes() == content.encode()


def test_the_largest_content_is_written_and_read_back(workspace: Path, call: Call) -> None:
    content = ("y" * 1_023 + "\n") * 512
    call("write", path="outputs/" + "n" * 255, content=content)
    assert (workspace / "outputs" / ("n" * 255)).read_text() == content


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("é" * 262_145, ErrorCode.CONTENT_TOO_LARGE),
        ("y" * 65_537, ErrorCode.LINE_TOO_LONG),
        ("a\n" + "é" * 32_769 + "\n", ErrorCode.LINE_TOO_LONG),
        ("a\0", ErrorCode.CONTENT_NOT_TEXT),
        ("a\ud800", ErrorCode.CONTENT_NOT_TEXT),
        (None, ErrorCode.ARGUMENTS_INVALID),
        (5, ErrorCode.ARGUMENTS_INVALID),
        (["a"], ErrorCode.ARGUMENTS_INVALID),
    ],
)
def test_content_beyond_the_limits_is_refused_untouched(
    workspace: Path, code_of: CodeOf, content: JsonValue, code: ErrorCode
) -> None:
    assert code_of("write", path="outputs/a.md", content=content) is code
    assert tree(workspace) == ["docs"]


@pytest.mark.parametrize("path", ["Outputs/a.md", "OUTPUTS/a.md", "docs/a.md", "outputs", "outputsx/a.md", "a.md"])
def test_only_outputs_in_its_exact_spelling_is_written_to(workspace: Path, code_of: CodeOf, path: str) -> None:
    assert code_of("write", path=path, content="x") is ErrorCode.WRITE_OUTSIDE_OUTPUTS
    assert tree(workspace) == ["docs"]


@pytest.mark.parametrize(
    ("there", "asked"),
    [
        ("Report.md", "report.md"),
        ("a.md", "A.md"),
        ("e\u0301.md", "\u00e9.md"),
        ("ハ\u309a.md", "パ.md"),
        ("straße.md", "STRASSE.md"),
        ("\u0130.md", "i\u0307.md"),
        ("ﬁ.md", "fi.md"),
        ("Sub/x.md", "sub/y.md"),
    ],
)
def test_a_look_alike_of_an_existing_name_is_refused(outputs: Path, code_of: CodeOf, there: str, asked: str) -> None:
    (outputs / there).parent.mkdir(exist_ok=True)
    (outputs / there).write_text("old")
    before = tree(outputs)
    assert code_of("write", path=f"outputs/{asked}", content="x") is ErrorCode.PATH_COLLISION
    assert tree(outputs) == before


def test_an_existing_name_is_replaced_though_a_look_alike_stands_beside_it(outputs: Path, call: Call) -> None:
    (outputs / "A.md").write_text("A")
    (outputs / "a.md").write_text("a")
    call("write", path="outputs/a.md", content="new")
    assert ((outputs / "A.md").read_text(), (outputs / "a.md").read_text()) == ("A", "new")


def test_the_temporary_names_are_nobody_elses_to_write(code_of: CodeOf) -> None:
    name = ".bearagent-123e4567-e89b-42d3-a456-426614174000-1-0.part"
    assert code_of("write", path=f"outputs/{name}", content="x") is ErrorCode.PATH_PROTECTED


def test_a_target_that_changed_since_the_intent_is_left_alone(outputs: Path, writing: Writing) -> None:
    writing.announce()
    (outputs / "r.md").write_bytes(b"someone else's")
    assert writing.failing() is ErrorCode.TARGET_CHANGED
    assert (outputs / "r.md").read_bytes() == b"someone else's"
    assert tree(outputs) == ["r.md"]
    assert isinstance(writing.finding(), Unknown)


def test_a_target_that_became_a_link_or_folder_is_left_alone(outputs: Path, workspace: Path, writing: Writing) -> None:
    (workspace / "README.md").write_text("keep")
    writing.announce()
    (outputs / "r.md").symlink_to("../README.md")
    assert writing.failing() is ErrorCode.PATH_LINK
    (outputs / "r.md").unlink()
    (outputs / "r.md").mkdir()
    assert writing.failing() is ErrorCode.PATH_IS_DIRECTORY
    assert ((workspace / "README.md").read_text(), tree(outputs)) == ("keep", ["r.md"])


def test_a_stopped_call_writes_nothing_and_leaves_nothing(workspace: Path, writing: Writing) -> None:
    writing.announce("outputs/new/r.md")
    assert writing.call.stop.close()
    assert writing.failing() is ErrorCode.INTERRUPTED
    assert tree(workspace) == ["docs"]


def test_a_call_out_of_time_writes_nothing_and_leaves_nothing(workspace: Path, writing: Writing) -> None:
    writing.announce("outputs/new/r.md")
    writing.call.deadline_ms = 0
    assert writing.failing() is ErrorCode.TOOL_TIMEOUT
    assert tree(workspace) == ["docs"]


def test_folders_made_for_a_write_that_fails_go_again(outputs: Path, writing: Writing) -> None:
    """The lock of the last step is held here, so the worker waits there while its folder is taken away."""
    writing.announce("outputs/new/deep/r.md")

    async def act() -> None:
        with writing.call.stop.last_step():
            task = asyncio.create_task(writing.tool.execute(writing.prepared, writing.call, writing.intent))
            await until(lambda: bool(list(outputs.glob("new/deep/.bearagent-*"))))
            (outputs / "new/deep").rename(outputs / "moved")
        with pytest.raises(ToolFailed) as caught:
            await task
        assert caught.value.info.code is ErrorCode.WRITE_CHANGED

    asyncio.run(act())
    assert tree(outputs) == ["moved"]


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0)


@pytest.mark.parametrize("change", ["target", "staged", "staged_swapped"])
def test_whatever_changes_between_staging_and_replace_is_noticed(outputs: Path, writing: Writing, change: str) -> None:
    (outputs / "r.md").write_bytes(b"old")
    writing.announce()

    async def act() -> ErrorCode:
        with writing.call.stop.last_step():
            task = asyncio.create_task(writing.tool.execute(writing.prepared, writing.call, writing.intent))
            await until(lambda: any(path.read_bytes() == b"new\n" for path in outputs.glob(".bearagent-*")))
            (staged,) = outputs.glob(".bearagent-*")
            await until(lambda: not held_open(staged))
            match change:
                case "target":
                    (outputs / "r.md").write_bytes(b"edited")
                case "staged":
                    staged.write_bytes(b"tampered")
                case _:
                    (outputs / "other").write_bytes(b"new\n")
                    (outputs / "other").rename(staged)
        with pytest.raises(ToolFailed) as caught:
            await task
        return caught.value.info.code

    code = asyncio.run(act())
    assert code is (ErrorCode.TARGET_CHANGED if change == "target" else ErrorCode.WRITE_CHANGED)
    assert (outputs / "r.md").read_bytes() == (b"edited" if change == "target" else b"old")
    assert not change == "target" or tree(outputs) == ["r.md"]


def held_open(path: Path) -> bool:
    """Whether this process has `path` open still."""
    wanted = path.stat()
    for handle in os.listdir("/proc/self/fd"):
        try:
            if os.path.samestat(os.stat(f"/proc/self/fd/{handle}"), wanted):
                return True
        except OSError:
            continue
    return False


def test_a_cancelled_write_is_whole_or_nothing_and_the_cancellation_travels_on(outputs: Path, writing: Writing) -> None:
    (outputs / "r.md").write_bytes(b"old")
    writing.announce()

    async def act() -> None:
        with writing.call.stop.last_step():
            task = asyncio.create_task(writing.tool.execute(writing.prepared, writing.call, writing.intent))
            await until(lambda: bool(list(outputs.glob(".bearagent-*"))))
            task.cancel()
            await asyncio.sleep(0)  # the tool tries to stop its worker, and the lock is not to be had
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(act())
    expected = Done if (outputs / "r.md").read_bytes() == b"new\n" else NotDone
    assert isinstance(writing.finding(), expected)
    assert tree(outputs) == ["r.md"]


def test_an_attempt_removes_what_earlier_ones_left(outputs: Path, writing: Writing) -> None:
    activity = writing.call.activity_id
    ours = outputs / f".bearagent-{activity}-1-0.part"
    others = outputs / f".bearagent-{new_id()}-1-0.part"
    for left in (ours, others):
        left.write_text("half")
    writing.call.attempt = 2
    writing.announce()
    writing.act()
    assert tree(outputs) == sorted([others.name, "r.md"])


def test_a_planted_temporary_name_is_never_written_through(outputs: Path, workspace: Path, writing: Writing) -> None:
    (workspace / "victim").write_text("keep")
    planted = outputs / f".bearagent-{writing.call.activity_id}-1-0.part"
    planted.symlink_to("../victim")
    writing.announce()
    writing.act()
    assert ((workspace / "victim").read_text(), (outputs / "r.md").read_text()) == ("keep", "new\n")


def test_the_target_decides_what_became_of_a_write(outputs: Path, writing: Writing) -> None:
    (outputs / "r.md").write_bytes(b"old")
    writing.announce()
    assert isinstance(writing.finding(), NotDone)
    result = writing.act()
    finding = writing.finding()
    assert isinstance(finding, Done) and finding.result == result
    (outputs / "r.md").write_bytes(b"third")
    assert isinstance(writing.finding(), Unknown)
    (outputs / "r.md").unlink()
    assert isinstance(writing.finding(), Unknown)


def test_no_file_before_and_none_now_is_not_done(workspace: Path, writing: Writing) -> None:
    writing.announce("outputs/new/r.md")
    assert isinstance(writing.finding(), NotDone)


def test_bytes_that_were_there_before_count_as_done(outputs: Path, writing: Writing) -> None:
    (outputs / "r.md").write_bytes(b"new\n")
    writing.announce()
    assert isinstance(writing.finding(), Done)


def test_a_target_that_cannot_be_read_is_unknown(outputs: Path, writing: Writing) -> None:
    writing.announce()
    (outputs / "r.md").symlink_to("/etc/passwd")
    assert isinstance(writing.finding(), Unknown)


def test_looking_works_after_the_call_was_stopped_and_timed_out(outputs: Path, writing: Writing) -> None:
    writing.announce()
    writing.call.stop.close()
    writing.call.deadline_ms = 0
    assert isinstance(writing.finding(), NotDone)
