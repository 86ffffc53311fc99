"""Faults that users met in the file tools of other systems: here each comes out right."""

import hashlib
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from bearagent_domain.errors import ErrorCode
from bearagent_domain.messages import ToolAnswer
from bearagent_domain.policies import PolicyDecision, Verdict
from bearagent_domain.runs import RunStatus
from bearagent_domain.tools import PreparedToolRequest, ToolSpec
from bearagent_testkit import ScriptedCall
from tests.reports.desk import Desk
from tests.security.swapping import swapped_by_another_process

SECRET = "the secret outside"
RUNS_MIN, RUNS_MAX = 4, 50
CALLS_PER_TURN = 60  # of the 64 that a turn may have


def lines_of(answer: ToolAnswer) -> list[str]:
    return answer.content.splitlines()


# Links


@pytest.mark.parametrize("tool", ["read", "search", "list"])
def test_a_link_to_the_outside_is_refused_by_a_stable_code(desk: Desk, tool: str) -> None:
    (desk.outside / "secret").write_text(SECRET)
    (desk.root / "docs/notes.md").symlink_to(desk.outside / "secret")
    told = desk.ask(tool, path="docs/notes.md", **({"query": "secret"} if tool == "search" else {}))
    assert told.code is ErrorCode.PATH_LINK
    assert SECRET not in told.record and str(desk.outside.parent) not in told.record


def test_a_write_through_a_linked_folder_is_refused(desk: Desk) -> None:
    desk.put("outputs/kept.md", "kept")
    (desk.root / "outputs/sub").symlink_to(desk.outside)
    assert desk.ask("write", path="outputs/sub/a.md", content="x").code is ErrorCode.PATH_LINK
    assert list(desk.outside.iterdir()) == []


def test_a_workspace_named_by_a_link_works_and_links_below_it_do_not(desk: Desk) -> None:
    named = desk.outside / "named"
    named.symlink_to(desk.root)
    desk.put("docs/a.md", "text\n")
    (desk.root / "docs/b.md").symlink_to("a.md")
    calls = [ScriptedCall("workspace.read", {"path": path}) for path in ("docs/a.md", "docs/b.md")]
    told = desk.ask_all(calls, root=named)
    assert told.codes == [None, ErrorCode.PATH_LINK]
    assert told.answers[0].content == "text\n"


def test_a_linked_folder_is_listed_as_a_link_and_not_walked(desk: Desk) -> None:
    (desk.outside / "secret").write_text(SECRET)
    (desk.root / "docs/link").symlink_to(desk.outside)
    assert desk.ask("list", path="docs/link").code is ErrorCode.PATH_LINK
    assert lines_of(desk.ask("list", path="docs").answer) == ['{"kind":"link","name":"link","size":0}']
    found = desk.ask("search", query="secret").answer
    assert (found.content, found.facts["skipped"]) == ("", 1)


def test_a_link_swapped_in_while_a_file_is_read_shows_nothing_of_its_target(desk: Desk) -> None:
    (desk.outside / "secret").write_text(SECRET)
    desk.put("docs/a.md", "inside\n")
    calls = [ScriptedCall("workspace.read", {"path": "docs/a.md"})] * CALLS_PER_TURN
    seen: set[str] = set()
    with swapped_by_another_process(desk.root / "docs/a.md", desk.outside / "secret"):
        for run in range(RUNS_MAX):
            told = desk.ask_all(calls)
            assert SECRET not in told.record
            seen.update(code or "read" for code in told.codes)
            if run + 1 >= RUNS_MIN and seen >= {"read", ErrorCode.PATH_LINK}:
                return
    pytest.fail(f"the file was never both a file and a link: {seen}")


def test_a_link_swapped_in_for_a_new_folder_leads_no_write_outside(desk: Desk) -> None:
    desk.put("outputs/new/kept.md", "kept")
    call = ScriptedCall("workspace.write", {"path": "outputs/new/deep/a.md", "content": "x"})
    seen: set[str] = set()
    untouched = os.stat(desk.outside).st_mtime_ns  # also of what is made and taken away again
    with swapped_by_another_process(desk.root / "outputs/new", desk.outside):
        for run in range(RUNS_MAX):
            seen.update(code or "written" for code in desk.ask_all([call] * CALLS_PER_TURN).codes)
            assert os.stat(desk.outside).st_mtime_ns == untouched
            if run + 1 >= RUNS_MIN and seen >= {"written", ErrorCode.PATH_LINK}:
                return
    pytest.fail(f"the folder was never both a folder and a link: {seen}")


# Bytes and lines


def test_a_page_keeps_mark_and_line_ends_and_the_facts_are_of_the_bytes(desk: Desk) -> None:
    data = b"\xef\xbb\xbf# A\r\nline\r\n"
    desk.put("docs/win.md", data)
    answer = desk.ask("read", path="docs/win.md").answer
    assert answer.content == "\ufeff# A\r\nline\r\n"
    assert (answer.facts["size"], answer.facts["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert answer.facts["total_lines"] == 2
    assert '"line":2' in desk.ask("search", query="line", path="docs").answer.content


@pytest.mark.parametrize(("content", "first"), [("# t\n", b"# t"), ("\ufeff# t\n", b"\xef\xbb\xbf")])
def test_a_written_file_begins_with_a_mark_only_when_its_content_does(desk: Desk, content: str, first: bytes) -> None:
    desk.ask("write", path="outputs/a.md", content=content)
    assert (desk.root / "outputs/a.md").read_bytes()[:3] == first


def test_a_bare_carriage_return_is_no_end_of_a_line(desk: Desk) -> None:
    desk.put("docs/log.txt", b"a\rb\nc\n")
    answer = desk.ask("read", path="docs/log.txt").answer
    assert (answer.content, answer.facts["total_lines"]) == ("a\rb\nc\n", 2)
    assert '"line":1' in desk.ask("search", query="b", path="docs/log.txt").answer.content


def test_one_giant_line_is_shown_in_part_and_the_run_goes_on(desk: Desk) -> None:
    desk.put("docs/pack.html", "<img src='data:image/png;base64," + "QUJD" * 425_000 + "'>\n")
    told = desk.ask("read", path="docs/pack.html")
    assert len(told.answer.content.encode()) <= 65_536
    assert told.answer.facts["line_cut"] is True
    assert told.answer.facts["next_offset"] == len(told.answer.content)
    assert told.run.status is RunStatus.SUCCEEDED


@pytest.mark.parametrize(
    ("content", "total"),
    [("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", 10), ("1\n2\n3\n4\n5\n6", 6), ("", 0)],
    ids=["final newline", "no final newline", "empty"],
)
def test_lines_are_counted_right_and_no_reader_is_sent_behind_the_last(desk: Desk, content: str, total: int) -> None:
    desk.put("docs/a.txt", content)
    answer = desk.ask("read", path="docs/a.txt").answer
    assert (answer.facts["total_lines"], answer.facts["next_start_line"]) == (total, None)
    if total:
        assert desk.ask("read", path="docs/a.txt", start_line=total).answer.content.strip() == str(total)
    behind = desk.ask("read", path="docs/a.txt", start_line=total + 1).answer
    assert (behind.content, behind.facts["end_of_file"], behind.facts["next_start_line"]) == ("", True, None)


def test_a_byte_that_is_no_text_is_an_error_and_never_replaced(desk: Desk) -> None:
    place = desk.put("docs/latin.txt", b"na\xefve text\n")
    told = desk.ask("read", path="docs/latin.txt")
    assert told.code is ErrorCode.NOT_TEXT
    assert "\ufffd" not in told.record and "ve text" not in told.record
    assert place.read_bytes() == b"na\xefve text\n"


@contextmanager
def files_limited_to(size_bytes: int) -> Iterator[None]:
    """While this lasts, the system refuses every byte of a file behind `size_bytes`, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_write_that_the_system_ends_halfway_leaves_the_old_file_and_the_run_goes_on(desk: Desk) -> None:
    place = desk.put("outputs/report.md", "the old report\n")
    with files_limited_to(65_536):
        told = desk.ask("write", path="outputs/report.md", content="a line of the new report\n" * 20_000)
    assert told.code is ErrorCode.FILE_TOO_LARGE
    assert [(path.name, path.read_text()) for path in place.parent.iterdir()] == [("report.md", "the old report\n")]
    assert told.run.status is RunStatus.SUCCEEDED and told.run.artifacts == ()


# Names


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("Outputs/a.md", ErrorCode.WRITE_OUTSIDE_OUTPUTS),
        ("OUTPUTS/a.md", ErrorCode.WRITE_OUTSIDE_OUTPUTS),
        ("outputs/A.md", ErrorCode.PATH_COLLISION),
    ],
)
def test_another_spelling_of_a_protected_or_existing_name_is_refused(desk: Desk, path: str, code: ErrorCode) -> None:
    place = desk.put("outputs/a.md", "kept")
    assert desk.ask("write", path=path, content="x").code is code
    assert place.read_text() == "kept"
    assert sorted(path.name for path in desk.root.rglob("*")) == ["a.md", "docs", "outputs"]


class OnlySmallSecrets:
    """Allows reading `docs/secrets.md` and nothing else."""

    name = "only-small-secrets"
    policy_hash = "0" * 64

    def decide(self, spec: ToolSpec, prepared: PreparedToolRequest) -> PolicyDecision:
        is_it = [resource.name for resource in prepared.resources] == ["docs/secrets.md"]
        verdict = Verdict.ALLOW if is_it else Verdict.DENY
        return PolicyDecision(verdict=verdict, rule="this_file", reason="By name.", resources=prepared.resources)


def test_a_permission_for_one_spelling_does_not_cover_another(desk: Desk) -> None:
    desk.put("docs/secrets.md", "small\n")
    desk.put("docs/Secrets.md", "GREAT\n")
    calls = [ScriptedCall("workspace.read", {"path": f"docs/{name}"}) for name in ("secrets.md", "Secrets.md")]
    told = desk.ask_all(calls, policy=OnlySmallSecrets())
    assert told.codes == [None, ErrorCode.TOOL_NOT_ALLOWED]
    assert "GREAT" not in told.record


def test_a_composed_name_makes_no_second_file_beside_the_decomposed_one(desk: Desk) -> None:
    decomposed, composed = "outputs/ハ\u309a.md", "outputs/パ.md"
    place = desk.put(decomposed, "kept")
    assert desk.ask("write", path=composed, content="x").code is ErrorCode.PATH_COLLISION
    assert desk.ask("write", path=decomposed, content="x").code is ErrorCode.PATH_NOT_NFC
    assert [(path.name, path.read_text()) for path in place.parent.iterdir()] == [(place.name, "kept")]


def test_a_neighbour_whose_name_begins_alike_is_not_inside(desk: Desk) -> None:
    neighbour = desk.root.parent / "workspace-other"
    neighbour.mkdir()
    (neighbour / "secret.md").write_text(SECRET)
    paths = ["../workspace-other/secret.md", "docs/../../workspace-other/secret.md", "..%2fworkspace-other/secret.md"]
    told = desk.ask_all([ScriptedCall("workspace.read", {"path": path}) for path in paths])
    assert told.codes == [ErrorCode.PATH_TRAVERSAL, ErrorCode.PATH_TRAVERSAL, ErrorCode.PATH_NOT_FOUND]
    assert SECRET not in told.record


@pytest.mark.parametrize("spelling", ["workspace/", "workspace/.", "./workspace//", "workspace/docs/.."])
def test_every_spelling_of_the_workspace_is_the_same_folder(
    desk: Desk, spelling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.put("docs/a.md", "text\n")
    monkeypatch.chdir(desk.root.parent)
    told = desk.ask_all([ScriptedCall("workspace.list", {"path": "docs"})], root=spelling)
    assert lines_of(told.answer) == ['{"kind":"file","name":"a.md","size":5}']


@pytest.mark.parametrize(
    "path",
    ["docs//..//..//etc/passwd", "docs/ /../../x", "docs/%2e%2e/x", "docs/.. /x", "docs/‥/x", "docs/..\u00a0/x"]
    + ["docs/.\u200b./x"],
)
def test_odd_separators_dots_and_blanks_reach_nothing(desk: Desk, path: str) -> None:
    (desk.root.parent / "x").write_text(SECRET)
    (desk.root / "x").write_text(SECRET)
    told = desk.ask("read", path=path)
    assert told.code is not None and told.code.startswith("path_")
    assert SECRET not in told.record


# Folders and search


def test_an_ignore_file_hides_nothing_that_is_asked_for(desk: Desk) -> None:
    desk.put(".gitignore", "dist/\n")
    desk.put("dist/app.js", "let needle;\n")
    assert desk.ask("read", path="dist/app.js").answer.content == "let needle;\n"
    assert lines_of(desk.ask("list", path="dist").answer) == ['{"kind":"file","name":"app.js","size":12}']
    assert desk.ask("search", query="needle").answer.facts["matches"] == 1


def test_a_search_walks_only_the_folder_asked_for_and_says_when_it_is_cut(desk: Desk) -> None:
    for number in range(300):
        desk.put(f"elsewhere/{number}.md", "x\n")
    for number in range(10):
        desk.put(f"docs/{number}.md", "x\n")
    whole = desk.ask("search", query="x", path="docs").answer
    assert (whole.facts["files"], whole.facts["matches"], whole.facts["truncated"]) == (10, 10, False)
    cut = desk.ask("search", query="x", path="docs", max_matches=3).answer
    assert (len(lines_of(cut)), cut.facts["truncated"], cut.facts["reason"]) == (3, True, "max_matches")


def test_a_pipe_in_the_folder_is_counted_and_does_not_stop_a_search(desk: Desk) -> None:
    os.mkfifo(desk.root / "docs/pipe")
    desk.put("docs/z.md", "x\n")
    found = desk.ask("search", query="x", path="docs").answer
    assert (found.facts["matches"], found.facts["skipped"]) == (1, 1)
    assert desk.ask("read", path="docs/pipe").code is ErrorCode.PATH_NOT_REGULAR


@pytest.mark.parametrize("query", ["(a+)+$", "(a|a)*b", "(x+x+)+y", "[unclosed(", "*", "\\"])
def test_a_pattern_is_searched_for_as_it_stands(desk: Desk, query: str) -> None:
    desk.put("docs/a.txt", "a" * 60 + "!\n" + "x" * 60 + "\n")
    desk.put("docs/b.txt", f"before {query} behind\n")
    found = desk.ask("search", query=query).answer
    assert found.facts["matches"] == 1
    assert '"path":"docs/b.txt"' in found.content
