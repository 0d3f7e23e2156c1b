"""Compare, save, tell: pinned settings, steps that can be undone, decisions, the script, and the project file."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import threading
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet import read_policy
from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.errors import DataError, InputError, ParameterError
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read, read_as
from discreet.workbench.as_command import call_of, command_of
from discreet.workbench.decisions import DecisionLog
from discreet.workbench.jobs.patterns import Costs, attack_patterns
from discreet.workbench.jobs.process import Job
from discreet.workbench.jobs.weighing import weigh_setting
from discreet.workbench.project_file import project_name, project_text, read_project
from discreet.workbench.session_report import session_script, tell_session
from discreet.workbench.settings import policy_of
from discreet.workbench.tasks.pinned_settings import MOST_PINNED
from discreet.workbench.tasks.point import Point
from discreet.workbench.workspace import Workspace, Workspaces
from tests.patience import PATIENCE, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLE = Path("tests/data/running-example.dat")


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspaces]:
    made = Workspaces(tmp_path_factory.mktemp("workspaces"))
    yield made
    made.pool.close()


def idle(workspace: Workspace) -> None:
    """Wait for the work in the foreground, which went well."""
    wait_until(lambda: not workspace.busy)
    assert workspace.failure is None, workspace.failure


def drop(workspace: Workspace, path: Path) -> None:
    copy = workspace.path_for("rows", path.name)
    shutil.copy(path, copy)
    workspace.arrived("rows", copy, path.name)
    wait_until(lambda: not workspace.busy)


@pytest.fixture
def workspace(workspaces: Workspaces) -> Workspace:
    made = workspaces.new()
    drop(made, EXAMPLE)
    made.publish.move(min_support=8, k=3)
    made.publish.look_again()
    made.publish.history.remember()
    return made


@pytest.fixture
def table(workspaces: Workspaces, tmp_path: Path) -> Workspace:
    """Return a workspace with a table of towns."""
    path = tmp_path / "people.csv"
    lines = [f"{'ab'[row % 2]},{'mf'[row % 3 > 0]},{'hiv' if row % 4 else 'flu'}\n" for row in range(48)]
    path.write_text("town,sex,ill\n" + "".join(lines))
    made = workspaces.new()
    drop(made, path)
    made.publish.history.remember()
    return made


def step(workspace: Workspace, **where: int) -> None:
    workspace.publish.move(**where)
    workspace.publish.look_again()
    workspace.publish.history.remember()


def test_a_pinned_setting_tells_what_the_commands_tell(workspace: Workspace):
    task, rows = workspace.publish, read(EXAMPLE)
    for method in ("none", "additive", "suppressive"):
        task.method, task.method_chosen = method, True
        workspace.pins.pin()
    wait_until(lambda: all(each.weighed for each in workspace.pins.pinned))
    assert workspace.failure is None
    none, *blocked = (each.weighed for each in workspace.pins.pinned)
    found = audit(rows, k=3, min_support=8)
    assert (none.verdict, none.patterns, none.exact, none.worst) == ("NOT SAFE", found.closed_count, 1, 0)
    assert none.exposed >= found.exposed_rows > 0
    for method, weighed in zip(("additive", "suppressive"), blocked, strict=True):
        done = block(rows, k=3, min_support=8, method=method)
        same = sum(done.change.closed.supports == done.change.supports)
        assert weighed.patterns == len(done.patterns)
        assert weighed.exact == Fraction(int(same), len(done.change.closed))
        assert (weighed.worst, weighed.exposed, weighed.verdict) == (done.distortion.worst, 0, "SAFE")


def test_four_are_pinned_at_most_each_once_and_choosing_one_goes_there(workspace: Workspace):
    pins, task = workspace.pins, workspace.publish
    for support in (8, 8, 9, 10, 11, 12):
        step(workspace, min_support=support)
        pins.pin()
    assert [each.setting.point.min_support for each in pins.pinned] == [8, 9, 10, 11]
    assert len(pins.pinned) == MOST_PINNED
    pins.choose(pins.pinned[0])
    assert task.min_support == 8
    pins.unpin(pins.pinned[1])
    assert [each.setting.point.min_support for each in pins.pinned] == [8, 10, 11]
    task.look_again()
    assert pins.is_chosen(pins.pinned[0])
    assert not pins.can_pin  # it is pinned


def test_what_cannot_be_made_safe_is_told_in_its_column():
    weighed = weigh_setting(lambda *_: None, read(EXAMPLE), Point(8, 2, "there is no such item"), "additive")
    assert weighed.verdict == "NOT POSSIBLE"
    assert "there is no such item" in weighed.refusal


def test_settings_are_undone_and_done_again(workspace: Workspace):
    task = workspace.publish
    step(workspace, min_support=10)
    step(workspace, k=5)
    task.conceal(sensitive="h", rho="90%", exclusive="")
    task.look_again()
    task.history.remember()
    seen = []
    while task.history.can_undo:
        task.history.undo()
        task.look_again()
        seen.append((task.min_support, task.k, task.sensitive))
    assert seen == [(10, 5, ""), (10, 3, ""), (8, 3, "")]
    task.history.redo()
    assert (task.min_support, task.k) == (10, 3)
    task.look_again()
    step(workspace, min_support=12)
    assert not task.history.can_redo


def test_a_method_that_nobody_chose_is_no_step(workspace: Workspace):
    task = workspace.publish
    task.method = "none"  # as the verdict would have it
    task.history.remember()
    assert not task.history.can_undo
    task.method, task.method_chosen = "suppressive", True
    task.history.remember()
    task.history.undo()
    assert not task.method_chosen


def test_columns_that_were_left_out_come_back_by_undoing(table: Workspace):
    before = table.publish.setting
    table.read(ReadOptions(drop=["town"]), then_mine=True)
    idle(table)
    table.publish.history.remember()
    assert not any("town" in label for label in table.file.preview.labels)
    table.publish.history.undo()
    idle(table)
    assert table.publish.setting.point == before.point
    assert any("town" in label for label in table.file.preview.labels)
    table.publish.history.redo()
    idle(table)
    assert not any("town" in label for label in table.file.preview.labels)


def test_a_lower_support_and_other_roles_are_mined_on_the_way_back(workspace: Workspace):
    task = workspace.publish
    step(workspace, min_support=5)
    task.mine("8", "a,b")
    idle(workspace)
    task.history.remember()
    assert (task.min_support, task.quasi_identifiers) == (8, "a,b")
    task.history.undo()
    idle(workspace)
    assert (task.min_support, task.quasi_identifiers) == (5, "")


def test_another_file_begins_anew(workspace: Workspace):
    step(workspace, min_support=10)
    assert workspace.publish.history.can_undo
    workspace.pins.pin()
    drop(workspace, EXAMPLE)
    assert not workspace.publish.history.can_undo
    assert len(workspace.pins.pinned) == 1  # the same setting is weighed on the new rows
    wait_until(lambda: workspace.pins.pinned[0].weighed is not None)


def test_a_method_that_cannot_make_it_safe_gives_way_to_one_that_can(workspace: Workspace):
    task = workspace.publish
    step(workspace, min_support=8)
    tried = (Costs("additive", refusal="a group's base is not published"), Costs("suppressive", rows=3))
    for chosen, expected in ((True, "additive"), (False, "suppressive")):
        task.method, task.method_chosen = "additive", chosen
        task._take_costs(task.point, tried)  # noqa: SLF001 - as a job does at its end
        assert task.method == expected
    task.method = "none"
    task._take_costs(task.point, tried)  # noqa: SLF001
    assert task.method == "none"


def test_other_rows_do_not_wait_for_a_setting_whose_weighing_ends(workspace: Workspace):
    step(workspace, min_support=10)
    pins, ending, go_on = workspace.pins, threading.Event(), threading.Event()

    def then(_: object) -> None:
        ending.set()
        go_on.wait(PATIENCE)
        pins.go_on()

    job = Job("Weighing a pinned setting", weigh_setting, then=then)
    pins._job = job  # noqa: SLF001 - no other way to stop it at its very end
    threads = [threading.Thread(target=job.finish, args=(None,)), threading.Thread(target=pins.weigh_again)]
    threads[0].start()
    assert ending.wait(PATIENCE)
    threads[1].start()
    wait_until(lambda: pins._job is None)  # noqa: SLF001
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_marks_for_hiding_are_undone(workspace: Workspace):
    task = workspace.hide
    assert not task.can_undo
    task.pick([("a", "b")], ())
    task.remember()
    task.percent = 30
    task.undo()
    assert (task.percent, task.picked) == (0, (("a", "b"),))
    task.undo()
    assert (task.picked, task.can_undo) == ((), False)
    task.redo()
    task.redo()
    assert (task.percent, task.picked, task.can_redo) == (30, (("a", "b"),), False)


def test_exclusive_items_are_lists_in_jobs_commands_python_and_policies(table: Workspace):
    """Each text of the field is a list of labels, and not a label."""
    task = table.publish
    task.conceal(sensitive="", rho="", exclusive="sex=m,sex=f; town")
    task.look_again()
    attacked = attack_patterns(lambda *_: None, read_as(table.file.path, table.file.reading), task.point)
    assert attacked.complete is not None
    policy = policy_of(table.file, task.point, "none", "")
    assert policy.exclusive == (("sex=m", "sex=f"), ("town",))
    assert "exclusive=[['sex=m', 'sex=f'], ['town']]" in call_of("audit", "rows", task.point.roles)
    assert "--exclusive sex=m,sex=f --exclusive town" in " ".join(command_of("audit", table.file, task.point.roles))
    task.move(k=2)
    task.method, task.method_chosen = "none", True
    task.release()
    idle(table)
    assert task.bundle is not None or task.refused is not None
    with pytest.raises(ParameterError):
        task.conceal(sensitive="", rho="", exclusive="a,,b")


# Decisions


def made(log: DecisionLog, archive: str = "made-1/bundle.zip") -> None:
    words = ("discreet", "release", "rows.dat", "-s", "8", "-k", "3", "--method", "additive")
    words += ("--owner-report", "owner-report.html", "-o", "public")
    log.record("publish", Path(archive), setting="from 8 rows up", verdict="SAFE", sentence="fine", commands=(words,))


def test_a_decision_needs_a_name_and_a_reason_and_can_be_changed():
    log = DecisionLog()
    made(log)
    made(log)
    (entry,) = log.entries
    assert entry.decision is None
    for who, why, missing in (("", "because", "who"), ("Ana", " ", "why")):
        with pytest.raises(ParameterError) as caught:
            log.decide(entry, "released", who, why)
        assert caught.value.parameter == missing
    log.decide(entry, "rejected", "Ana", "too\nfew")
    with pytest.raises(InputError, match=r"rejected by Ana: too\\nfew"):
        log.leaves(Path("made-1/bundle.zip"))
    log.decide(log.entries[0], "released", "Bo", "agreed")
    log.leaves(Path("made-1/bundle.zip"))
    (entry,) = log.entries
    assert [each.outcome for each in entry.decisions] == ["rejected", "released"]
    assert (entry.left, log.who) == (True, "Bo")


def test_what_was_rejected_is_not_handed_out(workspace: Workspace):
    workspace.publish.method, workspace.publish.method_chosen = "additive", True
    workspace.publish.release()
    idle(workspace)
    archive = workspace.publish.bundle.value.archive
    workspace.log.record("publish", archive, setting="", verdict="SAFE", sentence="", commands=())
    workspace.log.decide(workspace.log.of(archive), "rejected", "Ana", "no")
    for name in ("bundle.zip", "report.html"):
        with pytest.raises(InputError, match="rejected by Ana"):
            workspace.hand_out(f"patterns-{name}")
    report = workspace.hand_out("patterns-owner-report.html").read_text()
    assert "rejected by Ana" in report
    assert not workspace.log.entries[0].left
    workspace.log.decide(workspace.log.of(archive), "released", "Bo", "yes")
    assert workspace.hand_out("patterns-bundle.zip") == archive
    assert workspace.log.entries[0].left


def test_the_owners_report_has_the_session_once_and_nothing_of_it_is_markup(workspace: Workspace, tmp_path: Path):
    report = tmp_path / "owner-report.html"
    report.write_text('<main><section id="repeat"></section></main>')
    made(workspace.log)
    workspace.log.decide(workspace.log.entries[0], "released", "<b>Ana</b>", "so be it")
    workspace.pins.pin()
    for _ in range(2):
        tell_session(workspace, report)
    text = report.read_text()
    assert text.count('<section id="session">') == 1
    assert "&lt;b&gt;Ana&lt;/b&gt;" in text
    assert "<b>Ana" not in text
    assert workspace.pins.pinned[0].setting.words in text
    assert "discreet release rows.dat" in text


# The script


def test_the_script_makes_the_same_bundles_again(workspaces: Workspaces, tmp_path: Path):
    workspace = Workspace("alone", tmp_path / "alone", workspaces.pool)  # nothing has left it
    workspace.folder.mkdir()
    drop(workspace, EXAMPLE)
    workspace.publish.move(k=3)
    task, log = workspace.publish, workspace.log
    for support in (8, 9):
        step(workspace, min_support=support)
        task.method, task.method_chosen = "additive", True
        task.release()
        idle(workspace)
        bundle = task.bundle.value
        words = ("discreet", "release", EXAMPLE.name, "-s", f"{support}", "-k", "3", "--method", "additive", "-o")
        log.record("publish", bundle.archive, setting="", verdict="SAFE", sentence="", commands=((*words, "public"),))
        shutil.copytree(bundle.archive.with_name("bundle"), tmp_path / f"page-{support}")
    log.decide(log.entries[0], "released", "Ana", "'; echo pwned >pwned; '\n echo pwned >pwned")
    script = tmp_path / "run.sh"
    script.write_text(session_script(log.entries))
    shutil.copy(EXAMPLE, tmp_path)
    bin_folder = Path(sys.executable).parent
    subprocess.run(["/bin/sh", script.name], cwd=tmp_path, check=True, env={"PATH": f"{bin_folder}:/usr/bin:/bin"})
    assert not (tmp_path / "pwned").exists()
    for place, support in ((1, 8), (2, 9)):
        for file in (tmp_path / f"page-{support}").iterdir():
            assert (tmp_path / f"{place}-public" / file.name).read_bytes() == file.read_bytes()


def test_files_of_a_script_have_the_number_of_their_result():
    log = DecisionLog()
    made(log)
    log.leaves(Path("made-1/bundle.zip"))
    log.record(
        "publish",
        Path("2"),
        setting="",
        verdict="SAFE",
        sentence="",
        commands=(("discreet", "release", "--from", "EARLIER-BUNDLE", "-s", "9", "-o", "public"),),
    )
    log.record(
        "hide",
        Path("3"),
        setting="",
        verdict="HIDDEN",
        sentence="",
        commands=(
            ("discreet", "hide", "a.csv", "--restrict", "Ana=private-1.txt", "-o", "hidden-a.csv"),
            ("discreet", "release", "a.csv", "--rows", "hidden-a.csv", "--restrict", "private.txt", "-o", "public"),
        ),
    )
    script = session_script(log.entries)
    assert "discreet release --from 1-public -s 9 -o 2-public" in script
    assert "discreet hide a.csv --restrict Ana=3-private-1.txt -o 3-hidden-a.csv" in script
    assert "discreet release a.csv --rows 3-hidden-a.csv --restrict 3-private.txt -o 3-public" in script
    assert "# It needs 3-private.txt" in script


# The project


def saved(workspace: Workspace, folder: Path) -> Path:
    path = folder / project_name(workspace)
    path.write_text(project_text(workspace), encoding="utf-8")
    return path


def test_a_project_goes_on_in_another_session(table: Workspace, workspaces: Workspaces, tmp_path: Path):
    task = table.publish
    table.read(ReadOptions(drop=["town"]), then_mine=True)
    idle(table)
    task = table.publish
    task.move(min_support=12, k=4)
    task.conceal(sensitive="ill", rho="80%", exclusive="sex=m,sex=f")
    task.look_again()
    table.pins.pin()
    task.count_people("person")
    table.file.answered = {("constant", "ill")}
    table.hide.pasted, table.hide.percent, table.hide.method = "sex=m, ill=hiv", 20, "iga"
    table.protect.mark(["ill=hiv"])
    table.protect.percent = 70
    made(table.log)
    table.log.decide(table.log.entries[0], "released", "Ana", 'she said "yes" \\ and\ttab')
    table.log.leaves(Path("made-1/bundle.zip"))
    path = saved(table, tmp_path)
    assert path.name == "people.discreet.toml"

    again = workspaces.new()
    drop(again, path)
    assert again.failure is None
    assert "drop its data: people.csv, 48 rows" in again.project_words
    drop(again, table.file.path)
    assert again.failure is None
    assert again.project_words == "Answered by the project, and not asked again: ill may stay."
    there = again.publish
    assert there.point == task.point
    assert there.house == task.house  # k = 4 departs from the rule, as before
    assert again.file.reading.words() == table.file.reading.words()
    assert (again.file.one_row, again.file.answered) == ("person", {("constant", "ill")})
    assert (again.hide.lines, again.hide.percent, again.hide.method) == (("sex=m, ill=hiv",), 20, "iga")
    assert (again.protect.sensitive, again.protect.percent) == (("ill=hiv",), 70)
    assert [each.setting.point for each in again.pins.pinned] == [task.point]
    wait_until(lambda: again.pins.pinned[0].weighed is not None)
    (entry,) = again.log.entries
    assert entry.decisions == table.log.entries[0].decisions
    assert (entry.earlier, entry.left, entry.commands) == (True, True, ())
    assert "discreet release rows.dat" not in session_script(again.log.entries)
    assert "1 bundle left in an earlier session" in again.log.unjudged
    policy = read_policy(path)  # which commands follow
    assert (policy.k, policy.options.words()) == (4, table.file.reading.words())
    assert project_text(again) == project_text(table)


def test_other_rows_are_told(workspace: Workspace, workspaces: Workspaces, tmp_path: Path):
    workspace.publish.count_people("person")
    path = saved(workspace, tmp_path)
    again = workspaces.new()
    drop(again, path)
    fewer = tmp_path / "fewer.dat"
    fewer.write_text("".join(EXAMPLE.read_text().splitlines(keepends=True)[1:]))
    drop(again, fewer)
    assert "The project was saved with 12 rows, and these are 11 rows" in again.project_words
    assert again.file.one_row == ""  # what was answered was about others


def test_a_project_of_a_one_hot_table_does_not_list_its_items(workspaces: Workspaces, tmp_path: Path):
    path = tmp_path / "baskets.csv"
    path.write_text("beer,caviar,wine\n" + "1,0,1\n0,1,1\n" * 12)
    workspace = workspaces.new()
    drop(workspace, path)
    assert "caviar" not in project_text(workspace)


def test_a_project_has_no_rows_and_no_items_that_nobody_typed(table: Workspace, tmp_path: Path):
    table.publish.look_again()
    table.pins.pin()
    table.protect.mark(["ill=flu"])
    text = saved(table, tmp_path).read_text()
    assert "ill=flu" in text  # it was marked
    for label in ("ill=hiv", "town=a", "sex=f", str(table.folder), table.name):
        assert label not in text
    assert not re.search(r"^[ab],[mf],", text, flags=re.MULTILINE)


V = "[workbench]\nversion = 1\n"
PINNED = f"{V}[[workbench.pinned]]\nmin_support = 8\nk = 3\nmethod = 'none'\n"
BAD = {
    "no TOML": "is not TOML",
    "[workbench]\nversion = 2": "version must be 1",
    f"{V}run = 'rm'": "[workbench] has 'run', which is not known here",
    "workbench = 3": "workbench is a section",
    f"{V}rows = -1": "rows must be a whole number",
    f"{V}one_row = 'cat'": "one_row must be 'person' or 'several'",
    f"{V}kept = 3": "kept must be a list",
    f"{V}hide = {{ lines = [3] }}": "lines must be a list of texts",
    f"{V}protect = {{ percent = 101 }}": "percent must be 100 at most",
    f"{V}house = {{ k = 1 }}": "k must be a whole number of at least 2",
    f"{V}[[workbench.pinned]]\nmin_support = 8\nk = 3\nmethod = 'dp'": "method must be",
    f"{V}[[workbench.pinned]]\nmin_support = 0\nk = 3\nmethod = 'none'": "min_support must be",
    f"{PINNED}sensitive = '@/etc/passwd'": "no @file",
    f"{PINNED}reading = {{ drop = '@/etc/passwd' }}": "names another file by @",
    f"{PINNED}reading = {{ sql = 'select 1' }}": "has 'sql', which is not known here",
    f"{PINNED}reading = {{ format = [[]] }}": "reading must be",
    f"{V}[[workbench.made]]\npage = '/etc'": "page must be",
    f"{V}[[workbench.made]]\npage = 'hide'\ncommands = [['rm']]": "has 'commands', which is not known",
    f"{V}[[workbench.made]]\npage = 'hide'\nleft = 1": "left must be true or false",
    f"{V}[[workbench.made]]\npage = 'hide'\ndecisions = [{{ outcome = 'maybe' }}]": "outcome must be",
}
POLICY = """version = 1
[protect]
k = 3
[patterns]
min_support = 8
method = "additive"
[publish]
output = "public"
"""


@pytest.mark.parametrize("text", BAD)
def test_a_bad_project_is_refused_in_one_sentence_and_changes_nothing(
    workspaces: Workspaces, tmp_path: Path, text: str
):
    path = tmp_path / "bad.toml"
    path.write_text(f"{text}\n" if text == "no TOML" else POLICY + text)
    if text.startswith("workbench ="):
        path.write_text(f"{text}\n{POLICY}")
    with pytest.raises(DataError) as caught:
        read_project(path)
    assert BAD[text] in str(caught.value)
    assert "\n" not in str(caught.value)
    workspace = workspaces.new()
    before = workspace.publish.setting
    workspace.arrived("rows", path, path.name)
    assert workspace.failure is not None
    assert (workspace.publish.setting, workspace.project, workspace.log.entries) == (before, None, ())


@pytest.mark.parametrize(
    "names",
    [
        '"@secret.txt"',
        '["@secret.txt"]',
        '"\\u0040secret.txt"',
        '"""\n@secret.txt"""',
        "'@secret.txt'",
        '" @secret.txt"',
    ],
)
@pytest.mark.parametrize("key", ["roles.quasi_identifying", "data.drop", "protect.exclusive"])
def test_no_file_is_read_because_a_policy_names_it(workspaces: Workspaces, tmp_path: Path, key: str, names: str):
    workspace = workspaces.new()
    (tmp_path / "secret.txt").write_text("of somebody else\n")
    path = tmp_path / "policy.toml"
    path.write_text(
        f"version = 1\n{key} = {names}\n{POLICY.removeprefix('version = 1')}".replace("[protect]\nk", "protect.k")
    )
    workspace.arrived("rows", path, path.name)
    assert workspace.failure is not None
    assert "of somebody else" not in workspace.failure.sentence
    assert "names another file by @" in workspace.failure.sentence


# The list of workspaces


def test_workspaces_that_hold_something_are_listed_and_closed(tmp_path: Path):
    workspaces = Workspaces(tmp_path)
    try:
        empty, first, second = (workspaces.new() for _ in range(3))
        for each in (first, second):
            each.file.path = EXAMPLE
        assert workspaces.held == [second, first]
        workspaces.close(first.name)
        assert (workspaces.held, first.closed, first.folder.exists()) == ([second], True, False)
        assert workspaces.find(first.name) is None
        assert empty.folder.exists()
    finally:
        workspaces.pool.close()
