"""tools/check.py runs every step, shows what the steps print, and ends with true counts and a true exit status."""

import sys

import pytest

from tools.check import STEPS, Step, main


def step(name: str, program: str) -> Step:
    return Step(name, (sys.executable, "-c", program))


def ended_tests(line: str, status: int = 0) -> Step:
    return step("tests", f"import sys; print({line!r}); sys.exit({status})")


GOOD = step("good", "print('good was here')")
BAD = step("bad", "import sys; print('bad was here', file=sys.stderr); sys.exit(3)")
GREEN = ended_tests("======= 402 passed, 2 skipped, 1 warning in 61.20s (0:01:01) =======")


def test_the_steps_are_what_ci_promises() -> None:
    names = [each.name for each in STEPS]
    assert names == ["lock", "format", "lint", "types", "imports", "declarations", "READMEs", "tests"]


def test_good_steps_end_with_zero_and_the_counts(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([GOOD, GREEN]) == 0
    assert capfd.readouterr().out.splitlines()[-1] == "403 passed, 0 failed, 2 skipped"


def test_a_bad_step_ends_with_one_and_later_steps_still_run(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([BAD, GOOD, GREEN]) == 1
    output = capfd.readouterr().out
    assert "bad was here" in output
    assert "good was here" in output
    assert output.splitlines()[-1] == "403 passed, 1 failed, 2 skipped"


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("=== 3 failed, 4 passed, 2 errors in 0.50s ===", "4 passed, 5 failed, 0 skipped"),
        ("=== 4 passed, 1 xfailed in 0.50s ===", "4 passed, 1 failed, 1 skipped"),
        ("=== no tests ran in 0.01s ===", "0 passed, 1 failed, 0 skipped"),
        ("Killed", "0 passed, 1 failed, 0 skipped"),
    ],
)
def test_the_last_line_tells_how_the_tests_ended(line: str, counts: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main([ended_tests(line, status=1)]) == 1
    assert capfd.readouterr().out.splitlines()[-1] == counts


def test_a_command_that_is_not_there_is_a_failure(capfd: pytest.CaptureFixture[str]) -> None:
    assert main([Step("gone", ("/nowhere/tool",)), GOOD]) == 1
    assert capfd.readouterr().out.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"
