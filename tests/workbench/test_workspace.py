"""Workspaces, without a browser: everything belongs to the rows shown, and every link to the result shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from discreet.workbench.input_file import Reading
from discreet.workbench.jobs import patterns as pattern_jobs
from discreet.workbench.jobs import rows as row_jobs
from discreet.workbench.workspace import Workspaces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from discreet.workbench.workspace import Workspace

PATIENCE = 120
"""Seconds; a machine that does much else is slow."""


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspaces]:
    made = Workspaces(tmp_path_factory.mktemp("workspaces"))
    yield made
    made.pool.close()


def people(workspace: Workspace, name: str = "people.csv") -> None:
    """Drop a table of people with their names."""
    path = workspace.path_for("rows", name)
    lines = [f"person{row},{'ab'[row % 2]},{'mf'[row % 3 > 0]},{'hiv' if row % 4 else 'flu'}\n" for row in range(24)]
    path.write_text("name,town,sex,ill\n" + "".join(lines))
    workspace.arrived("rows", path, name)
    assert ended(workspace) == "done"


def ended(workspace: Workspace) -> str:
    """Wait for the work under way, and return how it ended."""
    end = time.monotonic() + PATIENCE
    while workspace.busy:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert workspace.job is not None
    return workspace.job.state


@pytest.fixture
def workspace(workspaces: Workspaces) -> Workspace:
    """Return a workspace with people whose names were left out."""
    made = workspaces.new()
    people(made)
    made.read(Reading(drop="name"), then_mine=True)
    assert ended(made) == "done"
    return made


@pytest.fixture
def workspace_with_results(workspace: Workspace) -> Workspace:
    """Return a workspace on which something was made on each page."""
    workspace.publishing.move(min_support="50%", k=3)
    workspace.release("additive", "")
    assert ended(workspace) == "done"
    workspace.hiding.pasted = "town=a, ill=hiv"
    workspace.hide(workspace.hiding.lines(workspace.source.rows.layout))
    assert ended(workspace) == "done"
    workspace.protecting.mark(["ill=hiv"])
    workspace.protecting.percent = 90
    workspace.protect()
    assert ended(workspace) == "done"
    return workspace


LINKS = (
    "patterns-bundle.zip",
    "patterns-report.html",
    "hidden-safe-people.csv",
    "hidden-private.txt",
    "hidden-bundle.zip",
    "protected-safe-people.csv",
    "protected-bundle.zip",
)


def given(workspace: Workspace) -> dict[str, bytes | None]:
    """Return what the links of the pages lead to."""
    paths = {name: workspace.made(name) for name in LINKS}
    return {name: None if path is None else path.read_bytes() for name, path in paths.items()}


# A reading


@pytest.mark.parametrize("how", ["failed", "cancelled"])
def test_a_reading_that_comes_to_nothing_changes_nothing(workspace_with_results: Workspace, how: str):
    workspace = workspace_with_results
    source, before = workspace.source, given(workspace)
    shown = source.rows, source.preview, source.reading, workspace.hiding.hidden, workspace.protecting.protected
    assert all(before.values())
    workspace.read(Reading(id_column="nosuch" if how == "failed" else ""), then_mine=True)
    if how == "cancelled":
        workspace.cancel()
    assert ended(workspace) == how
    assert (
        source.rows,
        source.preview,
        source.reading,
        workspace.hiding.hidden,
        workspace.protecting.protected,
    ) == shown
    assert given(workspace) == before
    assert workspace.protecting.labels
    workspace.hide(["town=a, sex=f"])
    assert ended(workspace) == "done"
    assert b"person" not in given(workspace)["hidden-safe-people.csv"]


def test_a_reading_asked_for_while_work_runs_changes_nothing(workspace: Workspace):
    workspace.compare_hiding(["town=a, ill=hiv"])
    workspace.read(Reading(), then_mine=True)
    assert ended(workspace) == "done"
    assert workspace.source.reading == Reading(drop="name")
    workspace.hide(["town=a, ill=hiv"])
    assert ended(workspace) == "done"
    assert b"person" not in workspace.made("hidden-safe-people.csv").read_bytes()


def test_another_reading_takes_the_place_of_all_that_belonged_to_the_last(workspace_with_results: Workspace):
    workspace = workspace_with_results
    workspace.read(Reading(drop="name,sex"), then_mine=True)
    assert ended(workspace) == "done"
    assert workspace.source.reading == Reading(drop="name,sex")
    assert not any(given(workspace).values())
    assert not list(workspace.folder.glob("made-*"))
    assert workspace.protecting.sensitive == ()


def test_a_new_file_is_read_as_if_nothing_had_been_said_and_nothing_of_the_last_stays(
    workspace_with_results: Workspace,
):
    workspace = workspace_with_results
    path = workspace.path_for("rows", "broken.csv")
    path.write_bytes(b"\xff\xfe\x00")
    workspace.arrived("rows", path, "broken.csv")
    assert (
        workspace.source.rows
        is workspace.hiding.hidden
        is workspace.publishing.bundle
        is workspace.protecting.protected
        is None
    )
    assert workspace.source.reading == Reading()
    assert not any(given(workspace).values())


# What was made


def test_links_lead_to_the_result_shown_when_the_next_is_refused(workspace_with_results: Workspace):
    workspace = workspace_with_results
    before = given(workspace)
    assert all(before.values())
    workspace.hide(["town=nosuch"])
    assert ended(workspace) == "failed"
    workspace.publishing.min_support, workspace.publishing.k = 1, 24
    workspace.release("none", "")
    assert ended(workspace) == "failed"
    workspace.protecting.sensitive = ("nosuch",)
    workspace.protect()
    assert ended(workspace) == "failed"
    assert given(workspace) == before


def write_and_sleep(report, folder: Path, *arguments: object) -> None:  # noqa: ARG001 - all such work takes them
    for name in LINKS:
        (folder / name.partition("-")[2]).write_text("other rows")
    (folder / "written").touch()
    time.sleep(3600)


def test_links_lead_to_the_result_shown_when_the_next_is_cancelled(
    workspace_with_results: Workspace, monkeypatch: pytest.MonkeyPatch
):
    workspace = workspace_with_results
    before = given(workspace)
    for module, function in ((pattern_jobs, "make_bundle"), (row_jobs, "hide_rows"), (row_jobs, "protect_rows")):
        monkeypatch.setattr(module, function, write_and_sleep)
    for again in (
        lambda: workspace.hide(["town=b, ill=flu"]),
        lambda: workspace.release("suppressive", ""),
        workspace.protect,
    ):
        again()
        end = time.monotonic() + PATIENCE
        while not list(workspace.folder.glob("*/written")):
            assert time.monotonic() < end
            time.sleep(0.02)
        workspace.cancel()
        assert ended(workspace) == "cancelled"
        assert given(workspace) == before


def test_a_new_result_replaces_the_last_and_its_files(workspace_with_results: Workspace):
    workspace = workspace_with_results
    before = given(workspace)
    workspace.hide(["town=b, ill=flu"])
    assert ended(workspace) == "done"
    assert {name for name, content in given(workspace).items() if content != before[name]} == {
        "hidden-safe-people.csv",
        "hidden-private.txt",
        "hidden-bundle.zip",
    }
    assert len(list(workspace.folder.glob("made-*"))) == 3
