"""What is left of items, of the hierarchy and of rules."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from itertools import chain, combinations, product

import numpy as np
import pytest

import discreet
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.hierarchy import fanout_hierarchy, leaf_of_items
from discreet.uncertainty.publication import Publication
from discreet.uncertainty.sensitive_items import sensitive_codes
from discreet.uncertainty.utility import losses_by_item, publication_tree, remaining_rules, what_is_left
from tests.uncertainty_twin import confidence, support

ROWS = Transactions.from_rows([["a", "b", "x"], ["a", "c"], ["b", "c", "d"], ["d", "e", "y"], ["a", "y"]])
TREE = fanout_hierarchy("abcdef", 2)


def published(rows: Transactions, cut: set[str], drop: set[str]) -> Publication:
    leaves = leaf_of_items(TREE, rows.vocabulary, sensitive_codes(["x", "y"], rows.vocabulary))
    above = TREE.climb(np.isin(TREE.labels, list(cut)))[leaves]
    node_of = np.where((leaves < 0) | (above < 0), leaves, above).astype(np.int32)
    dropped = np.array([item for item, label in enumerate(rows.vocabulary) if label in drop], np.int32)
    return Publication(rows.vocabulary, TREE, dropped, node_of)


def test_losses_by_item_most_costly_first() -> None:
    losses = losses_by_item(published(ROWS, {"a..b"}, {"y", "e"}), ROWS)
    assert losses.labels == ("y", "a", "e", "b", "c", "d", "x")
    assert losses.published_as == (None, "a..b", None, "a..b", "c", "d", "x")
    assert losses.supports.tolist() == [2, 3, 1, 2, 2, 2, 1]
    assert [Fraction(int(lost), losses.whole) for lost in losses.lost] == [
        1,
        Fraction(1, 3),
        1,
        Fraction(1, 3),
        0,
        0,
        0,
    ]
    assert losses.sensitive.tolist() == [True, False, False, False, False, False, True]
    table = losses.to_pandas()
    assert table["loss"].tolist() == pytest.approx([1, 1 / 3, 1, 1 / 3, 0, 0, 0])
    assert table["item"].tolist() == list(losses.labels)


def test_the_tree_of_what_happened() -> None:
    assert list(publication_tree(published(ROWS, {"a..b"}, {"y", "e"}))) == [
        (0, "ALL", ""),
        (1, "e..f", "dropped, 1 item"),
        (1, "a..d", ""),
        (2, "a..b", "published for 2 items"),
        (2, "c..d", "2 items as they are"),
    ]
    assert list(publication_tree(published(ROWS, set(), {"x", "y"}))) == [(0, "ALL", "5 items as they are")]
    assert list(publication_tree(published(ROWS, set(), {"a"})))[-3:] == [
        (3, "a", "dropped"),
        (3, "b", "as it is"),
        (2, "c..d", "2 items as they are"),
    ]


def test_rules_that_are_kept_blurred_and_lost() -> None:
    plan = published(ROWS, {"a..b"}, {"y"})
    left = remaining_rules(ROWS, plan.apply(ROWS), plan, min_support=1, min_confidence=1)
    rows = list(ROWS)
    certain = [
        whole
        for length in (2, 3)
        for whole in map(frozenset, combinations("abcdexy", length))
        for antecedent in map(frozenset, chain.from_iterable(combinations(whole, size) for size in range(1, length)))
        if support(rows, whole) == support(rows, antecedent) > 0
    ]
    lost = [whole for whole in certain if "y" in whole]
    blurred = [whole for whole in certain if whole & {"a", "b"} and "y" not in whole]
    assert (left.before, left.lost, left.blurred) == (len(certain), len(lost), len(blurred))
    assert left.kept == len(certain) - len(lost) - len(blurred) > 0
    assert left.to_dict()["after"] == len(left.published)


@pytest.mark.parametrize("seed", range(30))
def test_bounds_hold_for_every_rule_that_a_generalized_one_stands_for(seed: int) -> None:
    draw = random.Random(seed)
    rows = [frozenset(label for label in "abcdefxy" if draw.random() < 0.4) for _ in range(12)]
    rows.append(frozenset("abcdefxy"))
    plan = published(Transactions.from_rows(rows), {"a..b", "c..d"}, {"f"})
    given = Transactions.from_rows(rows)
    left = remaining_rules(given, plan.apply(given), plan, min_support=2, min_confidence="0")
    below = {"a..b": "ab", "c..d": "cd"}
    seen = 0
    for bound in left.bounds():
        antecedents = [frozenset(one) for one in product(*(below.get(x, (x,)) for x in bound.antecedent))]
        consequents = [frozenset(one) for one in product(*(below.get(x, (x,)) for x in bound.consequent))]
        assert bound.stands_for == len(antecedents) * len(consequents)
        surest = []
        for antecedent, consequent in product(antecedents, consequents):
            assert support(rows, antecedent | consequent) <= bound.support
            if held := support(rows, antecedent):
                surest.append(Fraction(support(rows, antecedent | consequent), held))
        assert max(surest) <= bound.at_most
        assert max(surest) >= bound.best_at_least
        seen += 1
    assert seen == len(left.generalized) > 0


def test_a_generalized_antecedent_bounds_no_confidence() -> None:
    """Against cao2010, appendix D, which calls conf(A -> x) an upper bound."""
    rows = [frozenset(["a", "x"]), frozenset(["b"])]
    assert confidence(rows, (frozenset("a"), "x")) == 1
    assert confidence([frozenset(["A", "x"]), frozenset(["A"])], (frozenset("A"), "x")) == Fraction(1, 2)


@pytest.mark.parametrize("method", ["best", "tdcontrol", "suppress", "simple", "perturb"])
def test_what_is_left_is_counted_by_hand(method: str) -> None:
    draw = random.Random(method)
    for _ in range(25):
        labels, sensitive = "abcdexyz"[: draw.randint(4, 8)], "xyz"
        listed = [frozenset(x for x in labels if draw.random() < 0.5) for _ in range(draw.randint(2, 12))]
        rows = Transactions.from_rows(listed)
        done = anonymize(
            rows, rho="0.7", sensitive=[*"xyz"], ignore_unknown=True, method=method, keep_order=method != "perturb"
        )
        after = list(done.rows)
        if method != "perturb":
            assert done.left.rows == (len(listed), sum(one == other for one, other in zip(listed, after, strict=True)))
        shared = Counter(listed) & Counter(after)
        assert done.left.rows == (len(listed), shared.total())
        check_entries(done.left, listed, after, labels, sensitive)
        left = what_is_left(rows, done.rows, sensitive_codes([*sensitive], rows.vocabulary), min_support=2).itemsets
        assert left is not None
        check_itemsets(left, listed, after, labels, sensitive)


def check_entries(left, listed, after, labels: str, sensitive: str) -> None:
    held = {x: (support(listed, frozenset(x)), support(after, frozenset(x))) for x in labels}
    private = [held[x] for x in labels if x in sensitive]
    assert left.sensitive_items == (sum(b > 0 for b, _ in private), sum(a > 0 and b > 0 for b, a in private))
    assert left.sensitive_entries == (sum(b for b, _ in private), sum(min(each) for each in private))
    others = [held[x] for x in labels if x not in sensitive]
    assert left.other_entries == (sum(b for b, _ in others), sum(min(each) for each in others))


def check_itemsets(left, listed, after, labels: str, sensitive: str) -> None:
    every = (frozenset(x) for size in (1, 2, 3) for x in combinations(labels, size))
    sets = [x for x in every if support(listed, x) > 1]
    for figures, chosen in (
        ((left.before, left.kept, left.exact), sets),
        (left.sensitive, [x for x in sets if x & frozenset(sensitive)]),
    ):
        kept = sum(support(after, x) > 1 for x in chosen)
        exact = sum(support(after, x) == support(listed, x) for x in chosen)
        assert figures == (len(chosen), kept, exact)


def test_equal_rows_count_as_often_as_both_have_them() -> None:
    before = Transactions.from_rows(["a", "a", "a", "b", "", ""])
    after = Transactions.from_rows(["c", "a", "a", "", "", "", "b"])
    nothing = np.zeros(0, np.int32)
    assert what_is_left(before, after, nothing).rows == (6, 5)
    assert (
        what_is_left(before.fold(), after, nothing).rows == what_is_left(before, after.fold(), nothing).rows == (6, 5)
    )


@pytest.mark.parametrize("method", ["local", "rare-rows"])
@pytest.mark.parametrize("seed", range(5))
def test_rules_after_items_left_single_rows_are_counted_again(method: str, seed: int) -> None:
    draw = random.Random(seed)
    given = [frozenset(x for x in "abcdxy" if draw.random() < 0.5) for _ in range(40)]
    rows = Transactions.from_rows(given)
    done = discreet.anonymize(rows, rho="0.6", sensitive=["x", "y"], method=method)
    made = done.publication if done.recoding is None else done.recoding.publication
    found = remaining_rules(rows, done.rows, made, min_support=4, min_confidence="40%")

    def rules_of(data: list[frozenset[str]]) -> dict[tuple[frozenset[str], frozenset[str]], tuple[int, int]]:
        mined = discreet.rules(
            discreet.mine(Transactions.from_rows(data), min_support=4, target="all", max_length=3), min_confidence=0.4
        )
        return {(rule.antecedent, rule.consequent): (rule.support, rule.antecedent_support) for rule in mined}

    before, after = rules_of(given), rules_of(list(done.rows))
    changed = {*done.generalized}
    plain = {rule for rule in before if not changed & (rule[0] | rule[1])}
    same = {rule for rule in plain if after.get(rule) == before[rule]}
    assert (found.before, found.kept) == (len(before), len(same))
    assert found.changed == len([rule for rule in plain - same if rule in after])
    assert found.kept + found.changed + found.blurred + found.lost == found.before
