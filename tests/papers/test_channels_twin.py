"""The plain-Python twin of channel detection against the papers' numbers, and its parts against each other."""

from __future__ import annotations

from itertools import combinations_with_replacement
from pathlib import Path
from random import Random

import pytest

from tests.channels_twin import (
    EMPTY,
    Group,
    Itemset,
    Range,
    border_channels,
    channels,
    closed,
    entailed_groups,
    expanded,
    group_support,
    incomplete_channels,
    maximal,
    maximal_among,
    maximal_channels,
    maximal_channels_by_closed,
    maximal_channels_by_projection,
    maximal_incomplete_channels,
    subsets,
    supports,
)
from tests.strategies import seeds

EXAMPLES = Path(__file__).parent.parent / "data"


def example(name: str) -> list[list[str]]:
    """Read one of the papers' data sets: one row per line."""
    return [line.split() for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines()]


def spelled(found) -> set[str]:
    """Write channels over one-letter items as words: "a ab 1"."""
    return {f"{''.join(sorted(base)) or '-'} {''.join(sorted(full)) or '-'} {support}" for base, full, support in found}


def spelled_out(words: str) -> dict[Itemset, int]:
    """Read "a14 ab9" as supports of one-letter items; "-22" is the empty itemset."""
    return {frozenset(word.rstrip("0123456789")) - {"-"}: int(word.lstrip("abcdefgh-")) for word in words.split()}


class TestAtzori2008:
    """Figure 1(a), sections 4 to 6 and 9."""

    rows = example("running-example.dat")
    # The closed itemsets after additive blocking, sigma 8, k 3 (Examples 13 and 16)
    blocked = expanded(spelled_out("-21 a12 e17 ab8 ae8 de13 cde9"))

    def test_example_4_frequent_itemsets(self):
        found = spelled_out("-12 a9 b8 c9 d10 e11 ab8 ae8 cd9 ce9 de10 cde9")
        assert supports(self.rows, 8) == found
        assert len(supports(self.rows, 6)) == 36

    def test_example_5_a_group_from_supports(self):
        assert group_support(supports(self.rows, 6), frozenset("b"), frozenset("bde")) == 8 - 7 - 7 + 7 == 1

    def test_example_8_all_channels(self):
        assert spelled(channels(self.rows, 8, 3)) == {
            "- d 2", "- de 1", "e de 1", "d cd 1", "- cd 2", "de cde 1", "- cde 1", "e cde 1", "- ce 1", "e ce 2",
            "a ae 1", "a ab 1", "- e 1",
        }  # fmt: skip

    def test_example_9_closed_and_maximal_itemsets(self):
        assert closed(supports(self.rows, 8)) == spelled_out("-12 a9 e11 ab8 ae8 de10 cde9")
        assert maximal(supports(self.rows, 8)) == {frozenset("ab"), frozenset("ae"), frozenset("cde")}

    def test_example_10_maximal_channels(self):
        found = {"- cde 1", "a ab 1", "a ae 1", "e cde 1", "de cde 1"}
        assert spelled(maximal_channels(self.rows, 8, 3)) == found
        assert spelled(maximal_channels_by_closed(self.rows, 8, 3)) == found
        assert spelled(maximal_channels_by_projection(self.rows, 8, 3)) == found

    def test_section_6_counts_at_6(self):
        assert len(channels(self.rows, 6, 3)) == 58
        found = {"ab abcde 1", "abde abcde 1", "ae abcde 1", "g eg 1", "g fg 1"}
        assert spelled(maximal_channels(self.rows, 6, 3)) == found

    def test_maximal_channels_alone_do_not_say_which_patterns_are_channels(self):
        # Section 6 calls them a condensed representation. f_∅^b = f_∅^ab + f_a^ab = 3 + 1; only the 1 is listed.
        collection = supports(self.rows, 8)
        assert group_support(collection, EMPTY, frozenset("b")) == 4
        listed = [c for c in maximal_channels(self.rows, 8, 3) if c[1] == frozenset("ab") and "b" not in c[0]]
        assert spelled(listed) == {"a ab 1"}

    def test_example_16_no_border_channel_after_additive_blocking(self):
        assert incomplete_channels(self.blocked, 3) == set()
        assert border_channels(self.blocked, n=21, sigma=8, k=3, depth=5) == {}

    def test_example_16_the_papers_own_witness(self):
        rows = ["abcde"] * 4 + ["cde"] * 5 + ["de"] * 4 + ["ae"] * 4 + ["ab"] * 4
        assert supports(rows, 8) == self.blocked
        assert channels(rows, 1, 3) == set()  # no group of 1 or 2 over any items: nothing can be deduced

    def test_no_border_channel_after_suppressive_blocking(self):
        kept = [row for number, row in enumerate(self.rows, start=1) if number not in {7, 8, 12}]
        collection = supports(kept, 8)
        assert collection == dict.fromkeys(subsets("cde"), 9)
        assert incomplete_channels(collection, 3) == set()
        assert border_channels(collection, n=9, sigma=8, k=3, depth=5) == {}

    @pytest.mark.parametrize("depth", [1, 2, 5])
    def test_example_17_a_border_channel(self, depth: int):
        collection = spelled_out("ab9 ac8 bc5 a14 b14 c13")
        bc, abc = frozenset("bc"), frozenset("abc")
        assert incomplete_channels({**collection, EMPTY: 22}, 3) == set()
        assert border_channels(collection, n=22, sigma=5, k=3, depth=depth) == {(bc, abc): (2, 2)}
        assert entailed_groups(collection, "abc", n=22, sigma=5, k=3) == {(bc, frozenset("a")): (2, 2)}


class TestWaim2008:
    """Figure 1 and Example 6 of the projection paper."""

    rows = example("pmicd-example.dat")

    def test_figure_2_frequent_itemsets(self):
        assert supports(self.rows, 4) == spelled_out(
            "-10 a5 b8 c9 d7 e6 f6 ad4 ab4 ac5 ef5 df4 bf5 cf5 de4 be5 ce5 bd5 cd7 bc7 "
            "abc4 acd4 bef4 cef4 cdf4 bcf4 cde4 bce4 bcd5"
        )

    def test_example_6_maximal_channels(self):
        found = maximal_channels(self.rows, 4, 3)
        assert spelled(c for c in found if c[1] == frozenset("bcd")) == {"b bcd 1", "bc bcd 2", "cd bcd 2"}
        assert len(found) == 29
        assert found == maximal_channels_by_closed(self.rows, 4, 3) == maximal_channels_by_projection(self.rows, 4, 3)


def random_rows(random: Random, letters: str, most_rows: int) -> list[list[str]]:
    """Draw rows; empty rows, items in every row and an empty data set happen."""
    density = random.choice([0.2, 0.4, 0.6, 0.8, 0.95])
    always = random.choice(["", "", letters[0]])
    return [
        [item for item in letters if item in always or random.random() < density]
        for _ in range(random.randint(0, most_rows))
    ]


class TestCare:
    """Inputs outside what the papers assume (sigma > k, n >= sigma)."""

    def test_fewer_rows_than_k_and_no_frequent_item(self):
        # Definition 12 makes a the closure of ∅ here, and a is not frequent: "closed" must mean closed within F.
        rows = [["a"], ["a"]]
        for method in (channels, maximal_channels, maximal_channels_by_closed, maximal_channels_by_projection):
            assert method(rows, 3, 3) == {(EMPTY, EMPTY, 2)}, method

    def test_fewer_rows_than_k_and_a_frequent_item(self):
        assert spelled(channels([["a"], []], 1, 3)) == {"- - 2", "- a 1", "a a 1"}
        assert spelled(maximal_channels([["a"], []], 1, 3)) == {"- a 1", "a a 1"}

    def test_an_itemset_below_k_is_a_channel_of_itself(self):
        rows = [["a", "b"]] * 2 + [["c"]] * 3
        assert spelled(maximal_channels(rows, 2, 3)) == {"ab ab 2", "- c 2"}

    @pytest.mark.parametrize("rows", [[], [[]] * 3])
    def test_nothing_to_find(self, rows: list[list[str]]):
        for method in (channels, maximal_channels, maximal_channels_by_closed, maximal_channels_by_projection):
            assert method(rows, 1, 3) == set(), method
            assert method(rows, 5, 2) == set(), method

    def test_min_support_0_is_refused(self):
        with pytest.raises(ValueError, match="min_support"):
            supports([["a"]], 0)

    def test_inconsistent_collections_are_refused(self):
        impossible = spelled_out("a5 b5")  # in 6 rows they share at least 4, which would be frequent
        with pytest.raises(ValueError, match="inconsistent"):
            border_channels(impossible, n=6, sigma=4, k=3)
        with pytest.raises(ValueError, match="inconsistent"):
            entailed_groups(impossible, "ab", n=6, sigma=4, k=3)
        with pytest.raises(ValueError, match="inconsistent"):
            entailed_groups(spelled_out("a5 b5 ab2"), "ab", n=6, sigma=2, k=3)  # 8 rows have a or b
        for collection in (spelled_out("ab5"), {frozenset("a"): 5, EMPTY: 7}):
            with pytest.raises(ValueError, match=r"downward closed|not n"):
                border_channels(collection, n=6, sigma=2, k=3)
            with pytest.raises(ValueError, match=r"downward closed|not n"):
                entailed_groups(collection, "ab", n=6, sigma=2, k=3)


def test_definition_proposition_and_projection_agree():
    for seed in seeds(50):
        random = Random(seed)
        rows = random_rows(random, "abcde", 12)
        min_support, k = random.randint(1, 14), random.randint(2, 8)
        found = channels(rows, min_support, k)
        best = maximal_among(found)
        assert best == maximal_channels_by_closed(rows, min_support, k), seed
        assert best == maximal_channels_by_projection(rows, min_support, k), seed
        for base, full, support in found:  # every channel's support is the number of its rows
            assert support == sum(base <= set(row) and not (full - base) & set(row) for row in rows), seed
        for base, full, support in found:  # Theorem 3 and Corollary 3: the maximal ones add up to every channel
            for largest in maximal(supports(rows, min_support)):
                if full <= largest:
                    parts = [s for i, j, s in best if j == largest and base <= i and not i & (full - base)]
                    assert sum(parts) == support, seed


def test_incomplete_collections():
    for seed in range(200):
        random = Random(seed)
        rows = random_rows(random, "abcde", 12)
        min_support, k = random.randint(1, 8), random.randint(2, 6)
        collection = supports(rows, min_support)
        everything = channels(rows, min_support, k)
        assert incomplete_channels(collection, k) == everything, seed
        assert maximal_incomplete_channels(collection, k) == maximal_channels(rows, min_support, k), seed
        part = {x: count for x, count in collection.items() if random.random() < 0.8}
        found = incomplete_channels(part, k)
        best = maximal_incomplete_channels(part, k)
        lost = collection.keys() - part.keys()
        assert found == {c for c in everything if not any(c[0] <= x <= c[1] for x in lost)}, seed
        assert best <= found, seed
        # each channel left out stands below one that is kept
        for base, full, _ in found:
            assert any(base <= i and full - base <= j - i for i, j, _ in best), seed


def entailed_by_all_data_sets(collection, items: str, n: int, sigma: int, k: int) -> dict:
    """Return what `entailed_groups` must: write down every multiset of n rows, keep those that fit, count groups."""
    ranges: dict[Group, Range] = {}
    for rows in combinations_with_replacement(list(subsets(items)), n):
        counts = {x: sum(x <= row for row in rows) for x in subsets(items)}
        if any(count != collection[x] if x in collection else count >= sigma for x, count in counts.items() if x):
            continue
        for full in subsets(items):
            for none in subsets(full):
                count = sum(full - none <= row and not none & row for row in rows)
                low, high = ranges.get((full - none, none), (count, count))
                ranges[full - none, none] = min(low, count), max(high, count)
    return {group: (low, high) for group, (low, high) in ranges.items() if low >= 1 and high <= k - 1}


def test_entailed_groups_against_all_data_sets():
    for seed in range(60):
        random = Random(seed)
        items = random.choice(["ab", "abc"])
        rows = random_rows(random, items, 5 if items == "abc" else 9)
        sigma, k = random.randint(1, len(rows) + 1), random.randint(2, 4)
        collection = supports(rows, sigma)
        expected = entailed_by_all_data_sets(collection, items, len(rows), sigma, k)
        assert entailed_groups(collection, items, len(rows), sigma, k) == expected, seed


def border_groups(seed: int) -> tuple[set[Group], list[set[Group]]]:
    """Return, for a tiny data set, the entailed groups outside F and those that the rules find at depths 1, 2 and 3.

    On the way it is shown that every rule's answer is entailed, that its range holds the exact one, and that the
    entailed groups inside F are the channels.
    """
    random = Random(seed)
    rows = random_rows(random, random.choice(["ab", "abc", "abcd", "abcd"]), 12)
    n = len(rows)
    sigma, k = random.randint(1, max(n, 1)), random.choice([2, 3, 3, 4])
    collection = supports(rows, sigma)
    truth = entailed_groups(collection, frozenset().union(*collection), n, sigma, k)
    inside = {(base, full - base): (support, support) for base, full, support in channels(rows, sigma, k)}
    assert {group: ends for group, ends in truth.items() if group[0] | group[1] in collection} == inside, seed
    found = []
    for depth in (1, 2, 3):
        ranges = {(i, j - i): ends for (i, j), ends in border_channels(collection, n, sigma, k, depth).items()}
        assert ranges.keys() <= truth.keys() - inside.keys(), seed
        for group, (low, high) in ranges.items():
            least, most = truth[group]
            actual = sum(group[0] <= set(row) and not group[1] & set(row) for row in rows)
            assert low <= least <= actual <= most <= high, seed
        found.append(set(ranges))
    return truth.keys() - inside.keys(), found


def test_every_border_channel_is_entailed_and_this_share_is_found():
    entailed, found = 0, [0, 0, 0]
    for seed in range(200):
        truth, depths = border_groups(seed)
        assert depths[0] <= depths[1] <= depths[2], seed
        entailed += len(truth)
        found = [so_far + len(groups) for so_far, groups in zip(found, depths, strict=True)]
    assert (entailed, found) == (92, [31, 53, 59])  # 34 %, 58 %, 64 %: the rules are sound, and far from complete
