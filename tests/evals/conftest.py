"""Each fixed task runs once with each provider; the last lines of a test run say how many came out right."""

from pathlib import Path

import pytest

from tests.evals.evaluation import Evaluation

PROVIDERS = ("scripted", "offline")


@pytest.fixture(params=PROVIDERS)
def evaluation(tmp_path: Path, request: pytest.FixtureRequest) -> Evaluation:
    """An empty home with one of the providers."""
    return Evaluation(tmp_path, request.param)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say "5 of 5" for each provider."""
    for provider in PROVIDERS:
        counts = {
            outcome: sum(_is_eval(report, provider) for report in terminalreporter.getreports(outcome))
            for outcome in ("passed", "failed", "error")
        }
        if any(counts.values()):
            terminalreporter.write_line(
                f"fixed tasks, {provider} provider: {counts['passed']} of {sum(counts.values())}"
            )


def _is_eval(report: pytest.TestReport, provider: str) -> bool:
    return report.nodeid.startswith("tests/evals/test_fixed_tasks.py::") and report.nodeid.endswith(f"[{provider}]")
