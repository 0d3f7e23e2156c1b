"""The promises of patterns/mining.py, on random data against the slow twin."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _kernel
from discreet.itemsets import Itemsets
from discreet.patterns.mining import count_closed, mine
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.patience import PATIENCE
from tests.slow_twin import closed, frequent_by_levels, maximal, mined
from tests.strategies import parts, rows_of_labels

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.patterns.patternset import PatternSet

TARGETS = ("all", "closed", "maximal")
LAYOUTS = ("auto", "bitmaps", "lists")


def mine_on(layout: str, rows: Transactions, **options) -> PatternSet:
    """Mine with rows stored as the kernel may not choose itself; it changes the speed, never the answer."""
    whole = _kernel.mine
    with mock.patch.object(_kernel, "mine", lambda *arrays, **words: whole(*arrays, **words | {"layout": layout})):
        return mine(rows, **options)


def random_rows(seed: int) -> tuple[list[list[str]], int]:
    """Draw rows with empty rows, repeated items and full-support items; return a minimum support too."""
    draw = random.Random(seed)
    labels = [f"i{number}" for number in range(draw.randint(1, 9))]
    density = draw.choice([0.1, 0.3, 0.5, 0.8, 0.95])
    rows = [[x for x in labels if draw.random() < density] for _ in range(draw.choice([0, 1, 5, 20, 70, 300]))]
    if rows and draw.random() < 0.5:
        rows = rows * draw.randint(1, 5) + [[]]
    if draw.random() < 0.4:
        rows = [[*row, "everyone", "everyone"] for row in rows]
    return rows, draw.randint(1, max(1, len(rows) // draw.choice([1, 2, 5, 20])))


@pytest.mark.parametrize("some", parts(60, 2))
def test_mining_equals_the_slow_twin_on_random_data_sets(some: range):
    for seed in some:
        rows, min_support = random_rows(seed)
        transactions = Transactions.from_rows(rows)
        for target in TARGETS:
            expected = mined(rows, min_support, target)
            for layout in LAYOUTS:
                found = dict(mine_on(layout, transactions, min_support=min_support, target=target))
                assert found == expected, f"seed {seed}, {target}, {layout}"


@pytest.mark.parametrize(
    ("name", "share"), [("mushroom", "45%"), ("chess", "92%"), ("retail", "2%"), ("T10I4D100K", "2%")]
)
def test_mining_equals_the_slow_twin_on_public_data(data_folder: Path, name: str, share: str):
    rows = read(data_folder / f"{name}.dat.gz")
    found = {target: mine(rows, min_support=share, target=target) for target in TARGETS}
    expected = frequent_by_levels(rows, found["all"].min_support)
    assert len(expected) > 10
    assert dict(found["all"]) == expected
    assert dict(found["closed"]) == closed(expected)
    assert dict(found["maximal"]) == maximal(expected)


@given(rows_of_labels(), st.integers(1, 6), st.sampled_from(TARGETS), st.sampled_from(LAYOUTS))
def test_folded_rows_give_the_same_patterns(rows, min_support, target, layout):
    plain = Transactions.from_rows(rows)
    folded, whole = (mine_on(layout, x, min_support=min_support, target=target) for x in (plain.fold(), plain))
    assert folded == whole


@given(rows_of_labels(max_rows=40), st.integers(1, 6), st.sampled_from(TARGETS), st.integers(1, 4))
def test_a_cap_removes_long_itemsets_and_nothing_else(rows, min_support, target, cap):
    transactions = Transactions.from_rows(rows)
    whole = dict(mine(transactions, min_support=min_support, target=target))
    for layout in LAYOUTS:
        capped = mine_on(layout, transactions, min_support=min_support, target=target, max_length=cap)
        assert dict(capped) == {itemset: support for itemset, support in whole.items() if len(itemset) <= cap}
        assert capped.max_length == cap


@given(rows_of_labels(max_rows=40), st.integers(1, 6), st.sampled_from(TARGETS))
def test_the_number_of_threads_changes_nothing(rows, min_support, target):
    transactions = Transactions.from_rows(rows)
    one, three = (mine(transactions, min_support=min_support, target=target, threads=t) for t in (1, 3))
    assert np.array_equal(one.offsets, three.offsets)
    assert np.array_equal(one.items, three.items)
    assert np.array_equal(one.supports, three.supports)


@given(rows_of_labels(max_rows=40), st.integers(1, 6), st.sampled_from(TARGETS))
def test_the_result_keeps_what_its_type_promises(rows, min_support, target):
    found = mine(Transactions.from_rows(rows), min_support=min_support, target=target)
    checked = type(found)(
        itemsets=found.itemsets,
        supports=found.supports,
        vocabulary=found.vocabulary,
        n=found.n,
        min_support=found.min_support,
        target=found.target,
    )
    assert checked == found


def supports_of_all_subsets(rows: np.ndarray, items: int) -> np.ndarray:
    """Count, for every set of items as a number of bits, the rows (numbers of bits, too) that hold it."""
    supports = np.bincount(rows, minlength=1 << items)
    for item in range(items):
        without, with_it = np.moveaxis(supports.reshape(-1, 2, 1 << item), 1, 0)
        without += with_it
    return supports


def listed_by_subsets(supports: np.ndarray, items: int, least: int, target: str) -> dict[frozenset[str], int]:
    """Pick the itemsets that are asked for."""
    sets = np.arange(len(supports))
    kept = (supports >= least) & (sets > 0)
    for item in range(items) if target != "all" else ():
        larger = supports[sets | 1 << item]
        kept &= (sets >> item & 1 > 0) | (larger < (supports if target == "closed" else least))
    return {
        frozenset(f"i{item:02}" for item in range(items) if number >> item & 1): int(supports[number])
        for number in np.flatnonzero(kept)
    }


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("folded", [False, True])
@pytest.mark.parametrize("density", [0.5, 0.8])
def test_many_distinct_rows_that_are_equal_in_few_items(density: float, folded: bool, target: str):
    items = 17
    draw = np.random.default_rng(7)
    held = draw.random((50_000, items)) < density
    held[:, 11] = held[:, 3] & held[:, 5]
    held[:, 12] = held[:, 2] | (draw.random(len(held)) < 0.01)
    offsets = np.concatenate([[0], np.cumsum(held.sum(axis=1))]).astype(np.int64)
    codes = Itemsets(offsets, np.nonzero(held)[1].astype(np.int32))
    rows = Transactions.from_codes(codes, [f"i{item:02}" for item in range(items)])
    supports = supports_of_all_subsets(held @ (1 << np.arange(items)), items)
    found = mine(rows.fold() if folded else rows, min_support="4%", target=target)
    assert dict(found) == listed_by_subsets(supports, items, found.min_support, target)
    if target == "closed":
        assert count_closed(rows, min_support=found.min_support) == len(found)


@pytest.mark.parametrize("cpu", ["portable", "popcnt"])
def test_older_processors_get_the_same_answer(cpu: str):
    program = (
        "from tests.laws.test_mining import *\n"
        "from discreet import _kernel\n"
        f"assert _kernel.cpu() == {cpu!r} or _kernel.cpu() == 'portable'\n"
        "for seed in range(60):\n"
        "    rows, least = random_rows(seed)\n"
        "    for target in TARGETS:\n"
        "        found = dict(mine(Transactions.from_rows(rows), min_support=least, target=target))\n"
        "        assert found == mined(rows, least, target), (seed, target)\n"
    )
    environment = {**os.environ, "DISCREET_CPU": cpu}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment, timeout=PATIENCE)
