"""Make the databases of tests/golden_databases/: one for each way in which a run can end, and what they hold.

Run `uv run python tools/make_golden_databases.py`. It makes those that are missing and never one anew: they show that
records of earlier versions verify and fold to the same state for ever. golden.json keeps, for each, the SHA-256 of the
file, the run's id and head, the hash of its state and the run as `inspect` shows it.
"""

import asyncio
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from bearagent_domain.artifacts import Artifact
from bearagent_domain.budgets import RunLimits
from bearagent_domain.errors import ErrorCode, failure
from bearagent_domain.ids import ArtifactId
from bearagent_domain.json_values import sha256_hex
from bearagent_domain.models import CallOpened, FinishReason, ModelProfile
from bearagent_domain.records import RecordedEvent
from bearagent_domain.rows import Binding
from bearagent_domain.runs import RunState
from bearagent_domain.tools import Effect, Intent, PreparedToolRequest, ToolResult
from bearagent_ports import CallContext, Done, Finding, NotDone, OutcomeUnknown, ProviderFailed, Unknown
from bearagent_reducer import folded
from bearagent_runtime import (
    FixedToolPolicy,
    QueryService,
    Registry,
    RunService,
    RuntimeParts,
    StartRun,
    stored_records,
)
from bearagent_sqlite_store import SqliteEventStore
from bearagent_testkit import (
    CountingIds,
    FakeReconciler,
    FakeTool,
    FixedClock,
    MemoryRunLease,
    ScriptedCall,
    ScriptedModel,
    ScriptedTurn,
)
from bearagent_workspace_tools import workspace_tools

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "golden_databases"
CONTENT = "# Bears\n\nBears sleep in winter.\n"
INTENT = Intent(
    path="outputs/report.md",
    size=len(CONTENT),
    sha256=sha256_hex(CONTENT.encode()),
    artifact_id=ArtifactId("0000aaaa-0000-4000-8000-00000000aaaa"),
)
DONE = Done(
    result=ToolResult(
        content="Wrote outputs/report.md.",
        artifact=Artifact(
            artifact_id=ArtifactId("0000aaaa-0000-4000-8000-00000000aaaa"),
            path="outputs/report.md",
            size=len(CONTENT),
            sha256=sha256_hex(CONTENT.encode()),
        ),
    ),
    evidence="The target holds exactly the intended bytes.",
)

LIST = ScriptedCall("workspace.list", {})
READ = ScriptedCall("workspace.read", {"path": "docs/bears.md"})
SEARCH = ScriptedCall("workspace.search", {"query": "winter"})
WRITE = ScriptedCall("workspace.write", {"path": "outputs/report.md", "content": CONTENT})
DOUBT = ScriptedCall("desk.write", {"text": "report.md"})
LOOKS = ScriptedTurn(text="I look.", calls=(LIST, READ))
WRITES = ScriptedTurn(text="I write.", calls=(SEARCH, WRITE))
DOUBTS = ScriptedTurn(calls=(DOUBT,))
ANSWERS = ScriptedTurn(text="The report is written.")
REFUSED = (
    ScriptedCall("workspace.read", "{"),
    ScriptedCall("workspace.upload", {"path": "docs/bears.md"}),
    ScriptedCall("workspace.read", {"path": "../secret"}),
    ScriptedCall("workspace.read", {"path": "docs/missing.md"}),
    ScriptedCall("workspace.write", {"path": "elsewhere/report.md", "content": CONTENT}),
)
UNAVAILABLE = ProviderFailed(failure(ErrorCode.PROVIDER_UNAVAILABLE, "The provider is not there.", retryable=True))
TWICE = (CallOpened(index=0, name="workspace.list", call_id="a"), CallOpened(index=0, name="workspace.list"))


@dataclass(frozen=True)
class Ending:
    """A script, and what ends the run before the script does: `at_commit` is the commit at which `event` strikes."""

    turns: Sequence[ScriptedTurn]
    limits: RunLimits = RunLimits()
    denied: tuple[str, ...] = ()
    finding: Finding = Unknown(evidence="The target could not be read.")
    at_commit: int = 0
    event: Callable[[], None] = lambda: None


def interrupt() -> None:
    """Cancel whoever drives the run, as Ctrl-C does."""
    task = asyncio.current_task()
    assert task is not None
    task.cancel()


def end_process() -> None:
    """Leave at once; nothing more is recorded."""
    sys.exit()


ENDINGS = {
    "succeeded": Ending([LOOKS, WRITES, ANSWERS]),
    "denied_call": Ending([LOOKS, WRITES, ANSWERS], denied=("workspace.search", "workspace.write")),
    "refused_calls": Ending([ScriptedTurn(calls=REFUSED), ANSWERS]),
    "failed_output_cut": Ending([LOOKS, ScriptedTurn(text="The rep", finish=FinishReason.LENGTH)]),
    "failed_provider_protocol": Ending([LOOKS, ScriptedTurn(events=TWICE)]),
    "failed_too_many_calls": Ending([ScriptedTurn(calls=(LIST,) * 65)]),
    "suspended_budget": Ending([LOOKS, WRITES, ANSWERS], limits=RunLimits(tool_calls=3)),
    "suspended_interrupted": Ending([LOOKS, ScriptedTurn(hangs=True)], at_commit=5, event=interrupt),
    "suspended_provider_unavailable": Ending([LOOKS, ScriptedTurn(error=UNAVAILABLE)]),
    "suspended_outcome_unknown": Ending([LOOKS, DOUBTS, ANSWERS]),
    "reconciled_done": Ending([LOOKS, DOUBTS, ANSWERS], finding=DONE),
    "reconciled_not_done": Ending([LOOKS, DOUBTS, ANSWERS], finding=NotDone(evidence="The target is as before.")),
    "killed_before_all": Ending([ANSWERS], at_commit=1, event=end_process),
    "killed_model_started": Ending([LOOKS, ANSWERS], at_commit=5, event=end_process),
    "killed_write_started": Ending([LOOKS, WRITES, ANSWERS], at_commit=7, event=end_process),
}


def main() -> None:
    table = FOLDER / "golden.json"
    golden = json.loads(table.read_text("utf-8")) if table.exists() else {}
    for name, ending in ENDINGS.items():
        if name in golden:
            continue
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder, "record.db")
            play(ending, record, Path(folder))
            shutil.copyfile(record, FOLDER / f"{name}.db")  # without the locks and heads beside it
            golden[name] = told(record)
        print(f"{name}: {golden[name]['inspection']['status']}, head {golden[name]['head']}")
    table.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n", "utf-8")


def play(ending: Ending, record: Path, folder: Path) -> None:
    """Play one run into `record`, which is whole and alone once its store is closed."""
    docs = folder / "workspace" / "docs"
    docs.mkdir(parents=True)
    (docs / "bears.md").write_text(CONTENT)
    start = StartRun(
        objective="Read the documents under docs/ and write a report.",
        model=ModelProfile(provider="scripted", model="script"),
        binding=Binding(workspace="/workspace", workspace_identity="1:2", provider="scripted", api="scripted"),
        limits=ending.limits,
    )
    with closing(SqliteEventStore.open(record)) as store, suppress(asyncio.CancelledError, SystemExit):
        asyncio.run(RunService(parts_of(ending, store, docs.parent)).start(start))


def parts_of(ending: Ending, store: SqliteEventStore, workspace: Path) -> RuntimeParts:
    """The runtime with real tools, and one whose every call ends in doubt."""
    ids = CountingIds()
    doubtful = FakeTool("desk.write", effect=Effect.WORKSPACE_WRITE, behaviour=in_doubt, intent=INTENT)
    registry = Registry([*workspace_tools(workspace, ids.new_id), (doubtful, FakeReconciler(ending.finding))])
    return RuntimeParts(
        store=store,
        lease=MemoryRunLease(),
        clock=FixedClock(),
        ids=ids,
        registry=registry,
        policy=FixedToolPolicy(spec.name for spec in registry.specs if spec.name not in ending.denied),
        provider=ScriptedModel(ending.turns),
        listeners=(StrikesAtCommit(ending),),
    )


async def in_doubt(prepared: PreparedToolRequest, call: CallContext) -> ToolResult:
    raise OutcomeUnknown(failure(ErrorCode.IO_ERROR, "The file system reported an error."))


class StrikesAtCommit:
    """Has the event of an ending happen right behind its commit."""

    def __init__(self, ending: Ending) -> None:
        self._ending = ending
        self._commits = 0

    def committed(self, events: Sequence[RecordedEvent], state: RunState) -> None:
        """Count, and strike."""
        self._commits += 1
        if self._commits == self._ending.at_commit:
            self._ending.event()


def told(record: Path) -> dict[str, Any]:
    """What is kept about a database: its bytes, head, state and view."""
    with closing(SqliteEventStore.open_existing(record)) as store:
        (run_id,) = store.matching("")
        state = folded(stored_records(store, run_id))
        view = QueryService(store).inspect(run_id)
    return {
        "sha256": hashlib.sha256(record.read_bytes()).hexdigest(),
        "run_id": run_id,
        "head": f"{view.last_sequence}:{view.head_hash}",
        "state_hash": state.state_hash,
        "inspection": msgspec.to_builtins(view),
    }


if __name__ == "__main__":
    main()
