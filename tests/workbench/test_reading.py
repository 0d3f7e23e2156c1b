"""Files that are not certain to be what they look like, and files of patterns: asked about, or audited as such."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from discreet.channels.audit import audit
from discreet.errors import ParameterError
from discreet.patterns.mining import mine
from discreet.patterns.writing import write_patterns
from discreet.publishing.release import release
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read
from discreet.workbench.reading_questions import first_lines, ways_to_read
from discreet.workbench.workspace import Workspaces
from tests.patience import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.workbench.workspace import Workspace

EXAMPLE = Path("tests/data/running-example.dat")


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspaces]:
    made = Workspaces(tmp_path_factory.mktemp("workspaces"))
    yield made
    made.pool.close()


def dropped(workspaces: Workspaces, source: Path) -> Workspace:
    """Return a workspace on which a file was dropped, once the work is done."""
    made = workspaces.new()
    path = made.path_for("rows", source.name)
    shutil.copy(source, path)
    made.arrived("rows", path, source.name)
    wait_until(lambda: not made.busy)
    return made


def test_a_table_without_a_header_is_asked_about_and_nobody_becomes_its_header(workspaces: Workspaces, tmp_path: Path):
    table = tmp_path / "people.csv"
    table.write_text("".join(f"{'MF'[row % 2]},{'abc'[row % 3]},{20 + row % 4}\n" for row in range(60)))
    desk = dropped(workspaces, table)
    assert desk.file.rows is None
    assert ways_to_read(desk.failure) == [("header", False), ("header", True)]
    assert first_lines(desk.file.path)[0] == "M,a,20"
    desk.read(ReadOptions(header=False), then_mine=True)
    wait_until(lambda: not desk.busy)
    assert desk.failure is None
    assert desk.file.preview.n == 60
    assert len(desk.file.preview.columns) == 3
    assert desk.file.preview.cells[0] == ["M", "a", "20"]


def test_columns_that_identify_are_told_with_what_they_hold(workspaces: Workspaces, tmp_path: Path):
    table = tmp_path / "stays.csv"
    table.write_text("stay,ward,age\n" + "".join(f"s{row:03},{'ab'[row % 2]},{20 + row % 3}\n" for row in range(40)))
    seen = dropped(workspaces, table).file.preview
    assert next((each.name, each.role, each.distinct) for each in seen.columns) == ("stay", "id", 40)
    assert any("stay is different in every row" in note for note in seen.notes)


@pytest.mark.parametrize("kind", ["ours", "mlxtend", "rules"])
def test_patterns_and_rules_are_audited_as_such(workspaces: Workspaces, tmp_path: Path, kind: str):
    rows = read(EXAMPLE)
    found = mine(rows, min_support=8, target="all")
    path = tmp_path / "patterns.csv"
    if kind == "ours":
        write_patterns(found, path)
    elif kind == "mlxtend":
        frame = found.to_pandas()[["support", "itemsets"]]
        frame.to_csv(path, index=False)
    else:
        path.write_text("antecedents,consequents,support,confidence\nfrozenset({'a'}),frozenset({'b'}),0.6667,0.8889\n")
    desk = dropped(workspaces, path)
    assert desk.file.rows is None
    desk.publish.k = 3
    if kind != "ours":
        wait_until(lambda: desk.failure is not None)  # told after the job has ended
        assert desk.failure.field == "n"
        desk.pattern_file.count("12")
    desk.pattern_file.audit()
    wait_until(lambda: not desk.busy)
    shown = desk.pattern_file.shown
    assert shown is not None, desk.failure
    assert shown.kind == ("rules" if kind == "rules" else "patterns")
    assert desk.made("audit-audit.html").read_text().startswith("<!doctype html>")
    if kind != "rules":
        expected = audit(found, k=3)
        assert shown.headline.verdict == "NOT SAFE"
        assert shown.count == len(expected.channels) + len(expected.border)
    with pytest.raises(ParameterError, match="n must be a whole number"):
        desk.pattern_file.count("many")


def test_a_bundle_dropped_as_rows_is_verified(workspaces: Workspaces, tmp_path: Path):
    release(read(EXAMPLE), k=3, min_support=8, method="additive", output=tmp_path / "public")
    archive = Path(shutil.make_archive(str(tmp_path / "bundle"), "zip", tmp_path / "public"))
    desk = dropped(workspaces, archive)
    assert desk.page == "verify"
    assert desk.verify.verification.holds
    assert desk.file.path is None


def test_there_is_something_to_try_without_a_file(workspaces: Workspaces):
    desk = workspaces.new()
    desk.made_up()
    wait_until(lambda: not desk.busy)
    assert desk.file.preview.n == 5000
    assert desk.publish.look.verdict == "not safe"


def test_a_policy_names_no_file_of_its_own(workspaces: Workspaces):
    desk = workspaces.new()
    path = desk.path_for("rows", "discreet.toml")
    path.write_text(
        'version = 1\n[data]\ndrop = "@/etc/hostname"\n[protect]\nk = 3\n[patterns]\nmin_support = 6\nmethod = "none"\n'
        '[publish]\noutput = "public"\n'
    )
    desk.arrived("rows", path, "discreet.toml")
    assert desk.policy is None
    assert "names another file by @" in desk.failure.sentence
