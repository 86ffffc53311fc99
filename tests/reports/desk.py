"""One workspace and the four real tools over it: what a model asks for there, what it reads back, what is recorded."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bearagent_domain.errors import ErrorCode
from bearagent_domain.ids import new_id
from bearagent_domain.messages import ToolAnswer
from bearagent_domain.views import RunInspection
from bearagent_ports import Policy
from bearagent_testkit import ScriptedCall, ScriptedModel, ScriptedTurn
from bearagent_workspace_tools import workspace_tools
from tests.driving import Scene

DONE = ScriptedTurn(text="Done.")


@dataclass(frozen=True)
class Told:
    """What came of one turn of calls: the answers that the model read next, the run, and its whole record as text."""

    answers: tuple[ToolAnswer, ...]
    run: RunInspection
    record: str

    @property
    def answer(self) -> ToolAnswer:
        """The answer to the only call."""
        (answer,) = self.answers
        return answer

    @property
    def codes(self) -> list[ErrorCode | None]:
        """The code with which each call was refused or failed; null for a result."""
        return [None if answer.error is None else answer.error.code for answer in self.answers]

    @property
    def code(self) -> ErrorCode | None:
        """The code of the only call."""
        (code,) = self.codes
        return code


class Desk:
    """A folder `workspace` with an empty `docs`, and a folder `outside` beside it that no call may reach."""

    def __init__(self, home: Path) -> None:
        self.root, self.outside = home / "workspace", home / "outside"
        (self.root / "docs").mkdir(parents=True)
        self.outside.mkdir()

    def put(self, path: str, content: str | bytes) -> Path:
        """Make a file of the workspace, with the folders on its way."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
        return place

    def ask(self, tool: str, **arguments: object) -> Told:
        """A run in which the model makes one call and then ends."""
        return self.ask_all([ScriptedCall(f"workspace.{tool}", arguments)])

    def ask_all(
        self, calls: Sequence[ScriptedCall], *, root: str | os.PathLike[str] | None = None, policy: Policy | None = None
    ) -> Told:
        """A run in which the model makes these calls in one turn and then ends; `root` spells the workspace."""
        scene = Scene(tools=workspace_tools(root or self.root, new_id), policy=policy)
        model = ScriptedModel([ScriptedTurn(calls=tuple(calls)), DONE])
        run_id = asyncio.run(scene.start(model))
        record = b"\n".join(entry.body for entry in scene.records(run_id)).decode()
        answers = tuple(item for item in model.requests[1].items if isinstance(item, ToolAnswer))
        return Told(answers, scene.inspect(run_id), record)
