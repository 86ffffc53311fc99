"""Objectives in English and Chinese: what to read, where to write, in which language."""

import pytest

from bearagent_offline_provider.objectives import names_folder, objective_of


@pytest.mark.parametrize(
    ("text", "files", "folders", "output"),
    [
        (
            "Read the documents under docs/ and write a report to outputs/report.md",
            (),
            ("docs",),
            "outputs/report.md",
        ),
        ("Read ./docs/ and docs/notes.md.", ("docs/notes.md",), ("docs",), "outputs/report.md"),
        (
            "Compare docs/a.md with docs/b.md and save it as outputs/c.md.",
            ("docs/a.md", "docs/b.md"),
            (),
            "outputs/c.md",
        ),
        ("Compare alpha.md and beta.md under docs/", ("docs/alpha.md", "docs/beta.md"), (), "outputs/report.md"),
        ("Read docs/ and README.md", ("README.md",), ("docs",), "outputs/report.md"),
        ("Introduce `my notes/plan one.md` in outputs/intro.md", ("my notes/plan one.md",), (), "outputs/intro.md"),
        ("Read 'my plan.txt' and 'b.md' to outputs/x.md", ("my plan.txt", "b.md"), (), "outputs/x.md"),
        ("Don't read Ben's a.md, read Anna's docs/b.md", ("docs/b.md",), (), "outputs/report.md"),
        ("Write a report on docs/guide.md to outputs/guide/", ("docs/guide.md",), (), "outputs/guide/report.md"),
        ("Read docs/guide and save to outputs/summary", (), ("docs/guide",), "outputs/summary"),
        ("Read outputs/old.md and replace outputs/new.md", ("outputs/old.md",), (), "outputs/new.md"),
        ("Summarise the files in outputs/ to outputs/all.md", (), ("outputs",), "outputs/all.md"),
        ("See https://example.org/a.md and/or v1.2, e.g. Node.js", (), (), "outputs/report.md"),
        ("Read ../secret.md and /etc/hosts.txt", ("../secret.md", "/etc/hosts.txt"), (), "outputs/report.md"),
        ("Summarise docs/*.md", (), ("docs",), "outputs/report.md"),
        ("阅读 docs/ 下的文档，并写一份报告到 outputs/报告.md", (), ("docs",), "outputs/报告.md"),
        ("请阅读docs/下的文档并写一份报告到outputs/report.md", (), ("docs",), "outputs/report.md"),
        (
            "请阅读资料/笔记.md和资料/计划.md，写入outputs/比较.md。",
            ("资料/笔记.md", "资料/计划.md"),
            (),
            "outputs/比较.md",
        ),
        ("请比较a.md和b.md并写入outputs/对比报告.md", ("a.md", "b.md"), (), "outputs/对比报告.md"),
        ("总结docs/下的alpha.md", ("docs/alpha.md",), (), "outputs/report.md"),
        ("Read docs//a.md and .//docs///b/ into outputs//c.md", ("docs/a.md",), ("docs/b",), "outputs/c.md"),
        (f"Read {'a/' * 20}b.md into outputs/{'c/' * 20}d.md", (f"{'a/' * 20}b.md",), (), f"outputs/{'c/' * 20}d.md"),
        (f"Read {'a/' * 20}, save {'outputs/' * 12}d", (), ("a/" * 19 + "a",), f"{'outputs/' * 12}d"),
        ("Read docs/../../etc/passwd", (), ("docs/../../etc/passwd",), "outputs/report.md"),
        ("把 guide.md 总结到outputs/要点.md", ("guide.md",), (), "outputs/要点.md"),
        ("阅读 总结报告.md", ("总结报告.md",), (), "outputs/report.md"),
        ("阅读总结报告.md", ("总结报告.md",), (), "outputs/report.md"),
        ("介绍下载/说明.md", ("下载/说明.md",), (), "outputs/report.md"),
        ("查看docs/中文/说明.md", ("docs/中文/说明.md",), (), "outputs/report.md"),
    ],
)
def test_paths_are_told_apart_by_the_words_around_them(
    text: str, files: tuple[str, ...], folders: tuple[str, ...], output: str
) -> None:
    objective = objective_of(text)
    assert (objective.files, objective.folders, objective.output) == (files, folders, output)
    assert not objective.is_redirected


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("Summarise everything except drafts/ and old.md", ("drafts", "old.md")),
        ("Read docs/ but do not read docs/secret.md", ("docs/secret.md",)),
        ("不要读取private/，阅读docs/", ("private",)),
    ],
)
def test_what_is_to_be_left_out_is_not_read(text: str, left_out: tuple[str, ...]) -> None:
    objective = objective_of(text)
    assert objective.left_out == left_out and not set(left_out) & {*objective.files, *objective.folders}


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("Write the summary to summary.md", "outputs/summary.md"),
        ("Write to docs/out.md", "outputs/out.md"),
        ("Write a report to ../../etc/x.md", "outputs/x.md"),
        ("Write to outputs/../x.md", "outputs/x.md"),
        ("写到../秘密/报告.md", "outputs/报告.md"),
    ],
)
def test_a_target_that_is_not_below_outputs_is_redirected(text: str, output: str) -> None:
    objective = objective_of(text)
    assert (objective.output, objective.is_redirected) == (output, True)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Read docs/", "en"),
        ("总结 docs/guide/introduction/overview.md", "zh"),
        ("Read 资料/笔记.md", "en"),
        ("用英文总结 docs/", "en"),
        ("Summarise docs/ in Chinese", "zh"),
    ],
)
def test_the_language_is_that_of_the_words_or_the_one_asked_for(text: str, language: str) -> None:
    assert objective_of(text).language == language


@pytest.mark.parametrize("text", ["Compare a.md and b.md", "What is the difference?", "比较两篇", "有什么不同"])
def test_comparisons_are_noticed(text: str) -> None:
    assert objective_of(text).compares and not objective_of("Summarise docs/").compares


@pytest.mark.parametrize(
    ("words", "name", "is_named"),
    [
        ("Read the docs folder", "docs", True),
        ("everything under docs, please", "docs", True),
        ("总结资料文件夹", "资料", True),
        ("read the docs-old folder", "docs", False),
        ("read mydocs目录", "docs", False),
        ("write a report", "report", False),
    ],
)
def test_a_folder_can_be_named_without_a_slash(words: str, name: str, is_named: bool) -> None:
    assert names_folder(words, name) is is_named


@pytest.mark.parametrize(
    "text", ["a" * 262_144, "/" * 262_144, "a/" * 131_072, "`" * 262_144, "读" * 262_144, "a." * 131_072]
)
def test_a_hostile_objective_is_read_without_end(text: str) -> None:
    assert objective_of(text).output.startswith("outputs/")


def test_a_long_name_is_read_and_written_whole() -> None:
    name = "2026-11-30-" + "notes-on-the-northern-district-" * 3 + "end.md"
    objective = objective_of(f"Read docs/{name} and {name}, then write outputs/{name}")
    assert objective.files == (f"docs/{name}", name)
    assert objective.output == f"outputs/{name}"


@pytest.mark.parametrize(
    "text",
    [
        "Compare docs/a.md with docs/b.md → outputs/x.md",
        "docs/a.md, docs/b.md -> outputs/x.md",
        "Create a file called x.md from docs/a.md and docs/b.md",
        "Read docs/a.md and docs/b.md, and produce a report named x.md",
        "总结 docs/a.md 和 docs/b.md，生成一个叫 x.md 的文件",
    ],
)
def test_a_target_can_be_named_by_a_word_or_an_arrow(text: str) -> None:
    objective = objective_of(text)
    assert (objective.output, objective.files) == ("outputs/x.md", ("docs/a.md", "docs/b.md"))
