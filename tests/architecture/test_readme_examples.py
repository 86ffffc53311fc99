"""Each README's Python examples are short and run as they stand; each package shows at least one. So do the docs."""

import sys
from pathlib import Path

import pytest

from tools.check_readmes import ROOT, Example, examples, readmes, run, verdict

PACKAGE_READMES = [path for path in readmes(ROOT) if path.parent != ROOT]
PAGE_EXAMPLES = [example for page in sorted((ROOT / "docs").glob("*.md")) for example in examples(page)]
EXAMPLES = [example for readme in readmes(ROOT) for example in examples(readme)]


def named(value: Path | Example) -> str:
    if isinstance(value, Example):
        return f"{named(value.readme)}:{value.line}"
    return value.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("readme", PACKAGE_READMES, ids=named)
def test_a_package_shows_an_example(readme: Path) -> None:
    assert list(examples(readme))


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_an_example_runs(example: Example) -> None:
    assert verdict(example) is None


@pytest.mark.parametrize("example", PAGE_EXAMPLES, ids=named)
def test_an_example_of_the_docs_runs(example: Example) -> None:
    done = run(example, Path(sys.executable))
    assert done.returncode == 0, done.stdout


def test_examples_are_found_with_their_lines(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(
        "# x\n\n```python\na = 1\nb = 2\n```\n\n```console\n$ ls\n```\n\n```python\nc = 3\n```\n", "utf-8"
    )
    assert list(examples(readme)) == [Example(readme, 4, "a = 1\nb = 2\n"), Example(readme, 13, "c = 3\n")]


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ("raise ValueError('planted')", "ValueError: planted"),
        ("import warnings; warnings.warn('planted')", "UserWarning: planted"),
        ("import sys; sys.exit('planted')", "planted"),
        ("pass\n" * 16, "16 lines, more than 15"),
    ],
)
def test_an_example_that_fails_is_reported(code: str, complaint: str) -> None:
    assert complaint in (verdict(Example(ROOT / "README.md", 1, code)) or "")


def test_an_example_sees_no_setting_and_no_file_of_its_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEARAGENT_DB", "planted")
    code = "import os; print(os.environ.get('BEARAGENT_DB'), os.listdir(), os.environ['HOME'] == os.getcwd())"
    assert run(Example(ROOT / "README.md", 1, code), Path(sys.executable)).stdout == "None [] True\n"
