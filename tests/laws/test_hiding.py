"""The promises of hiding/, on random data against a slow twin, and on public data."""

from __future__ import annotations

import gzip
import random
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet import InvertedFile, Transactions, hide, mine, query, read
from discreet.hiding.restrictions import Restriction, RuleBound
from discreet.hiding.side_effects import measure_side_effects
from discreet.itemsets import Itemsets
from discreet.transactions.rewriting import rewrite
from tests import hiding_twin as twin
from tests.slow_twin import frequent
from tests.strategies import parts

if TYPE_CHECKING:
    from pathlib import Path

METHODS = ["naive", "minfia", "maxfia", "iga"]
SOME = parts(50, 2)


def random_job(seed: int) -> tuple[list[list[str]], list[frozenset[str]], list[Fraction]]:
    """Draw rows, some empty, some equal, and patterns that overlap, contain each other, or are in no row."""
    draw = random.Random(seed)
    labels = "abcdefgh"[: draw.randint(2, 8)]
    density = draw.choice([0.3, 0.5, 0.8])
    rows = [[x for x in labels if draw.random() < density] for _ in range(draw.randint(1, 30))]
    sizes = [draw.randint(1, min(4, len(labels))) for _ in range(draw.randint(1, 6))]
    patterns = list(dict.fromkeys(frozenset(draw.sample(labels, size)) for size in sizes))
    return rows, patterns, [Fraction(draw.choice([0, 0, 1, 2, 5, 6]), 6) for _ in patterns]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("some", SOME)
def test_the_kernel_gives_what_the_paper_says(method: str, some: range):
    for seed in some:
        rows, patterns, shares = random_job(seed)
        asked = [Restriction(*each) for each in zip(patterns, shares, strict=True)]
        done = hide(Transactions.from_rows(rows), restrict=asked, method=method, ignore_unknown=True)
        assert [set(row) for row in done.rows] == twin.hide(rows, patterns, method, shares), f"seed {seed}"


def check_laws(before: Transactions, done, patterns: list[frozenset[str]], shares: list[Fraction]) -> None:
    """Nothing added, nothing moved, nothing else touched, and no more left than allowed: counted in the rows."""
    after = done.rows
    assert len(after) == len(before) == done.n
    assert (after.itemsets.lengths <= before.itemsets.lengths).all()
    gone = np.zeros(len(before.items), bool)
    places = np.searchsorted(before.offsets, np.arange(len(before.items)), side="right") - 1
    keys = places * len(before.vocabulary) + before.items
    gone[np.searchsorted(keys, done.removed_from.astype(np.int64) * len(before.vocabulary) + done.removed)] = True
    assert gone.sum() == done.removed_items == len(before.items) - len(after.items)
    assert np.array_equal(before.items[~gone], after.items)  # what is left is what was there, in its place
    assert len(np.unique(done.removed_from)) == done.changed_rows <= done.n
    held = InvertedFile.build(before), InvertedFile.build(after)
    for pattern, share, said in zip(patterns, shares, done.restrictive, strict=True):
        expression = " AND ".join(f'"{label}"' for label in sorted(pattern))
        was, now = (query(index, expression, ignore_unknown=True) for index in held)
        assert (was.count, now.count) == (said.before, said.after)
        assert now.count <= share * was.count
        assert set(now.rows) <= set(was.rows)


@pytest.mark.parametrize("method", METHODS)
def test_laws_on_random_data(method: str):
    for seed in range(1000, 1100):
        rows, patterns, shares = random_job(seed)
        before = Transactions.from_rows(rows)
        asked = [Restriction(*each) for each in zip(patterns, shares, strict=True)]
        done = hide(before, restrict=asked, method=method, ignore_unknown=True)
        check_laws(before, done, patterns, shares)
        again = hide(InvertedFile.build(before), restrict=asked, method=method, ignore_unknown=True)
        assert again.rows == done.rows
        assert again.to_dict() == done.to_dict()


def frequent_patterns(rows: Transactions, share: str, count: int, seed: int) -> list[frozenset[str]]:
    found = mine(rows, min_support=share, target="all", max_length=4)
    several = np.flatnonzero(found.itemsets.lengths > 1)
    chosen = random.Random(seed).sample(several.tolist(), count)
    labels = found.vocabulary.labels
    return [
        frozenset(labels[item] for item in found.items[found.offsets[at] : found.offsets[at + 1]].tolist())
        for at in chosen
    ]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("psi", [Fraction(0), Fraction(1, 7)])
@pytest.mark.parametrize(("name", "share"), [("mushroom", "30%"), ("retail", "1%"), ("T40I10D100K_first10000", "3%")])
def test_laws_on_public_data(data_folder: Path, name: str, share: str, psi: Fraction, method: str):
    rows = read(data_folder / f"{name}.dat.gz")
    patterns = frequent_patterns(rows, share, 10, seed=5)
    done = hide(rows, restrict=patterns, method=method, disclosure=psi, min_support=share)
    check_laws(rows, done, patterns, [psi] * len(patterns))
    effects = done.side_effects
    assert effects.artifactual_patterns == 0
    assert effects.patterns_before == len(mine(rows, min_support=share, target="all"))
    assert effects.patterns_after == len(mine(done.rows, min_support=share, target="all"))
    if not psi:
        assert effects.hiding_failure == effects.restrictive_after == 0
        held = [pattern for row in done.rows for pattern in patterns if pattern <= row]
        assert held == []


@pytest.mark.parametrize("name", ["mushroom", "retail", "T40I10D100K_first10000"])
def test_untouched_rows_are_the_same_bytes_on_public_data(data_folder: Path, tmp_path: Path, name: str):
    source = data_folder / f"{name}.dat.gz"
    rows = read(source)
    patterns = frequent_patterns(rows, "3%", 5, seed=6)
    done = hide(rows, restrict=patterns, method="iga", disclosure=0.1)
    change = {"removed_from": done.removed_from, "removed": done.removed, "as_read": True}
    rewrite(done.rows, tmp_path / "out.dat", source=source, **change)
    before = gzip.decompress(source.read_bytes()).split(b"\n")
    after = (tmp_path / "out.dat").read_bytes().split(b"\n")
    assert len(before) == len(after)
    differing = [place for place, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    assert differing == np.unique(done.removed_from).tolist()
    assert [set(row) for row in read(tmp_path / "out.dat")] == [set(row) for row in done.rows]


@pytest.mark.parametrize("some", SOME)
def test_side_effects_are_those_of_the_definition_listed_or_counted(some: range):
    for seed in some:
        rows, patterns, _ = random_job(seed)
        draw = random.Random(seed)
        before, sigma = Transactions.from_rows(rows), draw.randint(1, 6)
        done = hide(
            before,
            restrict=patterns,
            method=draw.choice(METHODS),
            disclosure=draw.choice([0, 0.2, 0.5]),
            min_support=sigma,
            ignore_unknown=True,
        )
        was, now = frequent(rows, sigma), frequent(done.rows, sigma)
        wanted = twin.side_effects(was, now, patterns)
        assert {name: getattr(done.side_effects, name) for name in wanted} == wanted, f"seed {seed}"
        counted = measure_side_effects(before, done.rows, _known(before, patterns), min_support=sigma, most_listed=1)
        assert {name: getattr(counted, name) for name in wanted} == wanted, f"seed {seed}"
        legitimate = {x: s for x, s in was.items() if not any(pattern <= x for pattern in patterns)}
        after = list(done.rows)
        lost = {x: (s, len(twin.holders(after, x))) for x, s in legitimate.items() if x not in now}
        assert {items: (old, new) for items, old, new in done.side_effects.lost} == lost


def _known(rows: Transactions, patterns: list[frozenset[str]]) -> Itemsets:
    place = rows.vocabulary.positions
    return Itemsets.of(sorted(place[label] for label in each) for each in patterns if each <= place.keys())


def test_ten_million_itemsets_are_counted_without_being_listed(data_folder: Path):
    rows = read(data_folder / "mushroom.dat.gz")
    done = hide(rows, restrict=["34 85 86", "1 90"], method="iga", min_support="3%")
    effects = done.side_effects
    assert effects.lost is None
    assert effects.patterns_before == 9_987_041
    assert effects.restrictive_after == 0
    assert 0 < effects.restrictive_before < effects.patterns_before
    assert 0 < effects.misses_cost < 1


class TestRules:
    """A line `A B => C @ x`."""

    @pytest.mark.parametrize("some", SOME)
    def test_bounds_hold_on_the_final_rows(self, some: range):
        raised = 0
        for seed in some:
            rows, patterns, _ = random_job(seed)
            draw = random.Random(seed)
            labels = sorted({label for row in rows for label in row})
            if len(labels) < 3:
                continue
            rules = []
            for _ in range(draw.randint(1, 5)):
                some = draw.sample(labels, draw.randint(2, min(4, len(labels))))
                cut = draw.randint(1, len(some) - 1)
                rules.append(RuleBound(frozenset(some[:cut]), frozenset(some[cut:]), Fraction(draw.randint(1, 10), 10)))
            method = draw.choice(METHODS)
            before = Transactions.from_rows(rows)
            asked = [*(Restriction(pattern) for pattern in patterns), *rules]
            done = hide(before, restrict=asked, method=method, ignore_unknown=True)
            after = list(done.rows)
            plain = twin.hide(rows, patterns, method)
            assert all(row <= old for row, old in zip(after, plain, strict=True))
            for rule in rules:
                confidence = twin.confidence(after, rule.antecedent, rule.consequent)
                assert confidence < rule.below, f"seed {seed}"
                raised += twin.confidence(plain, rule.antecedent, rule.consequent) > twin.confidence(
                    rows, rule.antecedent, rule.consequent
                )
        assert raised  # removing items elsewhere does raise confidences: the case that the order is for

    def test_one_rule_costs_not_one_row_too_many(self):
        rows = Transactions.from_rows([["a", "b", "c"]] * 7 + [["a", "b"]] * 3 + [["c"]] * 5)
        for bound, left in (("70%", 6), ("0.6", 5), ("0.61", 6), ("100%", 7), ("0.01", 0)):
            done = hide(rows, restrict=[f"a b => c @ {bound}"], method="iga")
            assert sum({"a", "b", "c"} <= row for row in done.rows) == left
            assert done.removed_items == 7 - left
            assert set(done.removed.tolist()) <= {rows.vocabulary.item("c")}
            assert done.rules[0].after == Fraction(left, 10)

    def test_the_opposite_rule_may_stay(self):
        rows = Transactions.from_rows([["a", "b", "c"]] * 4 + [["a", "b"]] * 4)
        done = hide(rows, restrict=["a b => c @ 0.3"], method="minfia")
        after = list(done.rows)
        assert twin.confidence(after, "ab", "c") == Fraction(2, 8)
        assert twin.confidence(after, "c", "ab") == 1

    def test_rows_that_serve_two_rules_go_first(self):
        rows = Transactions.from_rows(["ac", "abc", "bc", "ab", "abc", "a", "b"])
        done = hide(rows, restrict=["a => c @ 0.3", "b => c @ 0.3"], method="iga")
        assert (done.removed_from + 1).tolist() == [2, 5]

    def test_a_consequent_of_several_items_loses_its_rarest(self):
        rows = Transactions.from_rows(["abc", "abc", "ab", "b"])
        done = hide(rows, restrict=["a => b c @ 0.5"], method="iga")
        assert done.removed_items == 1
        assert rows.vocabulary[int(done.removed[0])] == "c"


class TestSparing:
    """`protect`: where victims tie, the patterns named are spared."""

    @pytest.mark.parametrize(("method", "victim"), [("minfia", "b"), ("maxfia", "b"), ("iga", "b")])
    def test_the_victim_is_the_item_that_fewer_of_them_need(self, method: str, victim: str):
        rows = Transactions.from_rows(["abx", "abx", "ax", "bx"])
        plain = hide(rows, restrict=[["a", "b"]], method=method)
        assert rows.vocabulary[int(plain.removed[0])] == "a"
        done = hide(rows, restrict=[["a", "b"]], method=method, protect=[["a", "x"]])
        assert {rows.vocabulary[item] for item in done.removed.tolist()} == {victim}
        assert query(done.rows, "a AND x").count == query(rows, "a AND x").count

    def test_naive_keeps_what_they_need(self):
        rows = Transactions.from_rows(["ab", "abx", "bx", "ax"])
        done = hide(rows, restrict=[["a", "b"]], method="naive", protect=[["b", "x"]])
        assert next(iter(done.rows)) == {"b"}

    def test_supports_come_before_sparing(self):
        rows = Transactions.from_rows(["ab", "ab", "b"])
        done = hide(rows, restrict=[["a", "b"]], method="minfia", protect=[["a"]])
        assert [rows.vocabulary[item] for item in done.removed.tolist()] == ["a", "a"]


def test_more_disclosure_never_removes_more():
    rows = Transactions.from_rows(random_job(77)[0] * 3)
    for method in METHODS:
        removed = [
            hide(rows, restrict=["a b", "b c"], method=method, disclosure=Fraction(psi, 10), ignore_unknown=True)
            for psi in range(11)
        ]
        assert all(one.removed_items >= other.removed_items for one, other in pairwise(removed))


def test_folded_rows_are_unfolded():
    rows = Transactions.from_rows(["ab", "ab", "ab", "b"])
    done = hide(rows.fold(), restrict=["a b"], method="minfia", disclosure=Fraction(1, 3))
    assert [set(row) for row in done.rows].count({"a", "b"}) == 1
    assert done.n == len(done.rows) == 4
