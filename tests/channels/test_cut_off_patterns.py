"""Patterns that were cut off at some length, or are not all there: audited as what they are, not called impossible."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from discreet.channels.audit import audit
from discreet.channels.tradeoff import tradeoff
from discreet.errors import DataError
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.patterns.reading import read_patterns
from discreet.transactions.transactions import Transactions


def random_rows(seed: int) -> list[frozenset[str]]:
    draw = np.random.default_rng(seed)
    return [frozenset(np.array(list("abcde"))[draw.random(5) < 0.6].tolist()) for _ in range(int(draw.integers(3, 14)))]


def small_groups(rows: list[frozenset[str]], listed: list[frozenset[str]], k: int) -> set[tuple[frozenset[str], ...]]:
    """Return base and full of every small group on a listed itemset that no other contains, counted in the rows."""
    found = set()
    for full in listed:
        if not any(full < other for other in listed):
            counts = Counter(row & full for row in rows)
            found |= {(base, full) for base, count in counts.items() if count < k}
    return found


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("seed", range(60))
def test_capped_patterns_give_the_groups_of_the_rows(seed: int, length: int):
    rows = random_rows(seed)
    capped = mine(Transactions.from_rows(rows), min_support=1, target="all", max_length=length)
    expected = small_groups(rows, [frozenset(itemset) for itemset, _ in capped], k=3)
    for method in ("auto", "direct"):
        found = audit(capped, k=3, method=method, border=False)
        if len(capped):
            assert {(channel.base, channel.full) for channel in found.channels} == expected
    audit(capped, k=3)  # the border is looked at, too


def test_a_table_that_does_not_say_that_it_was_cut_off(tmp_path):
    capped = mine(Transactions.from_rows(["abc", "ac", "b"]), min_support=1, target="all", max_length=2)
    path = tmp_path / "found.csv"
    sets = [(support / 3, ", ".join(repr(label) for label in sorted(itemset))) for itemset, support in capped]
    lines = [f'{share!r},"frozenset({{{labels}}})"' for share, labels in sets]
    path.write_text("\n".join(["support,itemsets", *lines]))
    assert list(audit(read_patterns(path, n=3), k=2, border=False).channels) == list(
        audit(capped, k=2, border=False).channels
    )


def test_nothing_follows_from_the_absence_of_longer_itemsets(tmp_path):
    """That at least 3 rows have both contradicts that pairs are all there, so they are not."""
    path = tmp_path / "found.csv"
    path.write_text('items,freq\n"[a]",4\n"[b]",3\n')
    [group] = audit(read_patterns(path, n=4), k=2).border
    assert (group.base, group.full, group.low, group.high) == ({"a"}, {"a", "b"}, 1, 1)


@pytest.mark.parametrize("length", [1, 2])
def test_bounds_of_cut_off_patterns_do_not_contradict_each_other(tmp_path, length: int):
    path = tmp_path / "found.csv"
    for seed in range(80):
        rows = random_rows(seed)
        capped = mine(Transactions.from_rows(rows), min_support=3, target="all", max_length=length)
        labels = (", ".join(sorted(itemset)) for itemset, _ in capped)
        lines = [f'{support},"[{listed}]"' for support, listed in zip(capped.supports.tolist(), labels, strict=True)]
        path.write_text("\n".join(["freq,items", *lines, ""]))
        if len(capped):
            found = audit(read_patterns(path, n=len(rows)), k=3)
            assert all(group.low <= group.high for group in found.border)


def test_a_trade_off_needs_all_lengths():
    capped = mine(Transactions.from_rows(["abc", "ac", "b"]), min_support=1, target="all", max_length=2)
    with pytest.raises(DataError, match="mine without a cap"):
        tradeoff(capped, min_support=[1, 2], k=[2])


def test_what_only_looks_like_all_closed_ones_is_incomplete(tmp_path):
    """Of 15 rows 13 have a and 12 have c, so 10 at least have both; as closed ones these would say 5."""
    path = tmp_path / "some.txt"
    path.write_text("a #SUP: 13\nc #SUP: 12\na b #SUP: 6\na b c #SUP: 5\n")
    found = audit(read_patterns(path, n=15), k=3)
    assert found.kind == "incomplete"


def test_supports_that_no_rows_can_have_are_still_refused():
    pairs = [(set(chosen), 3 if len(chosen) == 1 else 0) for size in (1, 2) for chosen in combinations("abc", size)]
    wrong = PatternSet.from_itemsets([(items, max(1, s)) for items, s in pairs], n=4, min_support=1)
    with pytest.raises(DataError, match="contradict"):
        audit(wrong, k=2)
