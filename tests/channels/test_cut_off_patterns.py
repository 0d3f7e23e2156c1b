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
from tests.strategies import parts


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


@pytest.mark.parametrize("said", [True, False])
def test_short_itemsets_that_are_not_listed_are_known_to_be_rare(tmp_path, said: bool):
    """Of 10 rows 7 have c and 6 have e, so 3 have both, as more would be listed: 8 + 7 + 6 - 5 - 4 - 3 + 1 = 10."""
    listed = {"b": 8, "c": 7, "e": 6, "bc": 5, "be": 4}
    capped = PatternSet.from_itemsets(listed.items(), n=10, min_support=4, target="all", max_length=2)
    path = tmp_path / "found.txt"
    path.write_text("".join(f"{' '.join(items)} #SUP: {support}\n" for items, support in listed.items()))
    found = audit(capped if said else read_patterns(path, n=10), k=2)
    assert found.verdict == "not-safe"
    assert ({"b", "c", "e"}, 1, 1) in [(group.full, group.low, group.high) for group in found.border]


@pytest.mark.parametrize("seeds", parts(60, 2))
def test_nothing_follows_from_capped_patterns_that_are_called_safe(seeds: range):
    """Against every data set of so many rows that has these itemsets, and no other of that length, often enough."""
    safe = 0
    for seed in seeds:
        draw = np.random.default_rng(seed)
        n, least, length, k = (int(draw.integers(*ends)) for ends in ((4, 9), (2, 5), (1, 3), (2, 4)))
        kinds = draw.integers(0, 8, 4)
        rows = ["".join(label for bit, label in enumerate("abc") if kind >> bit & 1) for kind in draw.choice(kinds, n)]
        capped = mine(Transactions.from_rows(rows), min_support=least, target="all", max_length=length)
        listed = {frozenset(items): support for items, support in capped}
        found = audit(capped, k=k)
        if found.verdict == "safe":
            safe += 1
            assert not small_groups_that_follow(listed, n, least, length, k), (rows, least, length, k)
    assert safe > len(seeds) // 10


def small_groups_that_follow(listed: dict[frozenset[str], int], n: int, least: int, length: int, k: int) -> list[str]:
    """Return the groups of 1 to k - 1 rows in every data set that fits, by writing all of them down."""
    items = sorted(frozenset().union(*listed))
    cells = [frozenset(cell) for size in range(len(items) + 1) for cell in combinations(items, size)]
    counts = np.array(fillings(n, len(cells)))
    for some in cells[1:]:
        support = counts @ [some <= cell for cell in cells]
        if some in listed:
            counts = counts[support == listed[some]]
        elif len(some) <= length:
            counts = counts[support < least]
    found = []
    for present in cells:
        for absent in cells:
            sizes = counts @ [present <= cell and not absent & cell for cell in cells]
            if not present & absent and sizes.min() >= 1 and sizes.max() < k:
                found.append(f"{sorted(present)} without {sorted(absent)}")
    return found


def fillings(rows: int, cells: int) -> list[tuple[int, ...]]:
    """Return every way to distribute rows over cells."""
    if cells == 1:
        return [(rows,)]
    return [(first, *rest) for first in range(rows + 1) for rest in fillings(rows - first, cells - 1)]


def test_what_no_data_set_has_even_if_it_was_cut_off_is_refused(tmp_path):
    """Two of four rows have a, b and c, so b and c are as frequent together as what is listed."""
    path = tmp_path / "found.csv"
    path.write_text('items,freq\n[a],2\n[b],2\n[c],2\n"[a, b]",2\n"[a, c]",2\n')
    with pytest.raises(DataError, match=r"no data set can have them all; check .* that none is missing"):
        audit(read_patterns(path, n=4), k=2)


def test_a_list_of_single_items_is_not_called_impossible(tmp_path):
    """Three rows with three single items in them: whoever claims no more is not contradicted by longer itemsets."""
    path = tmp_path / "found.csv"
    path.write_text("items,freq\n[a],1\n[b],2\n[c],1\n")
    assert audit(read_patterns(path, n=3), k=2).verdict == "not-safe"
