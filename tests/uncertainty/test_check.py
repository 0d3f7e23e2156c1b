"""The checker against the definition, over all antecedents; and what it says about real rows."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.check import check
from discreet.uncertainty.hierarchy import fanout_hierarchy
from discreet.uncertainty.sensitive_items import draw_sensitive, sensitive_codes
from discreet.uncertainty.sensitive_rules import attainable_share
from discreet.uncertainty.simple import simple
from tests import uncertainty_twin as twin

if TYPE_CHECKING:
    from pathlib import Path

LABELS = "abcdefgh"


def random_rows(draw: random.Random) -> tuple[list[frozenset[str]], list[str]]:
    """Draw rows from sparse to dense, empty and equal ones among them, and which items are sensitive."""
    labels = LABELS[: draw.randint(1, 8)]
    density = draw.choice([0.25, 0.5, 0.8])
    rows = [frozenset(x for x in labels if draw.random() < density) for _ in range(draw.randint(1, 14))]
    sensitive = [x for x in labels if draw.random() < 0.4] or [labels[0]]
    return rows, sensitive


@pytest.mark.parametrize("seed", range(500))
def test_agrees_with_brute_force_over_all_antecedents(seed: int) -> None:
    draw = random.Random(seed)
    rows, sensitive = random_rows(draw)
    rho = Fraction(draw.randint(1, 20), 20)
    checked = check(Transactions.from_rows(rows), rho=rho, sensitive=sensitive, ignore_unknown=True)
    worst = checked.worst_rule
    highest = twin.highest_confidence(rows, sensitive)
    assert (None if worst is None else worst.confidence) == highest
    assert checked.safe == (highest is None or highest < rho)
    broken = twin.violating(rows, sensitive, rho)
    assert checked.affected == tuple(sorted({consequent for _, consequent in broken}))
    by_one = [r for r, row in enumerate(rows) if any(len(x) < 2 and x | {y} <= row for x, y in broken)]
    assert checked.endangered_by_one.tolist() == by_one
    if worst is not None:
        antecedent = frozenset(worst.antecedent)
        both = antecedent | {worst.consequent}
        assert worst.consequent in sensitive
        assert worst.consequent not in antecedent
        assert (worst.together, worst.holding) == (twin.support(rows, both), twin.support(rows, antecedent))
        assert checked.endangered.tolist() == [r for r, row in enumerate(rows) if both <= row]
        for item in antecedent:
            assert twin.confidence(rows, (antecedent - {item}, worst.consequent)) < worst.confidence


@pytest.mark.parametrize("seed", range(20))
def test_rows_counted_once_or_by_weight_are_the_same(seed: int) -> None:
    rows, sensitive = random_rows(random.Random(seed))
    plain = Transactions.from_rows(rows * 3)
    one, other = (check(x, rho="0.5", sensitive=sensitive, ignore_unknown=True) for x in (plain, plain.fold()))
    assert one.worst_rule == other.worst_rule
    assert (one.safe, one.affected) == (other.safe, other.affected)


def test_the_empty_antecedent_counts() -> None:
    rows = Transactions.from_rows(["as", "bs", "cs", "d", "", ""])
    checked = check(rows, rho="0.5", sensitive=["s"])
    assert not checked.safe  # a -> s is sure
    only = Transactions.from_rows(["s", "s", "s", "", "", ""])
    checked = check(only, rho="0.5", sensitive=["s"])
    assert not checked.safe
    assert checked.worst_rule is not None
    assert (checked.worst_rule.antecedent, checked.worst_rule.confidence) == ((), Fraction(1, 2))
    assert check(only, rho="0.51", sensitive=["s"]).safe


def test_a_confidence_of_exactly_rho_is_not_safe_however_rho_is_written() -> None:
    third = Transactions.from_rows(["as", "a", "a", "", ""])
    assert not check(third, rho=Fraction(1, 3), sensitive=["s"]).safe
    assert check(third, rho="0.33333333333333333333333333333333334", sensitive=["s"]).safe
    assert not check(third, rho="0.33333333333333333333333333333333333", sensitive=["s"]).safe


def test_of_equally_sure_rules_the_one_with_most_rows_is_named() -> None:
    rows = Transactions.from_rows(["as", "bs", "bs", "cds", "e"])
    worst = check(rows, rho="0.9", sensitive=["s"]).worst_rule
    assert worst is not None
    assert (worst.antecedent, worst.together) == (("b",), 2)


def test_no_sensitive_item_in_any_row() -> None:
    checked = check(Transactions.from_rows(["ab", "b"]), rho="0.5", sensitive=["s"], ignore_unknown=True)
    assert checked.safe
    assert checked.worst_rule is None
    assert "no sensitive item" in repr(checked)


@pytest.mark.parametrize("whole", [1, 2, 3, 7, 12])
def test_attainable_share_is_the_smallest_fraction_not_below(whole: int) -> None:
    for denominator in range(1, 40):
        for part in range(1, denominator + 1):
            share = Fraction(part, denominator)
            smallest = min(Fraction(-(-share.numerator * m // share.denominator), m) for m in range(1, whole + 1))
            assert Fraction(*attainable_share(share, whole)) == smallest


@pytest.mark.parametrize("name", ["BMS-WebView-1.dat.gz", "groceries.dat.gz"])
def test_public_rows_are_not_safe_until_their_sensitive_items_go(data_folder: Path, name: str) -> None:
    rows = read(data_folder / name)
    sensitive = draw_sensitive(rows.vocabulary, "40%", seed=1)
    before = check(rows, rho="0.5", sensitive=sensitive)
    assert not before.safe
    assert before.worst_rule is not None
    assert before.worst_rule.confidence == 1
    assert len(before.endangered) == before.worst_rule.together
    codes = sensitive_codes(sensitive, rows.vocabulary)
    tree = fanout_hierarchy(label for label in rows.vocabulary if label not in set(sensitive))
    after = check(
        simple(rows, sensitive=codes, hierarchy=tree).apply(rows), rho="0.01", sensitive=sensitive, ignore_unknown=True
    )
    assert after.safe
    assert after.worst_rule is None
