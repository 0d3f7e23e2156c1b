"""What withholding promises: after it nothing about sensitive items follows, and no more was withheld than needed."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.channels.audit import audit
from discreet.channels.withholding import withhold
from discreet.errors import DataError, NotSafe
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.transactions.transactions import Transactions
from tests import conclusions_twin as twin
from tests.attacks.twin import Publication
from tests.laws.test_conclusions import asked, random_case

FEW_ITEMS = 4

HOSPITAL = [  # rows, of which so many have the diagnosis, and what readers can know of them
    (40, 40, "isolation"),
    (12, 11, "maternity old"),
    (48, 5, "maternity"),
    (50, 10, "general old"),
    (30, 12, "day male diabetes"),
    (30, 28, "day male"),
    (60, 10, "day"),
    (60, 5, "eye clinic"),
    (40, 40, "eye"),
    (300, 20, "general"),
    (200, 20, "general male"),
    (60, 6, "general diabetes"),
]
PLANTED = {
    "everybody of a ward": (("isolation",), (), 40, 40),
    "eleven of twelve": (("maternity", "old"), (), 12, 11),
    "by subtraction": (("day", "male"), ("diabetes",), 30, 28),
}
KNOWN = sorted({item for _, _, items in HOSPITAL for item in items.split()})


def hospital() -> list[list[str]]:
    """Return made-up stays in which four groups tell who is ill: three by counting, one by bounds."""
    return [
        [*items.split(), *(["ill"] if number < ill else [])]
        for count, ill, items in HOSPITAL
        for number in range(count)
    ]


def publication_of(patterns: PatternSet) -> Publication:
    return Publication(patterns.n, dict(patterns))


@pytest.mark.parametrize("seed", range(60))
def test_nothing_follows_afterwards_and_nothing_was_withheld_in_vain(seed: int) -> None:
    rows, sigma, known, rho = random_case(seed, most_items=FEW_ITEMS, most_rows=12)
    rows = rows * 2  # safe for k = 2 more often
    options = asked(rows, known, rho)
    patterns = mine(Transactions.from_rows(rows), min_support=2 * sigma, target="closed" if seed % 2 else "all")
    if not len(patterns):
        return
    try:
        done = withhold(patterns, k=2, **options)
    except NotSafe:
        assert not audit(patterns, k=2, **options).groups_safe
        return
    published = done.patterns
    if done.before.safe:
        assert published is patterns
        assert not len(done.withheld)
        return
    assert published.target == "selected"
    assert done.proof.safe
    true = dict(mine(Transactions.from_rows(rows), min_support=2 * sigma, target="all"))
    assert dict(published).items() <= true.items()
    assert dict(published) | dict(done.withheld) == true
    if not len(published):
        return
    every = set(options["quasi_identifiers"] or patterns.vocabulary.labels) - {"s", "t"}
    labels = every & set(publication_of(published).items)
    assert not twin.by_enumeration(publication_of(published), labels, ["s", "t"], done.proof.rho)
    for itemset, support in done.withheld:
        if all(itemset - {item} in dict(published) or len(itemset) == 1 for item in itemset):
            more = Publication(published.n, dict(published) | {itemset: support})
            assert twin.by_enumeration(more, every & set(more.items), ["s", "t"], done.proof.rho)


@pytest.mark.parametrize("target", ["closed", "all"])
def test_planted_leaks_are_found_withheld_and_gone(target: str) -> None:
    given = Transactions.from_rows(hospital())
    options = {"k": 2, "sensitive": "ill", "rho": "0.8", "quasi_identifiers": KNOWN}
    patterns = mine(given, min_support=10, target=target)
    told = audit(patterns, **options).conclusions
    for present, absent, size, having in PLANTED.values():
        assert any(
            one.present >= {*present} and one.absent >= {*absent} and one.rows[1] <= size and one.having[0] <= having
            for one in told.certain
        )
    by_bounds = {(one.present, one.absent): one for one in told.bounded}
    assert by_bounds[frozenset({"eye"}), frozenset({"clinic"})].having == (36, 40)
    done = withhold(patterns, **options)
    assert done.proof.safe
    assert len(done.patterns) > len(done.withheld)
    assert done.patterns.support_of(["ill"]) == given.n - sum(count - ill for count, ill, _ in HOSPITAL)
    supports = publication_of(done.patterns)
    for present, absent in [*((x, y) for x, y, _, _ in PLANTED.values()), (("eye",), ("clinic",))]:
        assert not twin.follows(supports, (frozenset(present), frozenset(absent), "ill"), Fraction(4, 5))


def test_what_cannot_be_done_is_refused() -> None:
    small = PatternSet.from_itemsets([("a", 5), ("s", 5), ("as", 4)], n=10, min_support=2)
    with pytest.raises(NotSafe, match="block first"):
        withhold(small, k=2, sensitive="s", rho="0.5")
    some = PatternSet.from_itemsets([("a", 6), ("as", 6)], n=20, min_support=2, target="selected")
    with pytest.raises(DataError, match="all frequent itemsets"):
        withhold(some, k=2, sensitive="s", rho="0.5")
