"""What the pages show, without a browser: looks, previews, trees, lines, and the same as a command."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

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
from discreet.uncertainty.hierarchy import read_hierarchy
from discreet.workbench.as_command import call_of, command_of, equivalent
from discreet.workbench.input_file import InputFile, Preview, plain_name
from discreet.workbench.jobs import patterns as pattern_jobs
from discreet.workbench.jobs.process import WorkerPool
from discreet.workbench.pages.channel_picture import channel_picture
from discreet.workbench.pages.publish import proof_markup
from discreet.workbench.pattern_lines import offer_of, pattern_line
from discreet.workbench.tasks.hide import HideTask, what_is_left
from discreet.workbench.tasks.publish import PointAudit, PublishTask
from discreet.workbench.tasks.tree import ItemTree
from discreet.workbench.workspace import Workspace

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
    quick = task.look_at(support, k)
    task.look = quick
    assert quick.verdict == ("not safe" if len(found.channels) else "checking")
    task.settle(quick, pattern_jobs.attack_patterns(quiet, read(EXAMPLE), support, k, None))
    settled = task.look
    assert list(quick.audit.channels) == list(settled.audit.channels) == list(found.channels)
    words = {"safe": "safe", "not-safe": "not safe", "nothing": "nothing to publish"}
    assert settled.verdict == words[found.verdict]
    assert list(settled.attacked.groups) == list(found.border)
    assert settled.attacked.proved == found.proved
    assert settled.groups == len(found.channels) + len(found.border)
    assert len(settled.worst) == min(settled.groups, pattern_jobs.MOST_PROOFS)


def test_what_the_attacker_did_not_look_at_is_never_safe(task: PublishTask):
    task.move(min_support=12, k=3)
    task.look_again()
    gone_by = task.look
    assert "the attacker is looking" in gone_by.sentence
    assert task.to_attack
    task.give_up()
    assert task.look.verdict == "not checked"
    assert not task.to_attack
    task.settle(gone_by, pattern_jobs.attack_patterns(quiet, read(EXAMPLE), 12, 3, None))  # no longer asked for
    assert task.look.verdict == "not checked"


def attacked(rows: Transactions, support: int, k: int) -> PointAudit:
    """Return a look at rows after the attacker has looked."""
    task = PublishTask(workspace())
    task.k = k
    task.take(pattern_jobs.mine_rows(quiet, rows, str(support), None), str(support))
    task.settle(task.look, pattern_jobs.attack_patterns(quiet, rows, support, k, None))
    return task.look


def test_a_proof_is_told():
    look = attacked(Transactions.from_rows(["ab", "ab", "bc", "bc", "c", "c"]), 2, 2)
    assert (look.verdict, look.word) == ("safe", "SAFE, PROVED")
    assert look.sentence == "no group of fewer than 2 of 6 rows can be computed"
    told = look.reach
    assert "looked at all items together, and missed nothing" in told
    assert "PROVED" in told
    assert "may still be likely" in told


def test_what_is_not_proved_says_so_and_how_far_was_looked():
    look = attacked(Transactions.from_rows(["ab", "ab", "bc", "bc", "c", "c"]), 2, 2)
    partly = replace(look, attacked=replace(look.attacked, proved=False, complete=False, windows=1234, left_out=56))
    assert (partly.word, partly.verdict) == ("SAFE", "safe")
    assert partly.sentence == "no group of fewer than 2 of 6 rows was found to follow, which is not proved"
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
            look = task.look_at(support, k)
            assert len(look.audit.channels) == curves.channels[place, column]


def test_a_support_below_the_mined_one_is_refused_and_the_point_stays():
    task = PublishTask(workspace())
    task.take(pattern_jobs.mine_rows(quiet, read(EXAMPLE), "8", None), "8")
    with pytest.raises(ParameterError, match="go down to 8 only"):
        task.move(min_support=5)
    assert task.min_support == 8
    task.move(min_support="75%", k=3)
    assert (task.min_support, task.k, task.fresh) == (9, 3, False)
    task.look_again()
    assert task.fresh


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
    assert task.look.sentence.endswith("fewer than 10 of 1 row can be computed, where nothing but a identifies anyone")


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
    additive, suppressive = pattern_jobs.block_both(quiet, read(EXAMPLE), 8, 3, None)
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
        tree = tree.moved(label, "vowels")
    tree = tree.moved("vowels", "b")  # onto an item: beside it
    assert tree.parent["vowels"] == tree.parent["b"]
    with pytest.raises(ParameterError, match="under itself"):
        tree.moved(tree.parent["b"], "vowels")
    for name in ("a", "vowels", "ALL", " "):
        with pytest.raises(DiscreetError):
            tree.added(name)
    with pytest.raises(ParameterError, match="only a group"):
        tree.removed("a")
    path = tmp_path / "tree.csv"
    path.write_bytes(tree.file_bytes())
    again = ItemTree.read(path)
    assert again.leaves == tree.leaves
    assert again.parent["a"] == again.parent["e"] == "vowels"
    assert read_hierarchy(path).leaf_count == 6
    tree = tree.removed("vowels")
    assert tree.parent["a"] == tree.parent["b"]


def test_sensitive_items_leave_the_tree_and_come_back(tmp_path: Path):
    made = workspace(tmp_path)
    made.file.preview = Preview.of(Transactions.from_rows([["a", "b"], ["c", "d"]]))
    task = made.protect
    task.mark(["a"]).result()
    assert task.tree.leaves == {"b", "c", "d"}
    task.mark(["b"]).result()
    assert task.tree.leaves == {"a", "c", "d"}
    path = made.path_for("hierarchy", "tree.csv")
    (tmp_path / "snapshot-1").touch()
    path.write_text("c;x;ALL\nb;x;ALL\n")
    task.import_tree(path).result()
    assert task.tree.leaves == {"a", "c", "d"}
    path.write_text("c;x;ALL\nc;y;ALL\n")
    task.import_tree(path).result()
    assert made.failure.field == "hierarchy"
    assert made.failure.sentence.startswith("line 2 of tree.csv")
    assert task.tree.leaves == {"a", "c", "d"}


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
