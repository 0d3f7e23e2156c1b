"""Cao, Karras, Raïssi, Tan: rho-uncertainty. The paper's examples step by step, and what was found wrong in it.

What a step decides is looked at in the slow twin; that the package comes to the same results is checked beside it.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from discreet.transactions.transactions import Transactions
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.check import check
from discreet.uncertainty.hierarchy import Hierarchy, hierarchy_for, leaf_of_items
from discreet.uncertainty.publication import Publication
from discreet.uncertainty.sensitive_items import sensitive_codes
from discreet.uncertainty.suppress_control import suppress_control as package_suppress_control
from discreet.uncertainty.td_control import td_control as package_td_control
from tests.uncertainty_twin import (
    Tree,
    average_loss,
    confidence,
    fanout_tree,
    generalize,
    highest_confidence,
    info_gain,
    optimum,
    suppress_control,
    td_control,
    violating,
)

DATA = Path(__file__).parent.parent / "data" / "uncertainty-example.dat"
TABLE_1 = [frozenset(line.split()) for line in DATA.read_text(encoding="utf-8").splitlines()]
TABLE_3 = [frozenset(line.split()) for line in ("a1 b2 gamma", "a1 a2 b2", "a2 b2", "a2 gamma", "a1 b2 gamma")]
SENSITIVE = {"alpha", "gamma"}
FIGURE_15 = Tree({"ALL": ("A", "B"), "A": ("a1", "a2"), "B": ("b1", "b2")}, "ALL")
RHO = Fraction(7, 10)


def rule(antecedent: str, consequent: str) -> tuple[frozenset[str], str]:
    return frozenset(antecedent.split()), consequent


def paper_lines() -> list[list[str]]:
    """Return Figure 15, without its dotted lines, as the package takes it."""
    return [["a1", "A", "ALL"], ["a2", "A", "ALL"], ["b1", "B", "ALL"], ["b2", "B", "ALL"]]


def half(times: int) -> Fraction:
    return Fraction(times, 2)


# ---------------------------------------------------------------------------------------------------- examples


def test_section_3_1_what_alice_can_infer() -> None:
    assert confidence(TABLE_1, rule("b1", "alpha")) == confidence(TABLE_1, rule("b1", "gamma")) == 1
    assert confidence(TABLE_1, rule("alpha", "gamma")) == 1


def test_example_3_1() -> None:
    rows = [frozenset(row) for row in (["wine", "fish", "pregnancy test", "viagra"], ["wine", "beef"], ["beer"])]
    figure_1 = Tree({"ALL": ("alcohol", "meat"), "alcohol": ("beer", "wine"), "meat": ("fish", "beef")}, "ALL")
    assert figure_1.loss("alcohol") == half(1)
    assert average_loss(rows, figure_1, {"meat"}, {"viagra"}) == Fraction(2, 7)


def test_example_3_1_in_the_package() -> None:
    rows = Transactions.from_rows([["wine", "fish", "pregnancy test", "viagra"], ["wine", "beef"], ["beer"]])
    lines = [["beer", "alcohol", "ALL"], ["wine", "alcohol", "ALL"], ["fish", "meat", "ALL"], ["beef", "meat", "ALL"]]
    tree = Hierarchy.from_lines(lines)
    leaves = leaf_of_items(tree, rows.vocabulary, sensitive_codes(["pregnancy test", "viagra"], rows.vocabulary))
    above = tree.climb(np.isin(tree.labels, ["beer", "wine", "meat"]))[leaves]
    node_of = np.where(leaves < 0, leaves, above).astype(np.int32)
    made = Publication(rows.vocabulary, tree, sensitive_codes(["viagra"], rows.vocabulary), node_of)
    assert made.information_loss(rows) == Fraction(2, 7)
    assert list(made.apply(rows)) == [{"wine", "meat", "pregnancy test"}, {"wine", "meat"}, {"beer"}]


def test_example_a1_rules_payoffs_and_result() -> None:
    done = suppress_control(TABLE_1, SENSITIVE, RHO)
    assert done.levels[0] == set()  # the empty antecedent: 2/5 and 3/5
    assert done.levels[1] == {rule("alpha", "gamma"), rule("b1", "gamma"), rule("b1", "alpha")}
    assert done.payoffs[0] == {"b1": Fraction(2, 1), "alpha": Fraction(2, 2), "gamma": Fraction(2, 3)}
    assert done.payoffs[1] == {"alpha": Fraction(1, 2), "gamma": Fraction(1, 3)}
    assert done.dropped == ["b1", "alpha"]
    assert done.loss == 3
    assert done.levels[2:] == [set()]  # b2 a1 -> gamma has 2/3; nothing has three items and gamma
    assert [row - set(done.dropped) for row in TABLE_1] == TABLE_3
    assert confidence(TABLE_3, rule("a1 b2", "gamma")) == Fraction(2, 3)


def test_example_a1_in_the_package() -> None:
    rows = Transactions.from_rows(TABLE_1)
    private = sensitive_codes(SENSITIVE, rows.vocabulary)
    done = package_suppress_control(rows, rho=RHO, sensitive=private, hierarchy=hierarchy_for(rows, private, None))
    first = next(level for level in done.levels if level.size == 1)
    assert first.rules == 3
    chosen = [(rows.vocabulary[choice.code], choice.payoff) for choice in first.chosen]
    assert chosen == [("b1", Fraction(2, 1)), ("alpha", Fraction(1, 2))]
    assert list(done.publication.apply(rows)) == TABLE_3


def test_example_a2_in_the_package() -> None:
    rows = Transactions.from_rows(TABLE_1)
    private = sensitive_codes(SENSITIVE, rows.vocabulary)
    tree = Hierarchy.from_lines(paper_lines())
    done = package_td_control(rows, rho=RHO, sensitive=private, hierarchy=tree, explain=True)
    assert [rows.vocabulary[choice.code] for choice in done.start] == ["alpha"]
    steps = [
        (
            tree.labels[split.node],
            {tree.labels[other.node]: Fraction(other.net, tree.leaf_count) for other in considered},
            tuple(rows.vocabulary[choice.code] for choice in split.chosen),
        )
        for split, considered in zip(done.splits, done.considered, strict=True)
    ]
    assert steps == td_control(TABLE_1, SENSITIVE, FIGURE_15, RHO).steps
    assert list(done.publication.apply(rows)) == TABLE_3


def test_example_a2_gains_splits_and_result() -> None:
    done = td_control(TABLE_1, SENSITIVE, FIGURE_15, RHO)
    assert done.start == ["alpha"]
    assert done.steps == [
        ("ALL", {"ALL": half(11)}, ()),
        ("A", {"A": Fraction(3), "B": half(5) - 1}, ()),
        ("B", {"B": half(3)}, ("b1",)),
    ]
    assert done.cut == {"a1", "a2", "b2"}
    assert [row - done.dropped for row in generalize(TABLE_1, FIGURE_15, done.cut)] == TABLE_3


def test_example_b1_why_sensitive_items_are_not_generalized() -> None:
    assert confidence(TABLE_1, rule("a1", "gamma")) == Fraction(2, 3)
    assert confidence(generalize(TABLE_1, FIGURE_15, {"A"}), rule("A", "gamma")) == Fraction(3, 5)
    mixed = Tree({"A": ("a1", "a2", "alpha")}, "A")
    assert confidence(TABLE_1, rule("b2", "alpha")) == Fraction(1, 2)
    assert confidence(generalize(TABLE_1, mixed, {"A"}), rule("b2", "A")) == 1


def test_figure_16_generalizing_may_raise_confidence() -> None:
    rows = [frozenset(row) for row in (["a1", "alpha"], ["a2", "alpha"], ["a1", "a2", "alpha"], ["a1", "a2"])]
    original = [confidence(rows, rule(antecedent, "alpha")) for antecedent in ("a1", "a2", "a1 a2")]
    assert original == [Fraction(2, 3), Fraction(2, 3), Fraction(1, 2)]
    above = Tree({"A": ("a1", "a2")}, "A")
    assert confidence(generalize(rows, above, {"A"}), rule("A", "alpha")) == Fraction(3, 4)


def test_figure_16_in_the_package() -> None:
    rows = Transactions.from_rows([["a1", "alpha"], ["a2", "alpha"], ["a1", "a2", "alpha"], ["a1", "a2"]])
    above = Transactions.from_rows([["A", "alpha"], ["A", "alpha"], ["A", "alpha"], ["A"]])
    assert check(rows, rho="0.8", sensitive=["alpha"]).worst_rule.confidence == Fraction(3, 4)  # of all rows
    assert check(above, rho="0.8", sensitive=["alpha"]).worst_rule.confidence == Fraction(3, 4)


# ---------------------------------------------------------------------------------------------------- holes


def rows_of(*lines: str) -> list[frozenset[str]]:
    return [frozenset(line.split()) for line in lines]


def test_hole_6_everything_generalized_is_not_safe_in_itself() -> None:
    rows = rows_of("a x", "b x", "c", "x")
    tree = fanout_tree("abc", 2)
    on_top = generalize(rows, tree, {tree.root})
    assert confidence(on_top, (frozenset([tree.root]), "x")) == Fraction(2, 3)
    assert not violating([row & {"x"} for row in rows], {"x"}, Fraction(4, 5))  # the sensitive parts alone are safe
    done = td_control(rows, {"x"}, tree, Fraction(3, 5))
    assert done.start == ["x"]
    assert highest_confidence([row - done.dropped for row in generalize(rows, tree, done.cut)], {"x"}) is None


def test_hole_7_the_empty_antecedent_counts() -> None:
    rows = rows_of("x", "x", "x", "")
    assert violating(rows, {"x"}, Fraction(3, 4)) == {rule("", "x")}
    assert not violating(rows, {"x"}, Fraction(4, 5))
    assert suppress_control(rows, {"x"}, Fraction(3, 4)).dropped == ["x"]


def test_hole_8_only_antecedents_with_a_child_of_the_node_are_looked_at() -> None:
    """In the rows that hold a or b, x is in 2 of 3; over all rows, which x alone is about, it is in 2 of 5."""
    rows = rows_of("a x", "b x", "a b", "c", "d")
    tree = Tree({"ALL": ("AB", "CD"), "AB": ("a", "b"), "CD": ("c", "d")}, "ALL")
    with_ab = [row for row in rows if row & {"a", "b"}]
    assert confidence(with_ab, rule("", "x")) >= Fraction(3, 5) > confidence(rows, rule("", "x"))
    gain, selected = info_gain(rows, {"x"}, tree, {"AB", "CD"}, "AB", Fraction(3, 5))
    assert (gain, selected) == (Fraction(4 * 2, 4), [])


def test_hole_13_a_large_node_looks_cheap() -> None:
    rows = rows_of("2", "1", "1 3")
    tree = fanout_tree("012", 2)
    done = td_control(rows, {"3"}, tree, Fraction(1, 2))
    gone = average_loss(rows, tree, done.cut, done.dropped)
    assert done.dropped == {"0", "1"}
    assert (1 - tree.loss("node 0")) * 2 == Fraction(2, 3)
    assert (gone, average_loss(rows, tree, (), {"3"})) == (Fraction(2, 4), Fraction(1, 4))


def test_hole_14_nodes_with_one_child_block_their_branch() -> None:
    rows = rows_of("0", "1", "2", "3", "4", "0 5", "0", "0")
    as_printed = Tree(
        {"ALL": ("03", "44"), "03": ("01", "23"), "44": ("4*",), "4*": ("4",), "01": ("0", "1"), "23": ("2", "3")},
        "ALL",
    )
    stuck = td_control(rows, {"5"}, as_printed, Fraction(1, 2))
    assert stuck.cut == {"0", "1", "2", "3", "44"}
    assert average_loss(rows, as_printed, stuck.cut, stuck.dropped) == Fraction(1, 5) / 9  # 0.0222
    tree = fanout_tree("01234", 2)
    done = td_control(rows, {"5"}, tree, Fraction(1, 2))
    assert average_loss(rows, tree, done.cut, done.dropped) == 0


def test_hole_15_the_root_would_cost_nothing_to_drop() -> None:
    tree = fanout_tree("abc", 2)
    assert 1 - tree.loss(tree.root) == 0
    rows = rows_of("a x", "b x", "c", "", "", "")  # ALL -> x is 2/3, yet x is in 2 of 6 rows only
    done = td_control(rows, {"x"}, tree, half(1))
    assert (done.start, done.cut) == (["x"], {"a", "b", "c"})


def test_hole_15_rows_that_became_empty_still_count() -> None:
    """Item x is in 2 of 4 rows, and in 2 of the 3 that hold a sensitive item at all; all rows must count."""
    rows = rows_of("x", "x a", "y a", "a")
    done = td_control(rows, {"x", "y"}, fanout_tree("a", 2), Fraction(3, 5))
    assert "x" not in suppress_control([row & {"x", "y"} for row in rows], {"x", "y"}, Fraction(3, 5)).dropped
    assert done.start == []


def test_hole_16_an_old_gain_is_no_bound() -> None:
    """Splitting {c, d} drops y; after that nothing is in the way of splitting {a, b}, whose pnig has risen."""
    rows = rows_of("b c", "b d", "d", "a d y")
    done = td_control(rows, {"y"}, Tree({"ALL": ("AB", "CD"), "AB": ("a", "b"), "CD": ("c", "d")}, "ALL"), half(1))
    assert done.steps == [
        ("ALL", {"ALL": half(7)}, ()),
        ("CD", {"AB": half(1), "CD": Fraction(1)}, ("y",)),
        ("AB", {"AB": half(3)}, ()),
    ]
    gain_without_loss = half(3)  # of AB, at either step: the bound that holds
    assert all(pnig["AB"] <= gain_without_loss for _, pnig, _ in done.steps[1:])


def test_the_optimum_of_hole_13_is_what_simple_finds() -> None:
    rows = rows_of("2", "1", "1 3")
    tree = fanout_tree("012", 2)
    assert optimum(rows, {"3"}, tree, Fraction(1, 2)) == Fraction(1, 4)


HOLE_13 = [["0", "A", "ALL"], ["1", "A", "ALL"], ["2", "ALL"]]  # no row holds item 0


@pytest.mark.parametrize(
    ("rows", "sensitive", "tree", "loss"),
    [
        (["2", "1", "1 3"], "3", HOLE_13, Fraction(2, 4)),  # hole 13: Simple loses 1/4
        (["0", "1", "2", "3", "4", "0 5", "0", "0"], "5", None, Fraction(0)),  # hole 14: 0.0222 as printed
        (["b c", "b d", "d", "a d y"], "y", None, Fraction(1, 8)),  # hole 16: y is dropped
    ],
)
def test_the_package_loses_what_the_examples_of_holes_lose(
    rows: list[str], sensitive: str, tree: list[list[str]] | None, loss: Fraction
) -> None:
    given = Transactions.from_rows([line.split() for line in rows])
    made = anonymize(given, rho="0.5", sensitive=[sensitive], hierarchy=tree, fanout=2, method="tdcontrol")
    assert made.information_loss == loss
