"""The Python facade on a real database and real files, with a scripted model."""

import asyncio
from pathlib import Path

import pytest

import bearagent
from bearagent import BearAgentError, ModelProfile, RunLimits, open_runtime
from bearagent_domain.errors import ErrorCode
from bearagent_domain.runs import RunStatus
from bearagent_domain.tools import Effect
from bearagent_testkit import FakeTool, ScriptedCall, ScriptedModel, ScriptedTurn

WRITE = ScriptedCall("workspace.write", {"path": "outputs/a.md", "content": "# A\n"})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "data" / "runs.db"


def test_an_objective_runs_with_ones_own_tool(workspace: Path, database: Path) -> None:
    own = FakeTool("desk.echo")
    script = ScriptedModel(
        [ScriptedTurn(calls=(ScriptedCall("desk.echo", {"text": "hello"}), WRITE)), ScriptedTurn(text="Done.")]
    )

    async def main() -> None:
        async with open_runtime(database, workspace=workspace, models={"scripted": script}, tools=(own,)) as runtime:
            run = await runtime.start("Say hello, and write a file.")
            result = await run.result()
            assert result.status is run.status is RunStatus.SUCCEEDED
            assert run.verify(f"{result.last_sequence}:{result.head_hash}").ok
            assert [artifact.path for artifact in result.artifacts] == ["outputs/a.md"]
            assert runtime.events(run.run_id, after=1, limit=1).events[0].type == "run.started"
            assert [line.run.run_id for line in runtime.runs().runs] == [run.run_id]

    asyncio.run(main())
    assert own.executed[0].arguments == {"text": "hello"}
    assert (workspace / "outputs/a.md").read_text() == "# A\n"


def test_a_run_is_given_as_soon_as_it_is_recorded(workspace: Path, database: Path) -> None:
    async def main() -> None:
        models = {"scripted": ScriptedModel([ScriptedTurn(hangs=True)])}
        async with open_runtime(database, workspace=workspace, models=models) as runtime:
            run = await runtime.start("Wait.")
            assert run.status is RunStatus.RUNNING

    asyncio.run(main())


def test_leaving_the_context_interrupts_what_runs(workspace: Path, database: Path) -> None:
    async def main() -> None:
        models = {"scripted": ScriptedModel([ScriptedTurn(hangs=True)])}
        async with open_runtime(database, workspace=workspace, models=models) as runtime:
            await runtime.start("Wait.")
        async with open_runtime(database, workspace=workspace, models=models) as runtime:
            result = await runtime.open("latest").result()
            assert (result.status, result.reason) == (RunStatus.SUSPENDED, "interrupted")

    asyncio.run(main())


def test_two_runs_go_on_at_once(workspace: Path, database: Path) -> None:
    async def main() -> list[str | None]:
        models = {name: ScriptedModel([ScriptedTurn(text=name)]) for name in ("one", "two")}
        async with open_runtime(database, workspace=workspace, models=models) as runtime:
            runs = [await runtime.start("x", model=ModelProfile(provider=name, model="m")) for name in models]
            return [(await run.result()).final_text for run in runs]

    assert asyncio.run(main()) == ["one", "two"]


def test_a_model_failure_is_in_the_result(workspace: Path, database: Path) -> None:
    async def main() -> None:
        async with open_runtime(database, workspace=workspace, models={"scripted": ScriptedModel([])}) as runtime:
            result = await (await runtime.start("x")).result()
            assert result.status is RunStatus.FAILED
            assert result.error is not None and result.error.code is ErrorCode.PROVIDER_ERROR

    asyncio.run(main())


def test_a_tool_of_a_dangerous_effect_is_refused_by_the_default_policy(workspace: Path, database: Path) -> None:
    own = FakeTool("desk.post", effect=Effect.EXTERNAL_WRITE)
    script = ScriptedModel(
        [ScriptedTurn(calls=(ScriptedCall("desk.post", {"text": "x"}),)), ScriptedTurn(text="It may not be.")]
    )

    async def main() -> None:
        async with open_runtime(database, workspace=workspace, models={"scripted": script}, tools=(own,)) as runtime:
            result = await (await runtime.start("x")).result()
            assert result.status is RunStatus.SUCCEEDED

    asyncio.run(main())
    assert own.executed == []


@pytest.mark.parametrize(
    ("objective", "model", "limits", "code"),
    [
        (" ", None, None, ErrorCode.OBJECTIVE_INVALID),
        ("x", ModelProfile(provider="nobody", model="m"), None, ErrorCode.PROVIDER_NOT_CONFIGURED),
        ("x", None, RunLimits(cost_micro_usd=1), ErrorCode.COST_UNPRICED),
        ("x", None, RunLimits(model_calls=5_001), ErrorCode.LIMIT_INVALID),
    ],
)
def test_a_refused_run_is_not_stored(
    objective: str,
    model: ModelProfile | None,
    limits: RunLimits | None,
    code: ErrorCode,
    workspace: Path,
    database: Path,
) -> None:
    async def main() -> None:
        async with open_runtime(database, workspace=workspace, models={"scripted": ScriptedModel([])}) as runtime:
            with pytest.raises(BearAgentError) as caught:
                await runtime.start(objective, model=model, limits=limits)
            assert caught.value.info.code is code
            assert runtime.runs().runs == ()

    asyncio.run(main())


def refused_code(database: Path, workspace: Path, application: object = None) -> ErrorCode:
    async def main() -> None:
        async with open_runtime(database, application, workspace=workspace):  # type: ignore[arg-type]
            pass

    with pytest.raises(BearAgentError) as caught:
        asyncio.run(main())
    return caught.value.info.code


def test_applications_are_refused_until_they_exist(workspace: Path, database: Path) -> None:
    assert refused_code(database, workspace, object()) is ErrorCode.APPLICATION_NOT_FOUND


def test_a_database_inside_the_workspace_is_refused_and_not_made(workspace: Path) -> None:
    assert refused_code(workspace / "sub" / "runs.db", workspace) is ErrorCode.DATA_INSIDE_WORKSPACE
    assert list(workspace.iterdir()) == []


def test_a_workspace_that_is_not_there_is_refused_and_no_database_made(tmp_path: Path, database: Path) -> None:
    assert refused_code(database, tmp_path / "nowhere") is ErrorCode.WORKSPACE_INVALID
    assert not database.parent.exists()


def test_the_facade_gives_its_public_names_and_no_other() -> None:
    assert all(hasattr(bearagent, name) for name in bearagent.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Journal'"):
        _ = bearagent.Journal


@pytest.mark.parametrize("api", ["openai-responses", "x" * 41, "", 5])
def test_a_provider_whose_api_is_no_name_starts_no_run(workspace: Path, database: Path, api: object) -> None:
    class OddModel(ScriptedModel):
        @property
        def api(self) -> str:
            return api  # type: ignore[return-value]

    async def main() -> None:
        async with open_runtime(database, workspace=workspace, models={"odd": OddModel([])}) as runtime:
            with pytest.raises(BearAgentError) as refused:
                await runtime.start("x")
            assert refused.value.info.code is ErrorCode.SETTINGS_INVALID
            assert runtime.runs().runs == ()

    asyncio.run(main())


def test_a_workspace_without_a_name_is_not_the_current_folder(database: Path) -> None:
    async def main() -> None:
        with pytest.raises(BearAgentError) as refused:
            async with open_runtime(database, workspace=""):
                pass
        assert refused.value.info.code is ErrorCode.WORKSPACE_INVALID

    asyncio.run(main())


def test_a_start_that_is_cancelled_leaves_no_run_behind_that_goes_on(workspace: Path, database: Path) -> None:
    models = {"scripted": ScriptedModel([ScriptedTurn(hangs=True)])}

    async def main() -> None:
        async with open_runtime(database, workspace=workspace, models=models) as runtime:
            starting = asyncio.create_task(runtime.start("Wait."))
            await asyncio.sleep(0)  # it waits for the first commit
            starting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await starting
            lines = runtime.runs().runs
            assert [(line.run.status, line.driven) for line in lines] in ([], [(RunStatus.SUSPENDED, None)])
            assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())
