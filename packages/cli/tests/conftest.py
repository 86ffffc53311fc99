"""A user without settings, and commands carried out over a service that plays."""

from pathlib import Path

import pytest

from bearagent_cli import main
from bearagent_cli.settings import Settings
from bearagent_testkit import CountingIds, FixedClock, sample_run
from tests.e2e.played_service import Command, Ended, PlayedService


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without settings, in an empty folder."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    for name in ("BEARAGENT_DB", "BEARAGENT_PROVIDER", "BEARAGENT_MODEL", "BEARAGENT_MAX_SECONDS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def service() -> PlayedService:
    """A service whose run has two tools, one artifact and an answer."""
    return PlayedService(sample_run(CountingIds(), FixedClock()))


@pytest.fixture
def command(service: PlayedService, capsys: pytest.CaptureFixture[str]) -> Command:
    """Carry out one command line over `service`."""

    def opened(settings: Settings) -> PlayedService:
        service.settings.append(settings)
        return service

    def carried_out(*words: str) -> Ended:
        code = main(opened, words)
        out, err = capsys.readouterr()
        return Ended(code, out, err)

    return carried_out
