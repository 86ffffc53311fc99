"""The border between a workspace and what no model may read."""

import os
import sys
from pathlib import Path

import pytest

from bearagent.bootstrap import lies_inside, place_of
from bearagent_domain.errors import BearAgentError, ErrorCode


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "desk"
    (folder / "sub").mkdir(parents=True)
    return folder


@pytest.mark.parametrize("place", ["desk", "desk/x.db", "desk/sub/x.db", "desk/new/x.db", "other/../desk/x.db"])
def test_a_place_inside_is_seen_whether_it_exists_or_not(place: str, workspace: Path) -> None:
    assert lies_inside(workspace.parent / place, workspace)


@pytest.mark.parametrize("place", ["x.db", "desktop/x.db", "desk.db", "desk/../x.db"])
def test_a_place_beside_is_outside(place: str, workspace: Path) -> None:
    assert not lies_inside(workspace.parent / place, workspace)


def test_a_link_that_leads_inside_is_seen(workspace: Path) -> None:
    (workspace.parent / "link").symlink_to(workspace / "sub")
    (workspace.parent / "x.db").symlink_to(workspace / "real.db")
    assert lies_inside(workspace.parent / "link/x.db", workspace)
    assert lies_inside(workspace.parent / "x.db", workspace)


def test_a_link_that_lies_inside_is_seen_though_it_leads_out(workspace: Path) -> None:
    (workspace / "x.db").symlink_to(workspace.parent / "real.db")
    assert lies_inside(workspace / "x.db", workspace)


def test_a_workspace_named_by_a_link_is_the_folder_that_it_names(workspace: Path) -> None:
    (workspace.parent / "link").symlink_to(workspace)
    assert lies_inside(workspace / "x.db", workspace.parent / "link")


@pytest.mark.skipif(sys.platform == "darwin", reason="names are always UTF-8 on macOS")
def test_a_workspace_whose_path_is_not_utf8_is_refused(workspace: Path) -> None:
    odd = workspace / os.fsdecode(b"\xff")
    odd.mkdir()
    (workspace.parent / "link").symlink_to(odd)
    for place in (odd, workspace.parent / "link", workspace / "gone"):
        with pytest.raises(BearAgentError) as refused:
            place_of(place)
        assert refused.value.info.code is ErrorCode.WORKSPACE_INVALID
