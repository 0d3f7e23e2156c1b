"""Detection against a good NumPy PMICD, against mining alone, and as rows grow."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import Case, data_folder
from discreet.channels.audit import audit
from discreet.channels.grouping import groups_of_rows
from discreet.channels.projection import project_rows
from discreet.itemsets import Itemsets
from discreet.patterns.mining import mine
from discreet.transactions.generate import quest
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable

    Jobs = tuple[Callable[[], object], Callable[[], object] | None]

__all__ = ["cases"]

K = 30
DENSE = (("mushroom", "10%"), ("mushroom", "5%"), ("chess", "75%"), ("chess", "60%"))
WHOLE = (("mushroom", "10%"), ("mushroom", "5%"), ("chess", "60%"), ("retail", "0.1%"))


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    load = _small if small else _load
    found = [
        Case(f"detect, {name} {share}, k = {K}", partial(_detection, load, name, share), peer="NumPy PMICD", least=5)
        for name, share in DENSE
    ]
    found += [
        Case(
            f"mine and detect, {name} {share}, k = {K}",
            partial(_whole_job, load, name, share),
            peer="pyfim closed mining alone",
            least=1 / 3,
        )
        for name, share in WHOLE
    ]
    found.append(
        Case(
            "detect from closed itemsets, mushroom 25%",
            partial(_closed, load),
            peer="Algorithm 2 as printed (2^|J-I| sums)",
            repeats=2,
        )
    )
    found.append(
        Case("border, mushroom 25%", partial(_border, load), peer="detection without it (x10 allowed)", least=0.1)
    )
    base = 300 if small else 8124
    sizes = (1, 2) if small else (1, 12, 123)
    found += [Case(f"detect, mushroom with noise, {base * size:,} rows", partial(_grown, load, size)) for size in sizes]
    return found


def _load(name: str) -> Transactions:
    return read(data_folder() / f"{name}.dat.gz")


def _small(name: str) -> Transactions:  # noqa: ARG001 - one stand-in for all
    return quest(rows=300, items=12, mean_length=6, pattern_length=3, patterns=20, seed=1)


def _maximal(rows: Transactions, share: str) -> Itemsets:
    found = mine(rows, min_support=share, target="maximal")
    return found.itemsets if len(found) else Itemsets.only_empty()


def _detection(load: Callable[[str], Transactions], name: str, share: str) -> Jobs:
    rows = load(name)
    targets = _maximal(rows, share)
    return partial(groups_of_rows, rows, targets, below=K), partial(project_rows, rows, targets, below=K)


def _whole_job(load: Callable[[str], Transactions], name: str, share: str) -> Jobs:
    import fim

    rows = load(name)
    sigma = mine(rows, min_support=share).min_support
    bounds, items = rows.offsets.tolist(), rows.items.tolist()
    lists = [items[a:b] for a, b in pairwise(bounds)]
    ours = partial(audit, rows, k=K, min_support=sigma, border=False)
    return ours, partial(fim.fpgrowth, lists, target="c", supp=-sigma, report="a")


def _closed(load: Callable[[str], Transactions]) -> Jobs:
    closed = mine(load("mushroom"), min_support="25%")
    return partial(audit, closed, k=K, border=False), partial(_as_printed, closed)


def _as_printed(closed: object) -> int:
    """Count channels by Algorithm 2 of atzori2008 as printed: an alternating sum for every closed I in every J."""
    supports = {frozenset(): closed.n} | dict(closed)
    maximal = [x for x in supports if not any(x < y for y in supports)]
    known: dict[frozenset[str], int] = {}

    def support(itemset: frozenset[str]) -> int:
        if itemset not in known:
            known[itemset] = max(s for y, s in supports.items() if itemset <= y)
        return known[itemset]

    found = 0
    for full in maximal:
        for base in supports:
            if not base <= full:
                continue
            absent = sorted(full - base)
            total = 0
            for subset in range(1 << len(absent)):
                added = frozenset(x for bit, x in enumerate(absent) if subset >> bit & 1)
                total += (-1) ** len(added) * support(base | added)
            found += 0 < total < K
    return found


def _border(load: Callable[[str], Transactions]) -> Jobs:
    rows = load("mushroom")
    with_it = partial(audit, rows, k=10, min_support="25%")
    return with_it, partial(audit, rows, k=10, min_support="25%", border=False)


def _grown(load: Callable[[str], Transactions], times: int) -> Jobs:
    """Resample mushroom's rows, with one cell in fifty replaced by another of the same row's neighbour."""
    rows = load("mushroom")
    draw = np.random.default_rng(1)
    chosen = draw.integers(0, len(rows), len(rows) * times)
    lengths = rows.itemsets.lengths[chosen]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    items = rows.items[np.repeat(rows.offsets[chosen], lengths) + within]
    noisy = np.flatnonzero(draw.random(len(items)) < 1 / 50)
    items[noisy] = draw.permutation(items[noisy])
    grown = Transactions.from_codes(Itemsets(offsets, items), rows.vocabulary)
    targets = _maximal(grown, "20%")
    return partial(groups_of_rows, grown, targets, below=K), None
