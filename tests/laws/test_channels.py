"""Every way to the channels gives the same ones, and those are the ones of the definition."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet import _kernel
from discreet.channels.advice import lowest_safe_support
from discreet.channels.audit import audit
from discreet.channels.border import Border, find_border_channels
from discreet.channels.channel import Channels
from discreet.channels.collection import collection_of
from discreet.channels.detection import groups_within
from discreet.channels.grouping import EVERY_SIZE, groups_of_rows, rows_of_channels
from discreet.channels.row_source import LocalRows
from discreet.itemsets import Itemsets
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from tests import channels_twin as twin
from tests.strategies import parts, seeds

if TYPE_CHECKING:
    from numpy.typing import NDArray

METHODS = ("auto", "direct", "closed", "projection")


def random_data(seed: int) -> tuple[list[list[str]], int, int]:
    """Draw rows (some empty, some items in every row), a minimum support below or above k, and k."""
    draw = random.Random(seed)
    labels = [f"i{number}" for number in range(draw.randint(1, 6))]
    density = draw.choice([0.2, 0.5, 0.7, 0.9])
    rows = [[x for x in labels if draw.random() < density] for _ in range(draw.choice([1, 2, 4, 8, 15, 30]))]
    if draw.random() < 0.2:
        rows = [[*row, "everyone"] for row in rows]
    return rows, draw.randint(1, len(rows)), draw.randint(2, 6)


def as_set(channels: Channels) -> set[tuple[frozenset[str], frozenset[str], int]]:
    return {(channel.base, channel.full, channel.support) for channel in channels}


def quick_look(source: Transactions | PatternSet, *, k: int, depth: int, min_support: int = 0) -> Border:
    """Apply the deduction rules alone, counting groups in rows or computing them from patterns."""
    if isinstance(source, Transactions):
        frequent = LocalRows(source, min_support)
        return find_border_channels(
            frequent.mine(target="all"),
            lambda _, targets: frequent.groups(targets, below=EVERY_SIZE),
            k=k,
            depth=depth,
        )
    collection = collection_of(source)
    return find_border_channels(
        collection.everything,
        lambda derived, targets: groups_within(collection, targets, below=EVERY_SIZE, derived=derived, border=True),
        k=k,
        depth=depth,
    )


@pytest.mark.parametrize("some", parts(50, 2))
def test_methods_and_doors_agree_with_the_definition_on_random_data_sets(some: range):
    for seed in some:
        rows, sigma, k = random_data(seed)
        data = Transactions.from_rows(rows)
        maximal = twin.maximal_channels(rows, sigma, k)
        everything = twin.channels(rows, sigma, k)
        for method in METHODS:
            found = audit(data, k=k, min_support=sigma, method=method, border=False)
            assert as_set(found.channels) == maximal, f"seed {seed}, {method}"
            assert len(found.channels) == len(maximal)
            found = audit(data, k=k, min_support=sigma, method=method, border=False, all_channels=True)
            assert as_set(found.channels) == everything, f"seed {seed}, {method}, all channels"
        for target in ("all", "closed"):
            patterns = mine(data, min_support=sigma, target=target)
            for method in ("auto", "direct", "closed"):
                found = audit(patterns, k=k, method=method, border=False)
                assert found.kind == target
                assert as_set(found.channels) == maximal, f"seed {seed}, {method} from {target} patterns"


def test_border_equals_the_deduction_rules_from_rows_and_from_patterns():
    for seed in seeds(50):
        rows, sigma, k = random_data(seed)
        data = Transactions.from_rows(rows)
        for depth in (1, 2):
            expected = twin.border_channels(twin.supports(rows, sigma), len(rows), sigma, k, depth)
            sources = [data, *(mine(data, min_support=sigma, target=target) for target in ("all", "closed"))]
            for source in sources:
                options = {"min_support": sigma} if source is data else {}
                found = quick_look(source, k=k, depth=depth, **options).channels
                got = {(channel.base, channel.full): (channel.low, channel.high) for channel in found}
                assert got == expected, f"seed {seed}, depth {depth}, {type(source).__name__}"


def test_incomplete_collections_give_what_can_be_computed_from_them():
    for seed in seeds(50):
        rows, sigma, k = random_data(seed)
        draw = random.Random(seed)
        supports = {x: s for x, s in twin.supports(rows, sigma).items() if x}
        kept = {x: s for x, s in supports.items() if draw.random() < 0.8}
        patterns = PatternSet.from_itemsets(kept.items(), n=len(rows), min_support=1, target="maximal")
        found = audit(patterns, k=k)
        assert found.kind == "incomplete"
        expected = twin.maximal_incomplete_channels({**kept, frozenset(): len(rows)}, k)
        assert as_set(found.channels) == expected, f"seed {seed}"


@pytest.mark.parametrize("seed", range(40))
def test_split_and_refine_give_every_group_of_long_targets(seed: int):
    """Targets of more than 64 items and more distinct items than one mask holds."""
    draw = np.random.default_rng(seed)
    labels = [f"{number:04}" for number in range(draw.choice([3, 70, 150, 1100]))]
    rows = Transactions.from_rows([[x for x in labels if draw.random() < 0.8] for _ in range(12)] * 2)
    lists = [sorted(draw.choice(len(labels), draw.integers(1, len(labels) + 1), replace=False)) for _ in range(6)]
    lists = sorted({tuple(int(x) for x in one) for one in lists}, key=lambda one: (len(one), one))
    targets = Itemsets.of(lists)
    split, refine = (groups_of_rows(rows, targets, below=100, way=way) for way in ("split", "refine"))
    assert np.array_equal(split.targets, refine.targets)
    assert np.array_equal(split.counts, refine.counts)
    assert np.array_equal(split.bases.offsets, refine.bases.offsets)
    assert np.array_equal(split.bases.items, refine.bases.items)
    for number, target in enumerate(lists):
        names = {labels[x] for x in target}
        expected = Counter(frozenset(row & names) for row in rows)
        mine_ = np.flatnonzero(split.targets == number)
        got = {frozenset(labels[x] for x in split.bases[int(g)].tolist()): int(split.counts[g]) for g in mine_}
        assert got == expected


@pytest.mark.parametrize(("items", "ways"), [(100, {"split_rows"}), (200, {"refine_rows"})])
def test_one_tree_of_rows_is_made_only_for_few_items(monkeypatch: pytest.MonkeyPatch, items: int, ways: set[str]):
    """Rows are as dense in both cases; with many items among the targets a common tree took 100 times as long."""
    used: set[str] = set()
    for way in ("split_rows", "refine_rows"):
        real = getattr(_kernel, way)

        def noted(*given, _way=way, _real=real, **named):
            used.add(_way)
            return _real(*given, **named)

        monkeypatch.setattr(_kernel, way, noted)
    draw = random.Random(1)
    rows = Transactions.from_rows([[f"i{x}" for x in range(items) if draw.random() < 0.2] for _ in range(60)])
    audit(rows, k=3, min_support=6, border=False)
    assert used == ways


@pytest.mark.parametrize("border", [False, True])
def test_exposed_rows_are_those_in_small_groups(border: bool):
    for seed in range(60):
        rows, sigma, k = random_data(seed)
        data = Transactions.from_rows(rows)
        found = audit(data, k=k, min_support=sigma, border=border)
        exposed = {
            number
            for number, row in enumerate(rows)
            for group in [*found.channels, *(found.border or ())]
            if frozenset(row) & group.full == group.base
        }
        assert found.exposed_rows == len(exposed)
        assert np.flatnonzero(found.exposed).tolist() == sorted(exposed)
        assert audit(data.fold(), k=k, min_support=sigma, border=border).exposed_rows == len(exposed)


@pytest.mark.parametrize("size", [1, 511, 512, 513, 1025, 40_000])
@pytest.mark.parametrize("labels", [5, 300])
def test_rows_of_channels_are_the_ones_of_the_definition_in_every_block_of_rows(size: int, labels: int):
    """Rows are looked at in blocks, fewer at a time the more items are asked for."""
    draw = np.random.default_rng(size + labels)
    names = [f"{number:04}" for number in range(labels)]
    held = draw.random((size, labels)) < draw.uniform(0.05, 0.9, labels)
    offsets = np.concatenate([[0], np.cumsum(held.sum(1))]).astype(np.int64)
    rows = Transactions(Itemsets(offsets, np.nonzero(held)[1].astype(np.int32)), vocabulary=Vocabulary(names))
    fulls = [np.flatnonzero(draw.random(labels) < 4 / labels) for _ in range(20)]
    which = np.sort(draw.integers(0, len(fulls), 30))
    bases = [fulls[full][draw.random(len(fulls[full])) < 0.6] for full in which]
    channels = Channels(
        rows.vocabulary, _itemsets(fulls), which, _itemsets(bases), np.ones(30, np.int64), np.ones(30, np.int64)
    )
    expected = np.zeros(size, bool)
    for full, base in zip(which, bases, strict=True):
        absent = np.setdiff1d(fulls[full], base)
        expected |= held[:, base].all(1) & ~held[:, absent].any(1)
    assert np.array_equal(rows_of_channels(rows, channels), expected)


def _itemsets(lists: list[NDArray[np.int64]]) -> Itemsets:
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(np.int64)
    return Itemsets(offsets, np.concatenate(lists).astype(np.int32))


def test_the_lowest_safe_support_is_the_first_safe_one():
    for seed in seeds(20):
        rows, sigma, k = random_data(seed)
        data = Transactions.from_rows(rows)
        for border in (False, True):
            supports = range(sigma, len(rows) + 2)
            safe = (s for s in supports if audit(data, k=k, min_support=s, border=border).safe)
            expected = next(safe) if len(rows) >= k else None
            assert lowest_safe_support(data, k=k, min_support=sigma, border=border) == expected, f"seed {seed}"
            patterns = mine(data, min_support=sigma)
            assert lowest_safe_support(patterns, k=k, min_support=sigma, border=border) == expected, f"seed {seed}"
