"""Several releases that the attacker reads as one, against every data set that could have given them all."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import pytest

from discreet import NotSafe, PatternSet, Transactions, audit, block, mine
from discreet.errors import EntailedTogether, UnsafeTogether
from discreet.patterns.patternset import trimmed
from discreet.publishing.certificate import Certificate
from discreet.publishing.combined_attack import AllReleases, PrintedRelease
from discreet.publishing.earlier_releases import audit_together, check_entries
from discreet.publishing.ledger import open_ledger
from discreet.publishing.ledger_entries import Entry
from discreet.publishing.release import release
from tests.attacks.twin import Publication, entailed_by_milp, expand_closed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

BEFORE = ["a"] * 14 + ["b"] * 12 + ["c"] * 7 + ["ab"] * 7 + ["ac"] + ["bc"] * 15
AFTER = [*BEFORE, *["ac"] * 14, *["a"] * 14]


pytestmark = pytest.mark.usefixtures("no_charts")


def published(rows: list[Any], support: int) -> PatternSet:
    patterns = trimmed(mine(Transactions.from_rows(rows), min_support=support))
    return replace(patterns, min_support=int(patterns.supports.min(initial=patterns.n)))


def test_rows_that_were_added_tell_of_those_that_were_there_before(tmp_path: Path):
    """All 28 new rows have a and none b, 14 have c: of the 15 with a and c, one was there among the first 56."""
    before, after = Transactions.from_rows(BEFORE), Transactions.from_rows(AFTER)
    how = {"k": 5, "method": "none", "ledger": tmp_path / "ledger"}
    release(before, min_support=22, output=tmp_path / "first", new_ledger=True, **how)
    with pytest.raises(EntailedTogether) as refusal:
        release(after, min_support=8, output=tmp_path / "second", **how)
    found = refusal.value
    assert (found.base, found.full, found.rows, found.high) == (frozenset("ac"), frozenset("ac"), 1, 1)
    assert found.of == " of release 1"
    assert found.proof.startswith("at least sup(a, c) − sup(c) + sup(c) in release 1 = 15 − 37 + 23 = 1, at most ")
    assert list(found.releases.values()) == [str(tmp_path / "first")]
    assert not (tmp_path / "second").exists()

    release(after, min_support=8, output=tmp_path / "second", rows_left=True, **how)  # then nothing follows
    with open_ledger(tmp_path / "ledger") as book:
        assert [entry.rows_left for entry in book.entries] == [False, True]
        assert check_entries(book.entries) == ()


def test_the_same_figures_the_other_way_round_tell_the_same():
    """Whoever publishes all rows first and then those of last year has published the same."""
    first, second = (PrintedRelease(published(rows, support), rows is AFTER, "one") for rows, support in LATER_FIRST)
    found = AllReleases([first, second]).group(k=5)
    assert found is not None
    assert (found.base, found.low) == (frozenset("ac"), 1)


LATER_FIRST = ((AFTER, 8), (BEFORE, 22))


SAME_ROWS = Counter(
    {"a": 12, "cd": 12, "abd": 8, "bcd": 8, "abcd": 8, "b": 5, "ac": 5, "abc": 5, "": 3, "c": 2, "ab": 1}
)


def test_two_releases_of_the_same_rows_bound_a_group_together():
    releases = [
        PrintedRelease(published(SAME_ROWS.elements(), 16), 1, "one"),
        PrintedRelease(published(SAME_ROWS.elements(), 13), 1, "other"),
    ]
    found = AllReleases(releases).group(k=3)
    assert found is not None
    assert (found.base, found.full, found.low, found.high) == (frozenset("c"), frozenset("abcd"), 2, 2)
    assert SAME_ROWS["c"] == 2
    assert found.of == ""
    assert "(40 − 21) − (18 − 13) − (28 − 16) = 2" in found.proof
    assert AllReleases(releases).group(k=3, quasi_identifiers=["a", "b", "d"]) is None


def test_three_snapshots_are_read_together():
    """Nobody sees it in two of them: 4 rows came in the second year, 3 in the third, and 7 of them have a."""
    years = [(20, 60), (24, 64), (27, 67)]
    releases = [
        PrintedRelease(
            PatternSet.from_itemsets([("a", a)], n=n, min_support=20, target="closed"), year, f"release {year}"
        )
        for year, (a, n) in enumerate(years, start=1)
    ]
    found = AllReleases(releases).group(k=4)
    assert found is not None
    assert (found.low, found.high, found.of) == (3, 3, " beyond those of release 2")


def test_groups_are_described_by_what_strangers_may_know():
    """Two rows of 30 have c alone: whoever may know a and b, but not c, cannot tell them apart."""
    rows = ["abc"] * 20 + ["c"] * 2 + [""] * 8
    releases = [PrintedRelease(published(rows, support), 1, f"release {support}") for support in (20, 10)]
    found = AllReleases(releases).group(k=5)
    assert found is not None
    assert (found.base, found.low) == (frozenset("c"), 2)
    assert AllReleases(releases).group(k=5, quasi_identifiers=["a", "b"]) is None


def test_a_beginning_keeps_its_meaning_where_another_release_has_an_item_of_that_name():
    rows = [["a", "b", "c1"]] * 20 + [["c1"]] * 2 + [["c*"]] * 10 + [[]] * 8
    releases = [PrintedRelease(published(rows, support), 1, f"release {support}") for support in (20, 10)]
    found = AllReleases(releases).group(k=5, quasi_identifiers=["a", "b", "c*"])
    assert found is not None
    assert (found.base, found.low) == (frozenset({"c1"}), 2)


def test_releases_that_contradict_each_other_are_told():
    rows = ["ab"] * 20 + ["a"] * 30 + [""] * 40
    older, newer = published(rows, 10), published([*rows[20:], *["b"] * 60], 10)
    assert audit_together(newer, [entry_of(older, k=5)], k=5, fingerprint="b" * 64) == (1,)
    assert audit_together(newer, [entry_of(older, k=5)], k=5, fingerprint="b" * 64, rows_left=True) == ()


def entry_of(patterns: PatternSet, *, k: int) -> Entry:
    certificate = Certificate(
        kind="patterns",
        promise={"k": k},
        statement="-",
        not_promised=("-",),
        program="0",
        input="a" * 64,
        files={},
    )
    return Entry(1, "2026-01-01", "folder", certificate, patterns)


def test_no_item_has_the_name_of_a_marker():
    rows = [["\0" + "0"]] * 20 + [["a"]] * 30
    older, newer = published(rows, 10), published([*rows, *[["a"]] * 20, *[["b"]] * 2, *[["a", "b"]] * 2], 10)
    found = AllReleases([PrintedRelease(older, 1, "one"), PrintedRelease(newer, 2, "other")]).group(k=5)
    assert found is not None
    assert found.of == " beyond those of one"
    assert "\0" not in found.proof
    assert found.full <= {"\0" + "0", "a"}


# The twin: every data set of a few rows over a and b, in which each row was there before or came later.

KINDS = ["", "a", "b", "ab"]


def divided(rows: int, cells: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to divide rows among cells."""
    for bars in combinations(range(rows + cells - 1), cells - 1):
        ends = (-1, *bars, rows + cells - 1)
        yield tuple(right - left - 1 for left, right in pairwise(ends))


def fits(counts: tuple[int, ...], patterns: PatternSet) -> bool:
    """Say whether so many rows of each kind have just these frequent itemsets."""
    supports = {
        itemset: sum(count for kind, count in zip(KINDS, counts, strict=True) if itemset <= set(kind))
        for itemset in map(frozenset, ("a", "b", "ab"))
    }
    listed = dict(patterns)
    closed = all(
        listed.get(itemset) == support
        for itemset, support in supports.items()
        if support >= patterns.min_support
        and not any(itemset < other and support == more for other, more in supports.items())
    )
    return closed and all(supports[itemset] == support for itemset, support in listed.items())


def entailed(older: PatternSet, newer: PatternSet, k: int) -> set[tuple[frozenset[str], frozenset[str]]]:
    """Return the groups of 1 to k-1 rows in every data set that fits, over a, b and m: was there before."""
    befores = [counts for counts in divided(older.n, 4) if fits(counts, older)]
    worlds = [
        {frozenset({*kind, "m"}): count for kind, count in zip(KINDS, before, strict=True)}
        | {frozenset(kind): count for kind, count in zip(KINDS, added, strict=True)}
        for before in befores
        for added in divided(newer.n - older.n, 4)
        if fits(tuple(one + other for one, other in zip(before, added, strict=True)), newer)
    ]
    assert worlds
    found = set()
    for full in map(frozenset, ["a", "b", "m", "ab", "am", "bm", "abm"]):
        for size in range(len(full) + 1):
            for base in map(frozenset, combinations(sorted(full), size)):
                sizes = {sum(count for kind, count in world.items() if kind & full == base) for world in worlds}
                if min(sizes) >= 1 and max(sizes) < k:
                    found.add((base, full))
    return found


def test_two_snapshots_against_every_data_set():
    draw = random.Random(14)
    tally: Counter[tuple[bool, bool]] = Counter()
    while sum(tally.values()) < 300:
        before = [draw.choice(KINDS) for _ in range(draw.randint(3, 8))]
        after = [*before, *(draw.choice(KINDS) for _ in range(draw.randint(0, 4)))]
        older, newer = (published(rows, draw.randint(1, 5)) for rows in (before, after))
        if not len(older) or not len(newer):
            continue
        k = draw.choice([2, 3])
        true = entailed(older, newer, k)
        found = AllReleases([PrintedRelease(older, 1, "one"), PrintedRelease(newer, 2, "other")]).group(k=k)
        if found is not None:
            mark = frozenset("m" if found.of else "")
            group = (found.base | (mark if found.of == " of one" else frozenset()), found.full | mark)
            assert group in true, (before, after, k)
        tally[found is not None, bool(true)] += 1
    assert tally[True, True] >= 20
    assert tally[False, False] >= 20
    assert tally[True, False] == tally[False, True] == 0, tally


def test_what_is_refused_together_is_in_the_rows():
    """Rows as they are: what follows from two releases of them is so in them."""
    draw = random.Random(4)
    refused = 0
    for _ in range(300):
        kinds = ["".join(label for label in "abcd" if draw.random() < 0.5) for _ in range(7)]
        rows = [kind for kind in kinds for _ in range(draw.choice([1, 3, 5, 9]))]
        grown = [*rows, *(kind for kind in kinds if draw.random() < 0.5 for _ in range(4))]
        older, newer = published(rows, draw.randint(4, 9)), published(grown, draw.randint(4, 9))
        found = AllReleases([PrintedRelease(older, 1, "one"), PrintedRelease(newer, 2, "other")]).group(k=3)
        if found is not None:
            of = {"": grown, " of one": rows, " beyond those of one": grown[len(rows) :]}[found.of]
            count = sum(set(row) & found.full == found.base for row in of)
            assert found.low <= count <= found.high
            refused += 1
    assert refused >= 30


def test_blocked_releases_of_the_same_rows_are_still_looked_at():
    rows = Transactions.from_rows(["ab"] * 40 + ["a"] * 30 + ["b"] * 4 + [""] * 30)
    blocked = block(rows, k=5, min_support=20, method="suppressive").patterns
    assert audit(blocked, k=5).safe
    with pytest.raises(UnsafeTogether):
        audit_together(mine(rows, min_support=70), [entry_of(blocked, k=5)], k=5, fingerprint="a" * 64)
    with pytest.raises(NotSafe):
        audit_together(blocked, [replace(entry_of(blocked, k=5), patterns=None)], k=5, fingerprint=None)


# Columns that were left out: a release says nothing about an item that it does not have.

COLUMNS = Counter({"a": 3, "c": 3, "bc": 2, "bd": 3, "cd": 3, "abc": 1, "bcd": 3, "abcd": 3})
"""One person has a, b and c, and not d: that follows from four releases, each of which leaves columns out."""


def without(rows: Iterable[str], kept: str) -> list[str]:
    return ["".join(label for label in row if label in kept) for row in rows]


def entries_of(listed: Sequence[PatternSet], *, k: int, rows_added: bool = False) -> list[Entry]:
    """Return entries of a ledger, each about rows of its own."""
    return [
        replace(
            entry_of(patterns, k=k),
            number=number,
            certificate=replace(entry_of(patterns, k=k).certificate, input=f"{number}" * 64),
            rows_added=rows_added,
        )
        for number, patterns in enumerate(listed, start=1)
    ]


def test_releases_of_different_columns_are_read_together():
    rows = list(COLUMNS.elements())
    printed = [published(without(rows, kept), 1) for kept in ("cd", "ad", "bcd", "abc")]
    assert all(audit(each, k=2).safe for each in printed)
    supports = expand_closed({itemset: support for each in printed for itemset, support in each})
    follows = entailed_by_milp(Publication(len(rows), supports), k=2)
    assert follows
    with pytest.raises(EntailedTogether) as refusal:
        audit_together(printed[-1], entries_of(printed[:-1], k=2), k=2, fingerprint="f" * 64)
    found = refusal.value
    assert follows[found.base, found.full - found.base] == (found.rows, found.high)


def test_a_small_group_of_the_first_release_counts_where_a_later_one_promises_more():
    """The first release is safe for k = 2; with k = 3 its two people are a group, whatever does not fit together."""
    first, later = published(["bc", "bc", "abc", "bc", "bc", "abc"], 1), published(["b"] * 3 + [""] * 6, 1)
    with pytest.raises(UnsafeTogether):
        audit_together(later, entries_of([first], k=2), k=3, fingerprint="f" * 64, rows_added=True)


def test_an_itemset_to_look_around_may_have_items_of_other_releases_only():
    """Of many snapshots the attacker reads some together, and looks around itemsets that all of them point to."""
    releases = [PrintedRelease(published(SAME_ROWS.elements(), support), 1, "one") for support in (16, 13)]
    assert AllReleases(releases, [["a", "nobody has it"]]).group(k=3) == AllReleases(releases).group(k=3)
