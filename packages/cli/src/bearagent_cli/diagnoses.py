"""What `doctor` shows: the checks of the service, and every setting with its origin."""

from collections.abc import Mapping

from bearagent_cli.service import Check, OpenService
from bearagent_cli.settings import Origin, Settings, loaded_settings, settings_without_config
from bearagent_domain.documents import Doc, Rec
from bearagent_domain.errors import BearAgentError


class SettingView(Rec, frozen=True, kw_only=True):
    """One setting as written where it comes from; a null value means none."""

    name: str
    value: str | None
    origin: Origin


class DiagnosisDocument(Doc, frozen=True, kw_only=True):
    """`ok` is true when every check is."""

    ok: bool
    config_file: str
    checks: tuple[Check, ...]
    settings: tuple[SettingView, ...]


def diagnosis(open_service: OpenService, flags: Mapping[str, str | None]) -> DiagnosisDocument:
    """The diagnosis under these flags. A config file that is wrong is a finding, and the rest is still looked at."""
    settings, config = _settings(flags)
    checks = (config, *open_service(settings).diagnose())
    return DiagnosisDocument(
        ok=all(check.ok for check in checks),
        config_file=str(settings.config_file),
        checks=checks,
        settings=tuple(
            SettingView(name=setting.name, value=setting.text, origin=setting.origin)
            for setting in settings.by_name.values()
        ),
    )


def _settings(flags: Mapping[str, str | None]) -> tuple[Settings, Check]:
    try:
        settings = loaded_settings(flags)
    except BearAgentError as error:
        return settings_without_config(flags), Check(name="config file", ok=False, detail=error.info.message)
    there = "" if settings.config_file.exists() else " (not there, which is fine)"
    return settings, Check(name="config file", ok=True, detail=f"{settings.config_file}{there}")
