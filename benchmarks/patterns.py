"""Mining against pyfim and mlxtend: rows read already, arrays out for ours, lists for pyfim, a frame for mlxtend."""

from __future__ import annotations

import time
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import Case, data_folder
from discreet.itemsets import Itemsets
from discreet.patterns.mining import mine
from discreet.transactions.generate import quest
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["cases"]

LETTERS = {"closed": "c", "maximal": "m", "all": "s"}
SETTINGS = (
    ("mushroom", "10%"),
    ("mushroom", "5%"),
    ("chess", "60%"),
    ("retail", "0.1%"),
    ("T10I4D100K", "0.1%"),
)
SPARSE = (("T10I4D100K", "0.02%"), ("retail", "0.02%"), ("kosarak_first36682", "0.3%"))
"""Closed and maximal alone."""

GOALS = {
    "mine all, mushroom 10%": 10,
    "mine all, mushroom 5%": 10,
    "mine all, retail 0.1%": 6,
    "mine all, T10I4D100K 0.1%": 6,
}
LEAST = 5
"""The goal of all others: how many times as fast as the better of pyfim's FP-growth and Eclat."""

NOISY = (12, 123, 1231)
"""How often mushroom's 8,124 rows are repeated: about 10^5, 10^6 and 10^7 rows."""

# Where mlxtend finishes within a minute on this kind of machine.
MLXTEND = (("mushroom", "20%"), ("chess", "80%"), ("T10I4D100K", "0.5%"))


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    load = _small if small else _load
    found = []
    settings = [(name, share, target) for name, share in SETTINGS for target in LETTERS]
    settings += [(name, share, target) for name, share in SPARSE for target in ("closed", "maximal")]
    for name, share, target in settings:
        title = f"mine {target}, {name} {share}"
        jobs = partial(_against_pyfim, load, name, share, target)
        found.append(Case(title, jobs, peer="best of pyfim", least=1, goal=GOALS.get(title, LEAST)))
    for name, share in MLXTEND:
        title = f"mine all, {name} {share}"
        found.append(Case(title, partial(_against_mlxtend, load, name, share), peer="mlxtend", least=30, repeats=2))
    for times in (1, 2) if small else NOISY:
        title = f"mine closed, mushroom with noise, {(300 if small else 8124) * times:,} rows"
        found.append(Case(title, partial(_of_noisy_rows, load, times), repeats=1))
    return found


def _load(name: str) -> Transactions:
    return read(data_folder() / f"{name}.dat.gz")


def _small(name: str) -> Transactions:  # noqa: ARG001 - one stand-in for all
    return quest(rows=300, items=30, mean_length=6, pattern_length=3, patterns=20, seed=1)


def _against_pyfim(
    load: Callable[[str], Transactions], name: str, share: str, target: str
) -> tuple[Callable[[], object], Callable[[], object]]:
    import fim

    rows = load(name)
    sigma = mine(rows, min_support=share, target="maximal").min_support
    bounds = rows.offsets.tolist()
    items = rows.items.tolist()
    lists = [items[a:b] for a, b in pairwise(bounds)]

    jobs = [partial(job, lists, target=LETTERS[target], supp=-sigma, report="a") for job in (fim.fpgrowth, fim.eclat)]
    times, counts = zip(*(_timed(job) for job in jobs), strict=True)
    found = mine(rows, min_support=sigma, target=target)
    # pyfim leaves out the itemset of what is in every row, unless it is maximal
    everywhere = target != "maximal" and bool((found.supports == rows.n).any())
    if {len(found)} != {count + everywhere for count in counts}:
        raise AssertionError(f"{len(found)} itemsets, and the peers find {counts}")
    return partial(mine, rows, min_support=sigma, target=target), jobs[times.index(min(times))]


def _timed(job: Callable[[], list[object]]) -> tuple[float, int]:
    """Return processor time, and how many itemsets there are."""
    start = time.process_time()
    found = len(job())
    return time.process_time() - start, found


def _of_noisy_rows(load: Callable[[str], Transactions], times: int) -> tuple[Callable[[], object], None]:
    """Repeat mushroom's rows, and replace one item by any other in a tenth of them."""
    rows = load("mushroom")
    draw = np.random.default_rng(times)
    lengths = np.tile(rows.itemsets.lengths, times)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    items = np.tile(rows.items, times)
    changed = np.flatnonzero((draw.random(len(lengths)) < 1 / 10) & (lengths > 0))
    items[offsets[changed] + draw.integers(0, lengths[changed])] = draw.integers(0, len(rows.vocabulary), len(changed))
    noisy = Transactions.from_codes(Itemsets(offsets, items), rows.vocabulary)
    return partial(mine, noisy, min_support="5%"), None


def _against_mlxtend(
    load: Callable[[str], Transactions], name: str, share: str
) -> tuple[Callable[[], object], Callable[[], object]]:
    import pandas as pd
    from mlxtend.frequent_patterns import fpgrowth

    rows = load(name)
    values = np.zeros((len(rows), len(rows.vocabulary)), bool)
    for row in range(len(rows)):
        values[row, rows.items[rows.offsets[row] : rows.offsets[row + 1]]] = True
    onehot = pd.DataFrame(values, columns=list(rows.vocabulary.labels))
    found = mine(rows, min_support=share, target="all")

    def peer() -> object:
        return fpgrowth(onehot, min_support=found.min_support / found.n)

    return partial(mine, rows, min_support=share, target="all"), peer
