"""One hostile script, played to rest in a folder of its own, and what holds after every such play."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from bearagent_domain.budgets import LIMIT_NAMES, RunLimits
from bearagent_domain.ids import RunId
from bearagent_domain.records import Head
from bearagent_domain.runs import RunState
from bearagent_ports import EventStore, Reconciler, Tool
from bearagent_reducer import NEW_RUN, RowProjection, evolved_record
from bearagent_runtime import FixedToolPolicy
from bearagent_testkit import CountingIds, ScriptedModel, ScriptedTurn
from bearagent_workspace_tools import workspace_tools
from tests.driving import Scene

GUARD_SECONDS = 120
FILES = {
    "workspace/docs/a.md": "first\n",
    "workspace/docs/b.md": "second\n",
    "workspace/README.md": "readme\n",
    "neighbour/secret": "the secret\n",
}


class Play:
    """The four workspace tools over a small folder, beside a neighbour that nobody may reach."""

    def __init__(
        self,
        script: Sequence[ScriptedTurn],
        place: Path,
        store: EventStore,
        *,
        granted: Sequence[str],
        limits: RunLimits | None = None,
        more_files: Mapping[str, str] = {},
        more_tools: Sequence[tuple[Tool, Reconciler | None]] = (),
    ) -> None:
        self.place = place
        self.root = place / "workspace"
        for name, text in {**FILES, **more_files}.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        self.before = self.everything_but_outputs()
        ids = CountingIds()
        self.scene = Scene(
            tools=[*workspace_tools(self.root, ids.new_id), *more_tools],
            policy=FixedToolPolicy(granted),
            store=store,
            ids=ids,
        )
        self.model = ScriptedModel(script)
        self.run_id = asyncio.run(self._driven(limits))
        self.run = self.scene.inspect(self.run_id)
        self.records = self.scene.records(self.run_id)
        self.calls = [activity for activity in self.run.activities if activity.kind == "tool"]

    async def _driven(self, limits: RunLimits | None) -> RunId:
        async with asyncio.timeout(GUARD_SECONDS):  # a run that does not end by itself fails its test
            return await self.scene.start(self.model, limits=limits)

    @property
    def body_bytes(self) -> int:
        """How large the record is, without the two events that stand before any answer."""
        return sum(len(record.body) for record in self.records[2:])

    def everything_but_outputs(self) -> dict[str, str]:
        """All that lies in the place, with the hash of each file; without what is below `outputs/`."""
        return {name: digest for name, digest in _tree(self.place).items() if not name.startswith("workspace/outputs")}

    def files_below_outputs(self) -> dict[str, str]:
        tree = _tree(self.root)
        return {name: tree[name] for name in tree if name.startswith("outputs/") and tree[name] != "folder"}

    def states(self) -> list[RunState]:
        """The state after each record, folded anew from the store."""
        state, states = NEW_RUN, []
        for record in self.scene.records(self.run_id):
            state = evolved_record(state, record)
            states.append(state)
        return states

    def events_of(self, activity_id: str) -> list[str]:
        return [record.event.TYPE for record in self.records if record.activity_id == activity_id]


def require_invariants(play: Play) -> None:
    """What no model can change, whatever it answers."""
    require_sound_record(play)
    require_clean_words(play)
    require_honest_usage(play)
    assert play.everything_but_outputs() == play.before


def require_sound_record(play: Play) -> None:
    """The chain holds, the log folds to one state however often, and the stored rows are those of a fresh fold."""
    head, rows = Head(), RowProjection()
    states = play.states()
    for record, state in zip(play.records, states, strict=True):
        head = head.after(record)
        rows.add(record, state)
    assert head == play.scene.store.kept_head(play.run_id)
    assert play.states()[-1].state_hash == states[-1].state_hash
    assert rows.take() == play.scene.store.rows(play.run_id)


def require_clean_words(play: Play) -> None:
    """No host path, no traceback, no secret of the neighbour, and controls only as JSON escapes."""
    for record in play.records:
        assert str(play.place).encode() not in record.body
        assert b"Traceback" not in record.body and b"the secret" not in record.body
        assert min(record.body) >= 0x20


def require_honest_usage(play: Play) -> None:
    states = play.states()
    for before, after in zip(states, states[1:], strict=False):
        for name in LIMIT_NAMES:
            assert 0 <= getattr(before.used, name) <= getattr(after.used, name)
    assert play.run.usage.model_calls == len(play.model.requests)
    assert play.run.usage.tool_calls == len(play.calls)


def _tree(top: Path) -> dict[str, str]:
    return {
        path.relative_to(top).as_posix(): "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in top.rglob("*")
    }
