"""The promises of channels/fewest_rows.py, against brute force over every set of rows."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from discreet.channels.blocking import block
from discreet.channels.distortion import count_itemsets
from discreet.channels.fewest_rows import suppress_fewest
from discreet.channels.suppressive import Kept, suppress_channels
from discreet.errors import ParameterError
from discreet.patterns.mining import mine
from discreet.transactions.transactions import Transactions
from tests.strategies import seeds


def small_data(seed: int) -> tuple[list[list[str]], int, int]:
    """Draw at most twelve rows, a minimum support and k."""
    draw = random.Random(seed)
    labels = "abcde"[: draw.randint(2, 5)]
    rows = [[x for x in labels if draw.random() < 0.75] for _ in range(draw.randint(6, 12))]
    k = draw.randint(2, 3)
    return rows, draw.randint(k, max(k, len(rows) // 2)), k


def kept_of(rows: list[list[str]], sigma: int) -> Kept:
    data = Transactions.from_rows(rows)
    return Kept(data, np.arange(len(data)), mine(data, min_support=sigma), 0)


def itemsets_if_safe(rows: tuple[int, ...], sigma: int, k: int) -> int:
    """Count the frequent itemsets of rows given as bitmasks, by definition; -1 where fewer than k rows stand out."""
    every = range(1, 1 << max(rows, default=0).bit_length())
    frequent = [itemset for itemset in every if sum(row & itemset == itemset for row in rows) >= sigma]
    maximal = [one for one in frequent if not any(one != other and one & other == one for other in frequent)]
    groups = [size for full in maximal or [0] for size in Counter(row & full for row in rows).values()]
    return -1 if any(size < k for size in groups) else len(frequent)


def fewest_by_brute_force(rows: list[list[str]], sigma: int, k: int, least: int) -> tuple[int, int]:
    """Return the most rows that can stay with at least so many itemsets, and then the most itemsets."""
    masks = sorted(sum(1 << "abcde".index(label) for label in row) for row in rows)
    for left in range(len(rows), -1, -1):
        best = max(itemsets_if_safe(stay, sigma, k) for stay in set(combinations(masks, left)))
        if best >= least:
            return left, best
    raise AssertionError


def test_equals_brute_force():
    for seed in seeds(20):
        rows, sigma, k = small_data(seed)
        begin = kept_of(rows, sigma)
        paper = suppress_channels(begin, k=k)
        found = suppress_fewest(begin, k=k, most_steps=100_000)
        assert found.proved
        least = count_itemsets(paper.closed)
        got = (len(found.kept.rows), count_itemsets(found.kept.closed))
        assert got[0] >= len(paper.rows)
        assert got[1] >= least
        assert got == fewest_by_brute_force(rows, sigma, k, least), f"seed {seed}"


def test_a_search_cut_short_is_never_worse_than_the_paper():
    for seed in seeds(20):
        rows, sigma, k = small_data(seed)
        begin = kept_of(rows, sigma)
        paper = suppress_channels(begin, k=k)
        found = suppress_fewest(begin, k=k, most_steps=3)
        assert len(found.kept.rows) >= len(paper.rows)
        assert count_itemsets(found.kept.closed) >= count_itemsets(paper.closed)


def test_blocking_takes_it_and_refuses_it_elsewhere():
    rows = Transactions.from_rows(small_data(3)[0])
    fewest = block(rows, k=2, min_support=3, method="suppressive", border=False, minimal=True)
    assert fewest.n_after >= block(rows, k=2, min_support=3, method="suppressive", border=False).n_after
    with pytest.raises(ParameterError, match="suppressive"):
        block(rows, k=2, min_support=3, method="additive", minimal=True)
    with pytest.raises(ParameterError, match="folded"):
        block(rows.fold(), k=2, min_support=3, method="suppressive", minimal=True)
