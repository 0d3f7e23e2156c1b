"""What the pages show, without a browser: looks, previews, trees, lines, and the same as a command."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest

from discreet.channels.audit import audit
from discreet.channels.derivation import sum_behind
from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.hiding.hide import hide
from discreet.hiding.restrictions import read_restrictions
from discreet.patterns.mining import mine
from discreet.thresholds import Support
from discreet.transactions.layout import Layout
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read, read_as
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.hierarchy import Hierarchy, read_hierarchy
from discreet.workbench.as_command import call_of, command_of, equivalent
from discreet.workbench.input_file import InputFile, Preview, plain_name
from discreet.workbench.jobs import patterns as pattern_jobs
from discreet.workbench.jobs.process import Failure, Job, WorkerPool
from discreet.workbench.jobs.rows_cache import RowsFile
from discreet.workbench.label_list import LabelList
from discreet.workbench.pages.channel_picture import channel_picture
from discreet.workbench.pages.groups_panel import proof_markup
from discreet.workbench.pages.terms import TERMS
from discreet.workbench.pattern_lines import offer_of, pattern_line
from discreet.workbench.tasks.hide import HideTask, what_is_left
from discreet.workbench.tasks.point import Point, PointAudit
from discreet.workbench.tasks.publish import PublishTask
from discreet.workbench.tasks.task import Result
from discreet.workbench.tasks.tree import ItemTree
from discreet.workbench.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.workbench.tasks.protect import ProtectTask

EXAMPLE = Path("tests/data/running-example.dat")


def quiet(share: float | None, words: str) -> None:
    """Report nothing."""


def workspace(folder: Path = Path("nowhere")) -> Workspace:
    """Return an empty workspace."""
    return Workspace("empty", folder, WorkerPool())


@pytest.fixture
def task() -> PublishTask:
    made = PublishTask(workspace())
    made.take(pattern_jobs.mine_rows(quiet, read(EXAMPLE), "1", None), "1")
    return made


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("support", [1, 4, 8, 9, 12])
def test_a_look_says_what_an_audit_of_the_rows_says(task: PublishTask, support: int, k: int):
    found = audit(read(EXAMPLE), k=k, min_support=support)
    quick = task.look_at(Point(support, k))
    task.look = quick
    assert quick.verdict == ("not safe" if len(found.channels) else "checking")
    task.settle(quick, pattern_jobs.attack_patterns(quiet, read(EXAMPLE), Point(support, k)))
    settled = task.look
    assert list(quick.audit.channels) == list(settled.audit.channels) == list(found.channels)
    words = {"safe": "safe", "not-safe": "not safe", "nothing": "nothing to publish"}
    assert settled.verdict == words[found.verdict]
    assert list(settled.attacked.groups) == list(found.border)
    assert settled.attacked.proved == found.proved
    assert settled.groups == len(found.channels) + len(found.border)
    assert len(settled.worst) == settled.groups


def test_what_the_attacker_did_not_look_at_is_never_safe(task: PublishTask):
    task.move(min_support=12, k=3)
    task.look_again()
    gone_by = task.look
    assert "the attacker is looking" in gone_by.sentence
    assert task.to_attack
    task.give_up()
    assert task.look.verdict == "not checked"
    assert not task.to_attack
    task.settle(gone_by, pattern_jobs.attack_patterns(quiet, read(EXAMPLE), Point(12, 3)))  # no longer asked for
    assert task.look.verdict == "not checked"


def attacked(rows: Transactions, support: int, k: int) -> PointAudit:
    """Return a look at rows after the attacker has looked."""
    task = PublishTask(workspace())
    task.k = k
    task.take(pattern_jobs.mine_rows(quiet, rows, str(support), None), str(support))
    task.settle(task.look, pattern_jobs.attack_patterns(quiet, rows, Point(support, k)))
    return task.look


def test_nothing_is_changed_where_nothing_needs_to_be_unless_somebody_chose_it(task: PublishTask):
    for support in (8, 9, 12):
        task.move(min_support=support, k=3)
        task.look_again()
        task.settle(task.look, pattern_jobs.attack_patterns(quiet, read(EXAMPLE), Point(support, 3)))
        assert (task.method == "none") == (task.look.verdict == "safe")
    task.method, task.method_chosen = "suppressive", True
    task.settle(task.look, task.look.attacked)
    assert task.method == "suppressive"


def test_ways_to_make_patterns_safe_and_the_list_are_those_of_the_point(task: PublishTask):
    task.move(min_support=8, k=3)
    task.look_again()
    assert not task.to_advise  # the attacker comes first
    task.settle(task.look, pattern_jobs.attack_patterns(quiet, read(EXAMPLE), Point(8, 3)))
    assert task.to_advise
    task.advice = Result(pattern_jobs.advise_patterns(quiet, read(EXAMPLE), task.point), task.point)
    assert set(task.advised.blocking) == {"additive", "suppressive"}
    mined = mine(read(EXAMPLE), min_support=8)
    listing, words = task.listed
    assert {(frozenset(each.items), each.before) for each in listing.part(listing.found(""))} == set(mined)
    assert listing.after is None
    assert "compare both ways" in words
    assert task.to_price
    task.costs = Result(pattern_jobs.block_both(quiet, read(EXAMPLE), task.point), task.point)
    assert not task.to_price
    listing, words = task.listed
    assert (listing.after != listing.before).any()  # what raising counts would change, before any bundle is made
    assert "(additive)" in words
    by_change = listing.part(listing.found("", by="change"))
    assert [each.after - each.before for each in by_change] == sorted(listing.after - listing.before)[::-1]
    assert {"a", "b"} <= set(listing.part(listing.found("b,a"))[0].items)
    task.move(min_support=9)
    assert task.advised is None


def test_a_proof_is_told():
    look = attacked(Transactions.from_rows(["ab", "ab", "bc", "bc", "c", "c"]), 2, 2)
    assert (look.verdict, look.word) == ("safe", "SAFE, PROVED")
    assert look.sentence == (
        "as they are: none of 6 rows is in a group of 1 that can be computed · k = 2, below the house rule of 10"
    )
    told = look.reach
    assert "looked at all items together, and missed nothing" in told
    assert "PROVED" in told
    assert "may still be likely" in told


def test_what_is_not_proved_says_so_and_how_far_was_looked():
    look = attacked(Transactions.from_rows(["ab", "ab", "bc", "bc", "c", "c"]), 2, 2)
    partly = replace(look, attacked=replace(look.attacked, proved=False, complete=False, windows=1234, left_out=56))
    assert (partly.word, partly.verdict) == ("SAFE", "safe")
    assert "is in a group of 1 that was found to follow, which is not proved" in partly.sentence
    told = partly.reach
    assert "looked at 1,234 windows of up to 3 items; 56 were left out" in told
    assert "PROVED" not in told


def test_a_group_that_the_attacker_found_is_told_with_its_sums():
    look = attacked(Transactions.from_rows(["ac", "ab", "bc", "bc", "b", "c"]), 2, 2)
    assert not look.audit.channels
    assert look.found_by_attacker == 10
    assert look.verdict == "not safe"
    first = len(look.audit.channels)
    groups, place = look.worst[first]
    proof = look.proof(first)
    told = proof_markup(proof, int(groups.lows[place]), int(groups.highs[place]))
    assert "It follows from published figures" in told
    for figure in (*proof.low, *proof.high):
        assert f"<b>{figure.value}" in told or figure.items is None
    assert look.proof(first + pattern_jobs.MOST_PROOFS) is None
    assert "audit --json" in proof_markup(None, 1, 1)


def test_a_table_gives_away_those_with_no_published_value():
    rows = Transactions.from_pandas(pd.DataFrame({"sex": ["f"] * 30 + ["m"] * 40 + ["x"] * 3}), format="table")
    look = attacked(rows, 20, 10)
    assert look.verdict == "not safe"
    (group,) = look.attacked.groups
    assert (group.base, group.full, group.low, group.high) == (frozenset(), {"sex=f", "sex=m"}, 3, 3)


def test_where_no_itemset_is_left_there_is_nothing_to_publish():
    look = attacked(Transactions.from_rows(["a", "b", "c"] * 5), 10, 3)
    assert (look.verdict, look.sentence) == ("nothing to publish", "no itemset is in so many rows")


def test_the_curves_are_those_of_the_looks(task: PublishTask):
    curves = task.mined.curves
    for place, support in enumerate(curves.min_supports.tolist()):
        for column, k in enumerate(pattern_jobs.CURVE_KS):
            look = task.look_at(Point(support, k))
            assert len(look.audit.channels) == curves.channels[place, column]


def test_a_support_that_was_mined_is_gone_to_at_once():
    task = PublishTask(workspace())
    task.take(pattern_jobs.mine_rows(quiet, read(EXAMPLE), "8", None), "8")
    task.move(min_support="75%", k=3)
    assert (task.min_support, task.k, task.fresh) == (9, 3, False)
    task.look_again()
    assert task.fresh


def test_the_curve_of_any_k_is_its_own(task: PublishTask):
    task.move(k=7)
    task.look_again()
    assert task.look.curve.ks.tolist() == [7]
    at = task.look.curve.min_supports.tolist().index(task.min_support)
    assert task.look.curve.channels[at, 0] == len(task.look.audit.channels)
    before = task.look.curve
    task.move(min_support=5)
    task.look_again()
    assert task.look.curve is before


def test_a_k_below_the_house_rule_is_told_and_a_k_of_more_than_all_rows_refused(task: PublishTask):
    task.move(min_support=8, k=3)
    task.look_again()
    assert task.look.sentence.endswith("k = 3, below the house rule of 10")
    with pytest.raises(ParameterError, match="larger than the number of rows, 12"):
        task.move(k=13)
    assert task.k == 3


def test_rows_exposed_are_those_of_channels_and_of_what_the_attacker_found():
    rows = Transactions.from_rows([["a", "c"], ["a", "b"], ["b", "c"], ["b", "c"], ["b"], ["c"], ["d"]])
    found = audit(rows, k=2, min_support=2)
    groups = [*found.channels, *found.border]
    exposed = sum(any(each.base <= row and not row & each.absent for each in groups) for row in rows)
    assert pattern_jobs.attack_patterns(quiet, rows, Point(2, 2)).exposed == exposed > 0


@pytest.mark.parametrize(("support", "k", "about"), [("lots", "50", "min_support"), ("9", "x", "k"), ("9", "1", "k")])
def test_the_point_stays_where_the_support_or_k_is_wrong(task: PublishTask, support: str, k: str, about: str):
    task.move(min_support=12, k=2)
    with pytest.raises(ParameterError) as raised:
        task.move(min_support=support, k=k)
    assert (raised.value.parameter, task.min_support, task.k) == (about, 12, 2)


def test_a_verdict_says_what_identifies_where_that_is_not_everything():
    task = PublishTask(workspace())
    one_row = Transactions.from_rows([["a", "b"]])
    task.take(pattern_jobs.mine_rows(quiet, one_row, "1", "a"), "1", "a")
    assert task.point.quasi_identifiers == "a"
    assert "1 to 9 of 1 row can be computed, where nothing but a identifies anyone" in task.look.sentence


def test_dense_rows_are_first_looked_at_from_a_support_that_gives_a_picture(tmp_path: Path):
    path = tmp_path / "dense.dat"  # each of 40 items in 70 % of the rows: far more than 20,000 itemsets at 20 %
    dense = np.random.default_rng(1).random((300, 40)) < 0.7
    path.write_text("\n".join(" ".join(map(str, np.flatnonzero(row))) for row in dense))
    seen = pattern_jobs.survey_rows(quiet, read(path), True)
    lowest, mined = seen.lowest, seen.mined
    assert isinstance(mined, pattern_jobs.Mined)
    assert len(mined.found) <= 20_000
    assert lowest in pattern_jobs.start_supports(read(path))[1:]
    assert mined.found.min_support == Support.parse(lowest).of(seen.preview.n)


def test_both_ways_of_blocking_are_costed():
    additive, suppressive = pattern_jobs.block_both(quiet, read(EXAMPLE), Point(8, 3))
    assert (additive.rows, round(float(additive.changed), 4)) == (9, 0.4167)
    assert suppressive.refusal or suppressive.rows > 0


def test_a_preview_shows_the_first_rows_and_counts_the_rest():
    rows = Transactions.from_rows([[f"item {n}" for n in range(50)]] * 20 + [[]])
    seen = Preview.of(rows)
    assert (seen.n, seen.items, len(seen.rows), seen.more[0]) == (21, 50, 8, 20)


@pytest.mark.parametrize(
    ("name", "plain"),
    [("../../etc/passwd", "passwd"), ("a\\b.csv", "b.csv"), (".hidden", "hidden"), ("", "rows"), ("..", "rows")],
)
def test_a_file_keeps_nothing_of_its_name_that_a_system_would_obey(name: str, plain: str):
    assert plain_name(name) == plain


def test_what_was_said_about_a_file_is_the_same_as_options_and_as_keywords(tmp_path: Path):
    table = tmp_path / "people.csv"
    table.write_text("30;x\n50;y\n")
    reading = ReadOptions(format="table", delimiter=";", header=False, columns="age,town", bins=["age=40"], drop="town")
    rows = read_as(table, reading)
    assert [sorted(row) for row in rows] == [["age=<=40"], ["age=>40"]]
    source = InputFile(tmp_path)
    source.dropped(table, table.name)
    source.read(source.named(reading), Preview.of(rows))
    command = command_of("mine", source, {"s": 1, "quasi_identifiers": None})
    assert shlex.join(command) == (
        "discreet mine people.csv --format table --delimiter ';' --no-header --columns age,town --drop town "
        "--bins age=40 -s 1"
    )
    python = equivalent(source, [command], [call_of("mine", "rows", {"min_support": 1})]).python
    assert python.splitlines()[-1] == "discreet.mine(rows, min_support=1)"
    compile(python, "python", "exec")


@pytest.mark.parametrize("layout", [None, Layout(shape="basket", container="csv")], ids=["blanks", "commas"])
def test_any_itemset_becomes_a_line_that_is_read_as_the_same(layout: Layout | None):
    separator = "blanks" if layout is None else "commas"
    for labels in (["a", "b"], ["x y", "z"], ['say "hi"', "@", "=>"], ["a,b", "c @ 0.5"], ["<script>", "ä"]):
        (found,) = read_restrictions([pattern_line(labels, layout)], separator=separator)
        assert found.items == frozenset(labels)


def test_picks_of_two_tabs_add_up_and_what_is_no_longer_offered_becomes_a_line():
    task = HideTask(workspace())
    task.pick([("a", "b"), ("c",)], [])
    task.pick([("d e",), ("c",)], [("a", "b")])
    assert task.picked == (("c",), ("d e",))
    task.pasted = "f g @ 0.5"
    assert task.paste_what_is_not_offered([("c",), ("h",)])
    assert task.lines == ("c", '"d e"', "f g @ 0.5")
    assert (task.picked, task.pasted) == ((("c",),), '"d e"\nf g @ 0.5')


def test_only_itemsets_that_a_line_can_name_are_offered():
    odd = ["two\nlines", "two\u2028lines", " blanks "]
    for layout, unnamed in ((None, odd[:2]), (Layout(shape="basket", container="csv"), odd)):
        rows = Transactions.from_rows([["plain", '"', "=>", label] for label in odd] * 2)
        offer = offer_of(mine(rows, min_support=2), layout)
        assert offer.left_out == len(unnamed)
        assert len(offer.itemsets) == 1 + len(odd) - len(unnamed)
        for labels, _ in offer.itemsets:
            line = pattern_line(labels, layout)
            (found,) = read_restrictions([line], separator="blanks" if layout is None else "commas")
            assert found.items == frozenset(labels)


@pytest.mark.parametrize(
    ("lines", "disclosure", "words"),
    [
        (["a b"], "0%", "1 itemset, in no row any more"),
        (["a b @ 0.5"], "0%", "1 itemset, still in 4 of 8 rows (50 %), as allowed"),
        (["a b @ 0"], "50%", "1 itemset, in no row any more"),
        (["a b @ 0.5", "d e"], "0%", "2 itemsets, 1 of them still in 4 of 8 rows (50 %), as allowed"),
        (["a b @ 0.5", "d e"], "30%", "2 itemsets, 2 of them still in at most 4 of 8 rows (50 %), as allowed"),
        (["a => b @ 0.5"], "0%", "1 rule below its bound"),
        (["a b", "c => d @ 0.5", "d => e @ 0.5"], "0%", "1 itemset, in no row any more; 2 rules below their bound"),
    ],
)
def test_what_is_left_is_said_by_the_rows_not_by_the_slider(lines: list[str], disclosure: str, words: str):
    done = hide(read(EXAMPLE), restrict=lines, method="iga", disclosure=disclosure)
    assert what_is_left(done.restrictive, len(done.rules)) == words


def test_the_picture_of_a_channel_has_every_support_once_and_no_markup_of_its_labels():
    rows = Transactions.from_rows([["<b>", "&", "c"]] * 8 + [["<b>", "&"], ["<b>"], ["c"]])
    found = audit(rows, k=3, min_support=2)
    drawn = 0
    for place in range(len(found.channels)):
        terms = sum_behind(found, place, most=16)
        if terms is not None:
            picture = channel_picture(terms, int(found.channels.lows[place]))
            drawn += 1
            assert picture.count("<rect") == len(terms)
            assert "<b>&" not in picture
            assert "&lt;b&gt;" in picture
    assert drawn


def test_a_tree_is_edited_and_comes_back_from_its_file(tmp_path: Path):
    tree = ItemTree.neighbours("abcdef", 3)
    tree = tree.added("vowels")
    for label in "ae":
        tree = tree.moved(tree.number(label), tree.number("vowels"))
    tree = tree.moved(tree.number("vowels"), tree.number("b"))  # onto an item: beside it
    assert above(tree, "vowels") == above(tree, "b")
    with pytest.raises(ParameterError, match="under itself"):
        tree.moved(tree.number(above(tree, "b")), tree.number("vowels"))
    for name in ("a", "vowels", "ALL", " "):
        with pytest.raises(DiscreetError):
            tree.added(name)
    with pytest.raises(ParameterError, match="only a group"):
        tree.removed(tree.number("a"))
    path = tmp_path / "tree.csv"
    path.write_bytes(tree.file_bytes())
    again = ItemTree.read(path)
    assert leaves(again) == leaves(tree)
    assert above(again, "a") == above(again, "e") == "vowels"
    assert read_hierarchy(path).leaf_count == 6
    tree = tree.removed(tree.number("vowels"))
    assert tree.number("vowels") is None
    assert above(tree, "a") == above(tree, "b")


def above(tree: ItemTree, label: str) -> str:
    """Return the group that something is under."""
    return tree[tree.above(tree.number(label))[1]]


def leaves(tree: ItemTree, hidden: tuple[str, ...] = ()) -> set[str]:
    """Return the items of a tree that are not sensitive."""
    return {line[0] for line in tree.lines(hidden)}


def test_the_values_of_each_column_have_a_branch_of_their_own():
    labels = sorted([*(f"age={age}" for age in range(20, 30)), "sex=f", "sex=m", "zip=1", "a=b=1", "a=b=2"])
    tree = ItemTree.neighbours(labels, 3, ["age", "a=b", "sex", "zip"])
    branches = {tree[child]: child for child in tree.children(tree.root).tolist()}
    assert list(branches) == ["age=*", "a=b=*", "sex=*", "zip=*"]
    for column, branch in branches.items():
        below = [line[0] for line in tree.lines() if column in line]
        assert below == [label for label in labels if label.startswith(column[:-1])]
        assert all(tree[node].startswith(column[:-1]) for node in tree.children(branch).tolist())
    assert Hierarchy.from_lines(tree.lines(["zip=1"])).leaf_count == len(labels) - 1


def protecting(folder: Path, rows: Transactions) -> ProtectTask:
    """Return the task on rows, whose work is done at once."""
    made = Workspace("rows", folder, AtOnce(rows))
    made.file.preview = Preview.of(rows)
    made.file.rows = RowsFile(folder / "rows.csv", ReadOptions(), folder / "snapshot")
    return made.protect


class AtOnce:
    """Runs a job when it is started, on rows that are there."""

    def __init__(self, rows: Transactions) -> None:
        self._rows = rows

    def start(self, job: Job, *, ended: Callable[[], None]) -> None:
        function, arguments = job.work
        try:
            job.finish(function(quiet, *(self._rows if isinstance(each, RowsFile) else each for each in arguments)))
        except DiscreetError as error:
            job.fail(Failure.of(error))
        ended()


def test_sensitive_items_leave_the_tree_and_come_back(tmp_path: Path):
    task = protecting(tmp_path, Transactions.from_rows([["a", "b"], ["c", "d"]]))
    task.mark(["a"])
    assert leaves(task.tree, task.sensitive) == {"b", "c", "d"}
    task.mark(["b"])
    assert leaves(task.tree, task.sensitive) == {"a", "c", "d"}
    assert {task.tree[node] for node in task.tree.children(task.tree.root, [task.tree.number("b")]).tolist()} == {
        "a",
        "c",
        "d",
    }
    made = task.workspace
    path = made.path_for("hierarchy", "tree.csv")
    path.write_text("c;x;ALL\nb;x;ALL\n")
    task.import_tree(path)
    assert leaves(task.tree, task.sensitive) == {"a", "c", "d"}
    assert not path.exists()
    path.write_text("c;x;ALL\nc;y;ALL\n")
    task.import_tree(path)
    assert made.failure.field == "hierarchy"
    assert made.failure.sentence.startswith("line 2 of tree.csv")
    assert leaves(task.tree, task.sensitive) == {"a", "c", "d"}
    task.export_tree()
    assert read_hierarchy(task.exported).leaf_count == 3
    assert made.made("protected-hierarchy.csv") == task.exported


def test_marks_and_edits_of_the_tree_are_undone_and_done_again(tmp_path: Path):
    task = protecting(tmp_path, Transactions.from_rows([["a", "b"], ["c", "d"]]))
    assert not task.can_undo
    task.mark(["a"])
    task.edit(lambda tree: tree.added("mine"))
    task.mark(["a", "b"])
    task.undo()
    assert task.sensitive == ("a",)
    task.undo()
    assert task.tree.number("mine") is None
    task.redo()
    assert task.tree.number("mine") is not None
    task.edit(lambda tree: tree.removed(tree.number("mine")))
    assert not task.can_redo  # what was taken back is gone after another change
    for _ in range(3):
        task.undo()
    assert task.sensitive == ()
    assert task.tree is not None
    assert not task.can_undo
    task.edit(lambda tree: tree.removed(tree.root))  # refused
    assert not task.can_undo


def test_what_gives_a_sensitive_item_away_is_counted_in_the_rows(tmp_path: Path):
    rows = [["sertraline", "depression"]] * 5 + [["aspirin", "depression"]] * 2 + [["aspirin"]] * 3 + [["depression"]]
    task = protecting(tmp_path, Transactions.from_rows([*rows, ["rare", "depression"]]))
    task.mark(["depression"])
    task.check()
    proxies = task.seen.proxies
    assert [(rule.antecedent, rule.together, rule.holding) for rule in proxies.rules] == [
        (("sertraline",), 5, 5),
        (("rare",), 1, 1),
    ]
    task.percent = 40
    assert task.seen is None
    task.check()
    assert (("aspirin",), 2, 5) in [(rule.antecedent, rule.together, rule.holding) for rule in task.seen.proxies.rules]
    task.mark(["depression", "sertraline", "rare", "aspirin"])
    task.check()
    assert task.seen.proxies.total == 0


def test_terms_mean_on_pages_what_they_mean_in_the_glossary():
    glossary = re.sub(r"[*`]", "", Path("docs/glossary.md").read_text(encoding="utf-8")).lower()
    told = re.sub(r"\s+", " ", glossary)
    for name, meaning in TERMS.items():
        assert meaning.rstrip(".").lower() in told, name


def test_labels_are_found_by_any_part_and_in_any_case():
    labels = ["Drug Aspirin", "drug insulin", "İstanbul", "x\0y", "straße", *(f"id={number}" for number in range(300))]
    for some in (labels, labels[:2] + labels[5:]):  # with and without letters that grow in lower case
        found = LabelList.of(some)
        assert list(found) == some
        assert [found[place] for place in found.search("DRUG", 9)] == some[:2]
        assert [found[place] for place in found.search("in drug", 9)] == ["Drug Aspirin", "drug insulin"]
        assert len(found.search("id=", 20)) == 20
        assert [found[place] for place in found.search("id=299", 20)] == ["id=299"]
        assert found.search("nosuch", 9) == []
        assert [found.number(label) for label in some] == list(range(len(some)))
        assert found.number("id=30\0id=31") is None


def test_a_bundle_unpacks_nowhere_but_into_its_folder(tmp_path: Path):
    import zipfile

    archive = tmp_path / "evil.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("../outside.txt", "x")
        packed.writestr("../another.txt", "y")
    found = pattern_jobs.check_bundle(quiet, [archive], tmp_path / "folder", None)
    assert not found.holds
    assert {path.name for path in (tmp_path / "folder").iterdir()} == {"outside.txt", "another.txt"}
    with zipfile.ZipFile(archive, "a") as packed:
        packed.writestr("/etc/inside.txt", "z")
    with pytest.raises(DataError, match="holds more than the files of one folder"):
        pattern_jobs.check_bundle(quiet, [archive], tmp_path / "second", None)
    assert not (tmp_path / "outside.txt").exists()
