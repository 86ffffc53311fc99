"""The profile of a run: what its file says, with the settings laid around it.

A profile is named on the command line, so it stands above environment and config file, and below flags.
"""

import tomllib
from decimal import Decimal
from pathlib import Path

import msgspec

from bearagent_cli.settings import LIMIT_FLAGS, Origin, Settings
from bearagent_domain.budgets import LimitName
from bearagent_domain.errors import BearAgentError, ErrorCode, failure
from bearagent_domain.ids import INTEGER_MAX
from bearagent_domain.json_values import JsonRefused, parse_json_text
from bearagent_domain.profiles import RunProfile

PROFILE_BYTES_MAX = 1_048_576
MICRO_USD = 1_000_000
MILLISECONDS = 1_000

_LIMIT_OF_FLAG: dict[str, tuple[LimitName, int]] = {
    "max_model_calls": ("model_calls", 1),
    "max_tool_calls": ("tool_calls", 1),
    "max_input_tokens": ("input_tokens", 1),
    "max_output_tokens": ("output_tokens", 1),
    "max_cost_usd": ("cost_micro_usd", MICRO_USD),
    "max_seconds": ("active_ms", MILLISECONDS),
}


def resolved_profile(settings: Settings, file: Path | None) -> RunProfile:
    """The profile that a run is made with. Raises `BearAgentError`: `profile_invalid`, `limit_invalid`, `usage`."""
    profile = RunProfile() if file is None else read_profile(file)
    agent, limits = profile.agent, profile.limits
    text = settings.text("context_chars")
    context_chars = None if text is None else _whole(text, "context_chars", 1, ErrorCode.USAGE)
    agent = msgspec.structs.replace(
        agent,
        provider=_chosen(settings, "provider", settings.text("provider"), agent.provider),
        model=_chosen(settings, "model", settings.text("model"), agent.model),
        context_chars=_chosen(settings, "context_chars", context_chars, agent.context_chars),
    )
    amounts = {limit: getattr(limits, limit) for limit, _ in _LIMIT_OF_FLAG.values()}
    for flag in LIMIT_FLAGS:
        limit, unit = _LIMIT_OF_FLAG[flag]
        if (text := settings.text(flag)) is not None:
            amounts[limit] = _chosen(settings, flag, _whole(text, flag, unit, ErrorCode.LIMIT_INVALID), amounts[limit])
    made = msgspec.structs.replace(profile, agent=agent, limits=msgspec.structs.replace(limits, **amounts))
    return _checked(made)


def read_profile(file: Path) -> RunProfile:
    """The profile in a JSON or TOML file. Raises `BearAgentError` with `profile_invalid`; no value is ever shown."""
    try:
        with file.open("rb") as stream:
            data = stream.read(PROFILE_BYTES_MAX + 1)
    except OSError as error:
        raise _wrong(f"can't be read: {error.strerror}") from error
    if len(data) > PROFILE_BYTES_MAX:
        raise _wrong("is larger than 1 MiB")
    try:
        text = data.decode("utf-8-sig")
        content: object = tomllib.loads(text) if file.suffix.lower() == ".toml" else parse_json_text(text)
    except JsonRefused as error:
        raise _wrong(f"can't be used: {error.info.message}") from error
    except (ValueError, RecursionError) as error:  # also UTF-8 and TOML errors
        raise _wrong("is not a UTF-8 TOML document") from error
    version = content.get("schema_version") if isinstance(content, dict) else None
    if version != 1:
        raise _wrong("must say schema_version = 1")
    try:
        return msgspec.convert(content, RunProfile)
    except msgspec.ValidationError as error:
        raise _wrong(f"does not fit: {error}. It has no field for a key, a URL or a path") from error


def _checked(profile: RunProfile) -> RunProfile:
    """Settings are text from outside: they meet the same bounds as a profile's own fields."""
    try:
        return msgspec.convert(msgspec.to_builtins(profile), RunProfile)
    except msgspec.ValidationError as error:
        raise BearAgentError(failure(ErrorCode.USAGE, f"A setting of the run does not fit: {error}.")) from error


def _chosen(settings: Settings, name: str, value: object, in_profile: object) -> object:
    """Flags stand above the profile, the rest below."""
    return value if in_profile is None or settings.by_name[name].origin is Origin.FLAG else in_profile


def _whole(text: str, name: str, unit: int, code: ErrorCode) -> int:
    """The number in `text` times `unit`, which must be whole and at least 0."""
    try:
        number = Decimal(text.strip()) * unit
    except ArithmeticError:
        number = Decimal("NaN")
    if number.is_finite() and 0 <= number <= INTEGER_MAX and number == int(number):
        return int(number)
    kind = {1: "a whole number", MICRO_USD: "an amount in USD with at most 6 decimals"}.get(unit, "a number of seconds")
    raise BearAgentError(failure(code, f"{name} must be {kind}, at least 0."))


def _wrong(what: str) -> BearAgentError:
    return BearAgentError(failure(ErrorCode.PROFILE_INVALID, f"The profile {what.rstrip('.')}."))
