"""Blocking among quasi-identifiers: everything is published, and no small group that they describe follows."""

from __future__ import annotations

import random
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from discreet.channels.audit import audit
from discreet.channels.blocking import block
from discreet.errors import NotSafe
from discreet.patterns.mining import mine
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def parts(items: Iterable[str]) -> Iterator[frozenset[str]]:
    """Yield every subset."""
    listed = sorted(items)
    for length in range(len(listed) + 1):
        yield from map(frozenset, combinations(listed, length))


def small_groups(supports: dict[frozenset[str], int], known: frozenset[str], k: int) -> set[tuple[str, str]]:
    """Return the pairs I within J of known items that have 1 to k-1 rows, by inclusion and exclusion (Lemma 1)."""
    found = set()
    for full in (items for items in supports if items <= known):
        for base in parts(full):
            rows = sum(
                (-1) ** (len(between) - len(base)) * supports[between] for between in parts(full) if base <= between
            )
            if 0 < rows < k:
                found.add(("".join(sorted(base)), "".join(sorted(full))))
    return found


@pytest.mark.parametrize("method", ["additive", "suppressive"])
def test_all_itemsets_are_published_and_no_small_group_of_known_items_follows(method: str):
    draw = random.Random(11)
    changed = done_with_groups_of_others = 0
    for _ in range(60):
        rows = Transactions.from_rows(
            ["".join(item for item in "abcde" if draw.random() < 0.65) for _ in range(draw.randint(30, 60))]
        )
        names = draw.sample("abcde", draw.randint(1, 4))
        k, sigma = draw.randint(2, 5), draw.randint(5, 12)
        try:
            done = block(rows, k=k, min_support=sigma, method=method, target="all", quasi_identifiers=names)
        except NotSafe:
            continue
        published = mine(done.witness, min_support=done.min_support, target="all")
        assert published == done.patterns, "the witness has just these patterns, the other items included"
        if method == "additive":
            before = mine(rows, min_support=done.min_support, target="all")
            assert [items for items, _ in published] == [items for items, _ in before], "no itemset is lost or gained"
            assert not ((done.patterns.supports - done.before) % k).any()
        supports = {frozenset(): published.n, **dict(published)}
        assert not small_groups(supports, frozenset(names), k)
        assert audit(published, k=k, quasi_identifiers=names).safe
        changed += done.distortion.rows > 0
        done_with_groups_of_others += bool(small_groups(supports, frozenset("abcde"), k))
    assert changed > 10
    assert done_with_groups_of_others > 5, "groups that other items describe are left alone"


@pytest.mark.parametrize("method", ["additive", "suppressive"])
def test_fewer_known_items_cost_less(method: str):
    rows = Transactions.from_rows(["abc"] * 20 + ["ab"] * 12 + ["ac"] * 2 + ["bc"] * 9 + [""] * 10)
    whole, part = (
        block(rows, k=4, min_support=5, method=method, quasi_identifiers=names) for names in (None, ["a", "b"])
    )
    assert part.distortion.rows <= whole.distortion.rows
    assert {label for items, _ in part.patterns for label in items} == set("abc")


def test_a_quasi_identifier_without_a_frequent_value_leaves_nothing_to_block():
    rows = Transactions.from_rows(["ab"] * 20 + ["a"] * 2 + ["z"])
    assert not audit(rows, k=4, min_support=5).safe
    done = block(rows, k=4, min_support=5, method="additive", quasi_identifiers=["z"])
    assert (done.distortion.rows, done.patterns.n) == (0, 23)


def test_a_label_with_blanks_is_one_of_the_known_items():
    rows = Transactions.from_rows([[" a", "b"]] * 20 + [[" a"]] * 2 + [["c"]] * 10)
    done = block(rows, k=4, min_support=5, method="suppressive", quasi_identifiers=["b", "c"])
    assert done.n_after == 32
