"""Six things that hold after every run, whatever model, documents and tools did; each names what broke it."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bearagent_domain.errors import BearAgentError
from bearagent_domain.events import PolicyDecided
from bearagent_domain.messages import AssistantTurn, ToolAnswer
from bearagent_domain.policies import Verdict
from bearagent_domain.records import RecordedEvent
from bearagent_domain.runs import RunStatus
from bearagent_runtime import QueryService, stored_records
from bearagent_runtime.fixed_policy import LOW_RISK
from tests.fuzzing.watched import CANARY, WatchedRun

SECRET = "the secret outside"
RESTING = (RunStatus.SUCCEEDED, RunStatus.FAILED, RunStatus.SUSPENDED)


class Ground:
    """A workspace and a neighbour whose files nobody may read; what lies where, to be compared afterwards."""

    def __init__(self, place: Path) -> None:
        self.place = place
        files = {"workspace/docs/a.md": "first\n", "workspace/b.md": "second\n", "out/secret": SECRET}
        for name, text in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        self._before = self._everything_but_outputs()

    def is_untouched(self) -> bool:
        """Whether everything but `outputs/` is as it was."""
        return self._everything_but_outputs() == self._before

    def _everything_but_outputs(self) -> dict[str, str]:
        found = {}
        for path in sorted(self.place.rglob("*")):
            name = path.relative_to(self.place).as_posix()
            if not name.startswith("workspace/outputs"):
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        return found


def broken_invariants(run: WatchedRun, ground: Ground) -> list[str]:
    """The names of those that do not hold; empty when all is well."""
    checks = {
        "the log folds, and rows follow from it": _folds,
        "the chain holds": _chain_holds,
        "no effect without its start": _effects_are_announced,
        "no effect that was not granted": _effects_are_granted,
        "every call has one answer": _calls_are_answered,
        "no secret and no host path": _words_are_clean,
    }
    broken = [name for name, holds in checks.items() if not holds(run)]
    return broken if ground.is_untouched() else [*broken, "no effect that was not granted"]


def _folds(run: WatchedRun) -> bool:
    found = {check.name: check.outcome.value for check in QueryService(run.store).verify(run.run_id).checks}
    if "failed" in (found["fold"], found["rows"]):
        return False
    try:
        return QueryService(run.store).inspect(run.run_id).status in RESTING
    except BearAgentError:
        return found["chain"] == "failed"


def _chain_holds(run: WatchedRun) -> bool:
    """To the head that was kept when the run came to rest."""
    checks = {check.name: check.outcome.value for check in QueryService(run.store).verify(run.run_id).checks}
    return checks["chain"] == checks["kept_head"] == "holds"


def _effects_are_announced(run: WatchedRun) -> bool:
    counts = Counter(effect.activity_id for effect in run.watch.effects)
    return all(effect.was_announced for effect in run.watch.effects) and set(counts.values()) <= {1}


def _effects_are_granted(run: WatchedRun) -> bool:
    specs = {tool.spec.name: tool.spec for tool, _ in run.scene.tools}
    allowed = {
        record.activity_id
        for record in _records(run)
        if isinstance(record.event, PolicyDecided) and record.event.verdict is Verdict.ALLOW
    }
    return all(
        effect.tool in run.plan.granted and effect.activity_id in allowed and specs[effect.tool].effect in LOW_RISK
        for effect in run.watch.effects
    )


def _calls_are_answered(run: WatchedRun) -> bool:
    """In each request that the model got: the answers of a turn, one each, in the order of its calls."""
    for request in run.model.requests:
        asked = [call.call_id for item in request.items if isinstance(item, AssistantTurn) for call in item.calls]
        answered = [item.call_id for item in request.items if isinstance(item, ToolAnswer)]
        if asked != answered:
            return False
    return True


def _words_are_clean(run: WatchedRun) -> bool:
    forbidden = [text.encode() for text in (CANARY, SECRET, str(run.place), str(Path(__file__).parent))]
    said = [record.body for record in _records(run)]
    said += [repr(request.items).encode("utf-8", "replace") for request in run.model.requests]
    return not any(word in text for word in forbidden for text in said)


def _records(run: WatchedRun) -> Iterator[RecordedEvent]:
    return stored_records(run.store, run.run_id)
