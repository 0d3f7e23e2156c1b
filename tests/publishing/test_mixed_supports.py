"""Several releases together, against every choice tried one by one."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, islice, product
from typing import TYPE_CHECKING

import pytest

from discreet import NotSafe, PatternSet, Transactions, audit, block, mine
from discreet.errors import UnsafeTogether
from discreet.publishing import mixed_supports
from discreet.publishing.certificate import Certificate
from discreet.publishing.earlier_releases import audit_together
from discreet.publishing.ledger_entries import Entry
from discreet.publishing.mixed_supports import TooMuchToAudit, differing_clash, mixed_clash, support_table
from tests.publishing.mixing_twin import differences, mixed_sums, printed_by
from tests.strategies import seeds

if TYPE_CHECKING:
    from collections.abc import Iterator


def entry(patterns: PatternSet, *, k: int, number: int = 1, source: str | None = "a" * 64) -> Entry:
    certificate = Certificate(
        kind="patterns",
        promise={"k": k},
        statement="-",
        not_promised=("-",),
        program="0",
        input=source,
        files={},
    )
    return Entry(number, "2026-01-01", f"folder-{number}", certificate, patterns)


def random_release(draw: random.Random, rows: Transactions, k: int) -> PatternSet | None:
    """Return patterns as a release would publish them, None where it would refuse."""
    support = draw.randint(k, max(k, rows.n // 2))
    method = draw.choice(["additive", "suppressive", "none"])
    try:
        if method == "none":
            return mine(rows, min_support=support) if audit(rows, k=k, min_support=support).safe else None
        return block(rows, k=k, min_support=support, method=method).patterns
    except NotSafe:
        return None


def random_rows(draw: random.Random) -> list[str]:
    kinds = ["".join(label for label in "abc" if draw.random() < 0.7) for _ in range(6)]
    return [draw.choice(kinds) for _ in range(draw.randint(8, 40))]


def random_pairs(seed: int) -> Iterator[tuple[PatternSet, PatternSet, int, bool]]:
    """Yield pairs of safe releases, of the same rows or of two snapshots, with k and whether the rows are the same."""
    draw = random.Random(seed)
    while True:
        k = draw.choice([2, 3, 5])
        old = random_rows(draw)
        new = list(old)
        for _ in range(draw.choice([1, 2, k])):
            new[draw.randrange(len(new))] = draw.choice(old)
        new += [draw.choice(old)] * draw.choice([0, 0, 1, k])
        made = [[random_release(draw, Transactions.from_rows(rows), k) for _ in range(5)] for rows in (old, new)]
        ours, theirs = ([patterns for patterns in some if patterns is not None] for some in made)
        yield from ((one, other, k, True) for one, other in combinations(ours, 2))
        yield from ((one, other, k, False) for one, other in list(product(ours, theirs))[:10])


def test_what_is_accepted_is_what_brute_force_accepts():
    seed = 20261116
    tally: Counter[tuple[bool, bool]] = Counter()
    for number, (old, new, k, same) in enumerate(islice(random_pairs(seed), len(seeds(250)))):
        printed = [printed_by(old), printed_by(new)]
        small = set(range(1, k))
        unsafe = bool((mixed_sums(printed) | differences(*printed)) & small)
        if same:  # readers must not see what was changed, either
            unsafe |= any(
                printed[0][itemset] != printed[1][itemset] for itemset in printed[0].keys() & printed[1].keys()
            )
        try:
            audit_together(new, [entry(old, k=k)], k=k, fingerprint=("a" if same else "b") * 64)
        except UnsafeTogether as refusal:
            accepted, rows, kind = False, refusal.rows, refusal.kind
        else:
            accepted, rows, kind = True, 1, None
        assert accepted is not unsafe, f"seed {seed}, pair {number}"
        assert 1 <= rows < k or kind == "changed", f"seed {seed}, pair {number}"
        tally[accepted, same] += 1
    assert min(tally[accepted, same] for accepted in (True, False) for same in (True, False)) >= len(seeds(5)), tally


def test_three_releases_that_are_safe_two_by_two_are_looked_at_together():
    releases = [
        PatternSet.from_itemsets([("a", a), ("b", b), ("ab", 30)], n=n, min_support=30)
        for a, b, n in ((60, 50, 100), (70, 50, 120), (60, 70, 130))
    ]
    small = set(range(1, 10))
    printed = [printed_by(patterns) for patterns in releases]
    assert not any(mixed_sums([one, other]) & small for one in printed for other in printed)
    assert (mixed_clash(support_table(releases), k=10) is not None) == bool(mixed_sums(printed) & small)


@pytest.mark.parametrize("seed", range(40))
def test_mixing_of_three_against_brute_force(seed: int):
    draw = random.Random(seed)
    base = PatternSet.from_itemsets([("a", 30), ("b", 28), ("ab", 20)], n=60, min_support=10)
    releases = [
        PatternSet.from_itemsets(
            [("a", 30 + draw.choice([0, 5, 10])), ("b", 28 + draw.choice([0, 5])), ("ab", 20)],
            n=60 + draw.choice([0, 5, 15]),
            min_support=10,
        )
        for _ in range(2)
    ]
    together = [base, *releases]
    for k in (2, 4, 6):
        found = mixed_clash(support_table(together), k=k)
        sums = mixed_sums([printed_by(patterns) for patterns in together]) & set(range(1, k))
        assert (found is not None) == bool(sums), (seed, k)
        assert found is None or found.rows in sums


def test_two_snapshots_that_differ_by_one_row_spell_that_row_out():
    rows = ["abc"] * 20 + ["ab"] * 20 + ["c"] * 20 + [""] * 20
    old = mine(Transactions.from_rows(rows), min_support=10)
    new = mine(Transactions.from_rows([*rows, "abc"]), min_support=10)
    found = differing_clash(support_table([old, new]), [1], [0], k=5)
    assert found is not None
    assert found.rows == 1
    with pytest.raises(UnsafeTogether):
        audit_together(new, [entry(old, k=5)], k=5, fingerprint="b" * 64)


def test_two_releases_of_the_same_rows_may_not_differ_by_a_small_group():
    """What was left out of one, because it is a group of four, is what the other has more."""
    rows = Transactions.from_rows(["ab"] * 40 + ["a"] * 30 + ["b"] * 4 + [""] * 30)
    blocked = block(rows, k=5, min_support=20, method="suppressive").patterns
    exact = mine(rows, min_support=70)
    assert audit(exact, k=5).safe
    assert mixed_clash(support_table([blocked, exact]), k=5) is None
    with pytest.raises(UnsafeTogether) as refusal:
        audit_together(exact, [entry(blocked, k=5)], k=5, fingerprint="a" * 64)
    assert refusal.value.rows == 4


def test_two_releases_of_the_same_rows_may_not_show_that_one_was_changed():
    """Ten virtual rows more: no choice of supports gives a small group, but readers see what was added, and where."""
    exact = PatternSet.from_itemsets([("a", 60), ("b", 50), ("ab", 30)], n=200, min_support=20)
    raised = PatternSet.from_itemsets([("a", 70), ("b", 50), ("ab", 30)], n=210, min_support=20)
    assert mixed_clash(support_table([exact, raised]), k=10) is None
    with pytest.raises(UnsafeTogether) as refusal:
        audit_together(raised, [entry(exact, k=10)], k=10, fingerprint="a" * 64)
    assert (refusal.value.kind, refusal.value.rows, refusal.value.base) == ("changed", 10, frozenset("a"))
    audit_together(raised, [entry(exact, k=10)], k=10, fingerprint="b" * 64)  # of other rows there is nothing to see


def test_a_larger_k_of_an_earlier_release_counts():
    rows = Transactions.from_rows(["ab"] * 20 + ["a"] * 6 + [""] * 20)
    new = mine(rows, min_support=10)
    other = mine(Transactions.from_rows(["c"] * 20 + [""] * 26), min_support=10)
    audit_together(new, [entry(other, k=5)], k=5, fingerprint="a" * 64)
    with pytest.raises(UnsafeTogether):
        audit_together(new, [entry(other, k=10)], k=5, fingerprint="a" * 64)


def test_what_is_too_large_to_decide_is_refused(monkeypatch: pytest.MonkeyPatch):
    rows = Transactions.from_rows(["abcdef"] * 20 + ["abc"] * 20)
    patterns = mine(rows, min_support=5)
    assert mixed_clash(support_table([patterns]), k=5) is None
    monkeypatch.setattr(mixed_supports, "_MOST_CELLS", 50)
    with pytest.raises(TooMuchToAudit, match="raise min_support"):
        mixed_clash(support_table([patterns]), k=5)


def test_what_is_public_already_is_accepted_however_large_it_is(monkeypatch: pytest.MonkeyPatch):
    rows = Transactions.from_rows(["abcdef"] * 20 + ["abc"] * 20 + ["2"] * 20)
    patterns = mine(rows, min_support=5)
    less = mine(rows, min_support=30)
    monkeypatch.setattr(mixed_supports, "_MOST_CELLS", 1)
    monkeypatch.setattr(mixed_supports, "support_table", pytest.fail)
    for same in (patterns, less):
        audit_together(same, [entry(patterns, k=5)], k=5, fingerprint="a" * 64)
    monkeypatch.undo()
    monkeypatch.setattr(mixed_supports, "_MOST_CELLS", 1)
    other = replace(less, supports=less.supports - 1, min_support=30)
    for changed, k in ((other, 5), (replace(less, n=61), 5), (less, 6)):
        with pytest.raises(TooMuchToAudit):
            audit_together(changed, [entry(patterns, k=5)], k=k, fingerprint="a" * 64)
    audit_together(patterns, [entry(less, k=5)], k=5, fingerprint="a" * 64)  # more of the same rows: all agree


def test_a_part_of_the_closed_itemsets_is_no_selection():
    """Without a, the closed itemset ab says that a is in 30 rows; the earlier release says 40."""
    public = PatternSet.from_itemsets([("a", 40), ("ab", 30)], n=100, min_support=30, target="closed")
    part = PatternSet.from_itemsets([("ab", 30)], n=100, min_support=30, target="closed")
    with pytest.raises(UnsafeTogether):
        audit_together(part, [entry(public, k=5)], k=5, fingerprint="a" * 64)


def test_labels_of_different_releases_are_told_apart():
    one = PatternSet.from_itemsets([("a", 30), ("z", 20)], n=50, min_support=20)
    two = PatternSet.from_itemsets([("b", 30), ("z", 20)], n=50, min_support=20)
    table = support_table([one, two])
    listed = dict(zip(["a", "b", "z", ""], table.supports.tolist(), strict=True))
    assert listed == {"a": [30, -1], "b": [-1, 30], "z": [20, 20], "": [50, 50]}
