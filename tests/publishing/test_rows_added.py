"""Releases of data that grow: what may stand beside earlier ones, against the definition, row by row."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import pytest

from discreet import NotSafe, ParameterError, PatternSet, Transactions, audit, mine, release
from discreet.channels.collection import collection_of
from discreet.channels.exclusive import Exclusive
from discreet.errors import EntailedTogether, UnsafeTogether
from discreet.patterns.patternset import trimmed
from discreet.publishing.certificate import Certificate
from discreet.publishing.earlier_releases import NewRelease, audit_together, check_entries, find_clash
from discreet.publishing.largest_selection import largest_selection
from discreet.publishing.ledger import open_ledger
from discreet.publishing.ledger_entries import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("no_charts")


def published(rows: list[str], support: int) -> PatternSet:
    patterns = trimmed(mine(Transactions.from_rows(rows), min_support=support, target="all"))
    return replace(patterns, min_support=int(patterns.supports.min(initial=patterns.n)))


def entry(number: int, patterns: PatternSet, k: int, **about: Any) -> Entry:
    certificate = Certificate(
        kind="patterns",
        promise={"k": k},
        statement="-",
        not_promised=("-",),
        program="0",
        input=f"{number:02}" * 32,
        files={},
    )
    return Entry(number, "2026-01-01", f"month {number}", certificate, patterns, **about)


def itemsets(patterns: PatternSet) -> set[frozenset[str]]:
    return {frozenset(labels) for labels, _ in collection_of(patterns).everything}


def subsets(items: Iterable[str]) -> Iterable[frozenset[str]]:
    listed = sorted(items)
    return map(frozenset, chain.from_iterable(combinations(listed, size) for size in range(len(listed) + 1)))


def small_group(months: list[list[str]], families: list[set[frozenset[str]]], k: int) -> bool:
    """Return whether rows that came after one month, up to another, have a small group of items that both print."""
    for later, rows in enumerate(months):
        for earlier in range(-1, later):
            came = rows[len(months[earlier]) if earlier >= 0 else 0 :]
            both = families[later] & families[earlier] if earlier >= 0 else families[later]
            for full in both | {frozenset()}:
                for base in subsets(full):
                    if 0 < sum(full & set(row) == base for row in came) < k:
                        return True
    return False


def a_growing_table(seed: int) -> tuple[list[list[str]], int, int]:
    luck = random.Random(seed)
    kinds = ["".join(sorted(kind)) for kind in subsets("abc")]
    k = luck.choice([2, 3])
    weights = [luck.choice([0, 0, 1, 3]) for _ in kinds]
    months: list[list[str]] = [[]]
    for _ in range(luck.choice([2, 3])):
        came = luck.choices(kinds, [weight + 0.01 for weight in weights], k=luck.choice([0, 8, 20]))
        months.append(months[-1] + came)
    return months[1:], k, luck.choice([k, 5, 8])


def refused_because(patterns: PatternSet, earlier: list[Entry], k: int) -> str | None:
    try:
        check_entries(earlier)
        audit_together(patterns, earlier, k=k, fingerprint="9" * 64, rows_added=True)
    except UnsafeTogether as refusal:
        return refusal.kind
    return None


def test_what_is_accepted_and_what_is_refused_is_so_by_the_definition():
    accepted = refused = 0
    for seed in range(150):
        months, k, support = a_growing_table(seed)
        if not all(months):
            continue
        printed = [published(rows, support) for rows in months]
        if not all(len(one) and audit(one, k=k, border=False).safe for one in printed):
            continue
        earlier = [entry(number, one, k, rows_added=True) for number, one in enumerate(printed[:-1], 1)]
        wrong = small_group(months, [itemsets(one) for one in printed], k)
        refusal = refused_because(printed[-1], earlier, k)
        if refusal is None:
            assert not wrong
            accepted += 1
        elif refusal != "entailed":  # what the attacker adds is beyond what both print
            assert refusal in ("difference", "changed")
            assert wrong
            refused += 1
    assert accepted > 10
    assert refused > 10


def test_the_largest_selection_is_safe_and_withholds_no_more_than_it_must():
    smaller = 0
    for seed in range(150):
        months, k, support = a_growing_table(seed)
        if not all(months):
            continue
        printed = [published(rows, support) for rows in months[-2:]]
        if not all(len(one) and audit(one, k=k).safe for one in printed):
            continue
        earlier, new = [entry(1, printed[0], k)], NewRelease(k, "2" * 64, Exclusive(), None, False, True)
        left = largest_selection(printed[1], earlier, new)
        whole = itemsets(printed[1])
        if left is None:
            continue
        kept = itemsets(left)
        assert find_clash(left, earlier, new) == (None, ())
        assert all(set(subsets(each)) - {frozenset()} <= kept for each in kept)
        assert not small_group(months[-2:], [itemsets(printed[0]), kept], k)
        smaller += kept < whole
        lowest = [each for each in whole - kept if set(subsets(each)) - {frozenset(), each} <= kept]
        refused = [small_group(months[-2:], [itemsets(printed[0]), kept | {each}], k) for each in lowest]
        assert all(refused) or find_clash(_selected(printed[1], kept | set(lowest)), earlier, new)[0] is not None
    assert smaller > 5


def _selected(patterns: PatternSet, kept: set[frozenset[str]]) -> PatternSet:
    listed = [(sorted(labels), support) for labels, support in patterns if frozenset(labels) in kept]
    return PatternSet.from_itemsets(listed, n=patterns.n, min_support=patterns.min_support, target="selected")


JANUARY = ["a"] * 40 + ["ab"] * 60 + [""] * 30
FEBRUARY = [*JANUARY, *["ab"] * 32, *["a"] * 12]


def test_supports_of_two_months_are_mixed_unless_rows_were_only_added(tmp_path: Path):
    """In January 100 have a, in February 92 have a and b: the difference of 8 is of nobody, if all stayed."""
    how = {"k": 10, "min_support": 20, "method": "none", "ledger": tmp_path / "book"}
    january, february = Transactions.from_rows(JANUARY), Transactions.from_rows(FEBRUARY)
    release(january, output=tmp_path / "1", new_ledger=True, **how)
    with pytest.raises(UnsafeTogether) as refusal:
        release(february, output=tmp_path / "2", **how)
    assert (refusal.value.kind, refusal.value.rows) == ("mixed", 8)
    release(february, output=tmp_path / "2", rows_added=True, **how)
    with open_ledger(tmp_path / "book") as book:
        assert [each.rows_added for each in book.entries] == [False, True]
        assert check_entries(book.entries) == ()


def test_what_an_owner_says_about_the_rows_does_not_contradict_itself(tmp_path: Path):
    rows = Transactions.from_rows(JANUARY)
    how = {"k": 10, "min_support": 20, "method": "none", "output": tmp_path / "out"}
    with pytest.raises(ParameterError, match="contradict"):
        release(rows, ledger=tmp_path / "book", new_ledger=True, rows_left=True, rows_added=True, **how)
    with pytest.raises(ParameterError, match="rows_added is about the releases in a ledger"):
        release(rows, rows_added=True, **how)
    assert list(tmp_path.iterdir()) == []


BEFORE = ["a"] * 14 + ["b"] * 12 + ["c"] * 7 + ["ab"] * 7 + ["ac"] + ["bc"] * 15


def test_the_first_of_many_months_is_still_read_together_with_the_last():
    """Markers of all months fill the windows of the attacker, which then saw nothing in all of them together."""
    months = [BEFORE]
    for number in range(24):
        months.append([*months[-1], *["ac"] * (6 + number), *["a"] * 8])
    first = entry(1, published(BEFORE, 22), 5)
    between = [entry(number, _only_a(rows), 5, rows_added=True) for number, rows in enumerate(months[1:-1], 2)]
    with pytest.raises(NotSafe) as refusal:
        audit_together(published(months[-1], 8), [first, *between], k=5, fingerprint="9" * 64, rows_added=True)
    assert isinstance(refusal.value, EntailedTogether)


def _only_a(rows: list[str]) -> PatternSet:
    """Return a release of these rows that prints the support of a alone."""
    support = sum("a" in row for row in rows)
    return PatternSet.from_itemsets([("a", support)], n=len(rows), min_support=support, target="selected")
