"""Workspaces, without a browser: everything belongs to the rows shown, and every link to the result shown."""

from __future__ import annotations

import shutil
import time
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from discreet import read_policy
from discreet.transactions.options import ReadOptions
from discreet.workbench.jobs.process import Job
from discreet.workbench.tasks import hide as hide_task
from discreet.workbench.tasks import protect as protect_task
from discreet.workbench.tasks import publish as publish_task
from discreet.workbench.workspace import Workspaces
from tests.patience import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from discreet.transactions.transactions import Transactions
    from discreet.workbench.workspace import Workspace

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
    wait_until(lambda: not workspace.busy)
    assert workspace.job is not None
    return workspace.job.state


@pytest.fixture
def workspace(workspaces: Workspaces) -> Workspace:
    """Return a workspace with people whose names were left out."""
    made = workspaces.new()
    people(made)
    made.read(ReadOptions(drop="name"), then_mine=True)
    assert ended(made) == "done"
    return made


POLICY = """
version = 1
[data]
drop = ["town"]
map = { ill = { "flu" = "cold" } }
[roles]
identifying = ["name"]
quasi_identifying = ["sex"]
[protect]
k = 3
[patterns]
min_support = 0.25
method = "none"
[publish]
title = "People"
output = "public"
"""


def drop_policy(workspace: Workspace, text: str) -> None:
    path = workspace.path_for("rows", "discreet.toml")
    path.write_text(text)
    workspace.arrived("rows", path, "discreet.toml")


@pytest.mark.parametrize("first", ["policy", "rows"])
def test_a_policy_says_how_rows_are_read_and_what_is_published(workspaces: Workspaces, first: str) -> None:
    made = workspaces.new()
    if first == "policy":
        drop_policy(made, POLICY)
        people(made)
    else:
        people(made)
        drop_policy(made, POLICY)
        assert ended(made) == "done"
    assert made.file.reading.typed() == {"drop": "town", "identifying": "name", "map": ["ill:flu=cold"]}
    assert made.file.preview is not None
    assert set(made.file.preview.labels) == {"sex=f", "sex=m", "ill=hiv", "ill=cold"}
    task = made.publish
    assert (task.lowest, task.quasi_identifiers, task.k, task.method, task.title) == ("25%", "sex", 3, "none", "People")
    assert task.look is not None
    assert (task.look.min_support, task.look.quasi_identifiers) == (6, "sex")


def test_a_policy_with_sensitive_items_is_followed_and_saved(workspaces: Workspaces) -> None:
    made = workspaces.new()
    asked = POLICY.replace('["sex"]', '["sex"]\nsensitive = ["ill=hiv"]').replace("k = 3", "k = 3\nrho = 0.9")
    drop_policy(made, asked.replace('"none"', '"suppressive"'))
    people(made)
    assert (made.publish.sensitive, made.publish.rho) == ("ill=hiv", "90%")
    made.publish.release()
    assert ended(made) == "done", made.failure
    assert made.publish.bundle is not None
    assert "no conclusion of 90 % or more" in made.publish.bundle.value.sentence
    saved = read_policy(made.made("patterns-discreet.toml"))
    assert (saved.sensitive, saved.rho) == (("ill=hiv",), Fraction(9, 10))
    for sensitive, rho, about in (("ill=hiv", "", "rho"), ("", "0.5", "sensitive"), ("ill=hiv", "much", "rho")):
        made.publish.sensitive, made.publish.rho = sensitive, rho
        made.publish.release()
        ended(made)
        assert made.failure is not None
        assert made.failure.field == about
        made.failure = None


def test_what_is_published_can_be_saved_as_a_policy(workspaces: Workspaces) -> None:
    made = workspaces.new()
    drop_policy(made, POLICY)
    people(made)
    made.publish.release()
    assert ended(made) == "done", made.failure
    saved = made.made("patterns-discreet.toml")
    assert saved is not None
    policy = read_policy(saved)
    assert policy.file == str(saved.parent / "people.csv")
    assert policy.expect_columns == ("name", "town", "sex", "ill")
    assert (policy.k, policy.min_support.value, policy.method, policy.title) == (3, 6, "none", "People")
    assert policy.quasi_identifying == ("sex",)
    assert policy.options.typed() == made.file.reading.typed()


def test_a_policy_saved_for_lists_of_labels_can_be_read(workspaces: Workspaces) -> None:
    made = workspaces.new()
    path = made.path_for("rows", "lists.jsonl")
    path.write_text('["a", "b"]\n' * 12 + '["a"]\n' * 12)
    made.arrived("rows", path, "lists.jsonl")
    assert ended(made) == "done"
    made.publish.release()
    assert ended(made) == "done", made.failure
    saved = made.made("patterns-discreet.toml")
    assert saved is not None
    assert read_policy(saved).expect_columns == ()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("k = 3", "kk = 3", "discreet.toml, line 10: [protect] has no key 'kk'"),
    ],
)
def test_a_policy_that_cannot_be_followed_changes_nothing(
    workspace: Workspace, old: str, new: str, sentence: str
) -> None:
    before = workspace.file.reading, workspace.publish.k, workspace.publish.look
    drop_policy(workspace, POLICY.replace(old, new))
    assert workspace.failure is not None
    assert sentence in str(workspace.failure)
    assert workspace.policy is None
    assert (workspace.file.reading, workspace.publish.k, workspace.publish.look) == before


@pytest.fixture
def workspace_with_results(workspace: Workspace) -> Workspace:
    """Return a workspace on which something was made on each page."""
    workspace.publish.move(min_support="50%", k=3)
    workspace.publish.release()
    assert ended(workspace) == "done"
    hide(workspace, "town=a, ill=hiv")
    assert ended(workspace) == "done"
    workspace.protect.percent = 90
    workspace.protect.mark(["ill=hiv"])
    wait_until(lambda: not workspace.protect.growing)
    workspace.protect.protect()
    assert ended(workspace) == "done"
    return workspace


def hide(workspace: Workspace, line: str) -> None:
    """Begin to hide what a line says."""
    workspace.hide.pasted = line
    workspace.hide.hide()


LINKS = (
    "patterns-bundle.zip",
    "patterns-report.html",
    "hidden-hidden-people.csv",
    "hidden-private.txt",
    "hidden-bundle.zip",
    "protected-protected-people.csv",
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
    file, before = workspace.file, given(workspace)
    shown = file.rows, file.preview, file.reading, workspace.hide.hidden, workspace.protect.protected
    assert all(before.values())
    workspace.read(ReadOptions(id_column="nosuch" if how == "failed" else None), then_mine=True)
    if how == "cancelled":
        workspace.cancel()
    assert ended(workspace) == how
    assert (file.rows, file.preview, file.reading, workspace.hide.hidden, workspace.protect.protected) == shown
    assert given(workspace) == before
    assert workspace.protect.labels
    hide(workspace, "town=a, sex=f")
    assert ended(workspace) == "done"
    assert b"person" not in given(workspace)["hidden-hidden-people.csv"]


def test_a_reading_asked_for_while_work_runs_changes_nothing(workspace: Workspace):
    workspace.hide.pasted = "town=a, ill=hiv"
    workspace.hide.compare()
    workspace.read(ReadOptions(), then_mine=True)
    assert ended(workspace) == "done"
    assert workspace.file.reading == ReadOptions(drop="name")
    workspace.hide.hide()
    assert ended(workspace) == "done"
    assert b"person" not in workspace.made("hidden-hidden-people.csv").read_bytes()


def test_another_reading_takes_the_place_of_all_that_belonged_to_the_last(workspace_with_results: Workspace):
    workspace = workspace_with_results
    workspace.read(ReadOptions(drop="name,sex"), then_mine=True)
    assert ended(workspace) == "done"
    assert workspace.file.reading == ReadOptions(drop="name,sex")
    assert not any(given(workspace).values())
    assert not list(workspace.folder.glob("made-*"))
    assert workspace.protect.sensitive == ()


def test_a_new_file_is_read_as_if_nothing_had_been_said_and_nothing_of_the_last_stays(
    workspace_with_results: Workspace,
):
    workspace = workspace_with_results
    path = workspace.path_for("rows", "broken.csv")
    path.write_bytes(b"\xff\xfe\x00")
    workspace.arrived("rows", path, "broken.csv")
    shown = (workspace.file.rows, workspace.hide.hidden, workspace.publish.bundle, workspace.protect.protected)
    assert shown == (None, None, None, None)
    assert workspace.file.reading == ReadOptions()
    assert not any(given(workspace).values())


def test_rows_stay_with_the_process_that_read_them_and_a_killed_one_leaves_them_to_the_next(workspace: Workspace):
    task, rows = workspace.publish, workspace.file.rows
    assert ended_background(workspace, task.attack) == "done"
    verdict = task.look.verdict
    wait_until(rows.snapshot.exists)  # written after the answer
    workspace.start(Job("Sleeping", sleep, rows, then=lambda _: None))
    workspace.cancel()
    rows.path.write_text("no rows at all")  # nobody reads them again
    task.look_again()
    assert ended_background(workspace, task.attack) == "done"
    assert task.look.verdict == verdict


def sleep(report, rows: Transactions) -> None:  # noqa: ARG001 - all jobs take them
    time.sleep(3600)


def ended_background(workspace: Workspace, start: Callable[[], None]) -> str:
    """Start a job in the background, wait for it, and return how it ended."""
    start()
    job = workspace.shown
    wait_until(lambda: not job.running)
    return job.state


def test_another_reading_removes_the_snapshot_of_the_last(workspace: Workspace):
    workspace.publish.mine("50%", "")  # after another job there is one
    assert ended(workspace) == "done"
    assert len(snapshots(workspace)) <= 1
    workspace.read(ReadOptions(drop="name,sex"), then_mine=True)
    assert ended(workspace) == "done"
    wait_until(lambda: snapshots(workspace) <= {workspace.file.rows.snapshot})  # one may still be written


def snapshots(workspace: Workspace) -> set[Path]:
    return set(workspace.folder.glob("snapshot-*"))


# What was made


def test_links_lead_to_the_result_shown_when_the_next_is_refused(workspace_with_results: Workspace):
    workspace = workspace_with_results
    before = given(workspace)
    assert all(before.values())
    hide(workspace, "town=nosuch")
    assert ended(workspace) == "failed"
    workspace.publish.min_support, workspace.publish.k, workspace.publish.method = 1, 24, "none"
    workspace.publish.release()
    assert ended(workspace) == "failed"
    workspace.protect.mark(("nosuch",))
    workspace.protect.protect()
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
    for module, function in (
        (publish_task, "make_bundle"),
        (hide_task, "hide_rows"),
        (protect_task, "protect_rows"),
    ):
        monkeypatch.setattr(module, function, write_and_sleep)
    for again in (
        lambda: hide(workspace, "town=b, ill=flu"),
        workspace.publish.release,
        workspace.protect.protect,
    ):
        again()
        wait_until(lambda: list(workspace.folder.glob("*/written")))
        workspace.cancel()
        assert ended(workspace) == "cancelled"
        assert given(workspace) == before


def test_a_new_result_replaces_the_last_and_its_files(workspace_with_results: Workspace):
    workspace = workspace_with_results
    before = given(workspace)
    hide(workspace, "town=b, ill=flu")
    assert ended(workspace) == "done"
    assert {name for name, content in given(workspace).items() if content != before[name]} == {
        "hidden-hidden-people.csv",
        "hidden-private.txt",
        "hidden-bundle.zip",
    }
    assert len(list(workspace.folder.glob("made-*"))) == 3


def test_a_policy_with_exclusive_items_is_followed_and_departures_are_told(workspaces: Workspaces):
    workspace = workspaces.new()
    rows = workspace.path_for("rows", "rows.dat")
    shutil.copy("tests/data/running-example.dat", rows)
    workspace.arrived("rows", rows, "rows.dat")
    assert ended(workspace) == "done"
    drop_policy(
        workspace,
        'version = 1\n[data]\nfile = "rows.dat"\n[roles]\nsensitive = ["h"]\n'
        '[protect]\nk = 3\nrho = "90%"\nexclusive = ["g", "h"]\n[patterns]\nmin_support = 8\nmethod = "additive"\n'
        '[publish]\noutput = "public"\n',
    )
    assert ended(workspace) == "done"
    task = workspace.publish
    assert workspace.failure is None, workspace.failure
    assert task.point.exclusive == ("g,h",)
    assert task.house.departures(task.point) == ()
    task.conceal(sensitive="h", rho="95%", exclusive="")
    task.k = 5
    task.look_again()
    told = [
        "k = 5, above the house rule of 3",
        "Rho: 95%, where the house rule has 90%",
        "Exclusive items: none, where the house rule has g,h",
    ]
    assert list(task.look.departures) == told
    assert all(words in task.look.sentence for words in told)
    task.release()
    assert ended(workspace) == "done"
    assert workspace.failure is None, workspace.failure
    report = task.bundle.value.owner_report.read_text()
    assert all(f"Chosen: {words} (discreet.toml)" in report for words in told)
    assert "counts rows: whether each row is another person was not answered" in report
    assert "What may leave is the file <strong>bundle.zip</strong>" in report  # the name of what is downloaded
    assert str(workspace.folder) not in report
    assert "temporary" not in report


def test_what_is_asked_for_while_work_runs_is_done_next_unless_that_is_cancelled(workspaces: Workspaces):
    workspace, done = workspaces.new(), []
    people(workspace)
    for cancelled in (False, True):
        workspace.start(Job("Waiting", _wait, then=lambda _: None))
        workspace.when_idle("Go on", lambda: done.append("went on"))
        assert workspace.next_words == " · next: Go on"
        workspace.go_on()
        assert done == []
        if cancelled:
            workspace.cancel()
        ended(workspace)
        workspace.go_on()
        workspace.go_on()
        assert done == [] if cancelled else done.pop() == "went on"
    workspace.when_idle("Go on", lambda: done.append("at once"))
    assert done == ["at once"]


def _wait(_: object) -> None:
    time.sleep(0.5)
