"""What trees learned from the rows are worth: python -m benchmarks.uncertainty_hierarchies FOLDER SECONDS [TREE...].

The paper's tree has neighbours by label under one node. Here the same tree is built over other orders of the items,
which only the rows can tell, and the default method searches in each, for SECONDS of the processor, in ten draws of the
sensitive items. A TREE is an order and a fan-out, as in support-2; without one, all are tried. FOLDER gets losses.csv,
a line for each draw and tree as soon as it is measured, and losses.md, a table of ranges. A run that was stopped goes
on where it was.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np

from benchmarks.cases import data_folder
from benchmarks.uncertainty_losses import DRAWS, RHO, SHARE, Loss, keep, read_losses
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.uncertainty import time_budget
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.hierarchy import Hierarchy
from discreet.uncertainty.sensitive_items import draw_sensitive, sensitive_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Order = Callable[[Transactions, NDArray[np.int32], NDArray[np.bool_]], NDArray[np.int64]]

__all__ = ["ORDERS", "TREES", "learned_hierarchy", "main", "measure"]

DATA = ("BMS-WebView-1", "BMS-WebView-2_spmf")
CAPS = (5, None, 8)
ROWS_COMPARED = 20_000


def by_label(rows: Transactions, others: NDArray[np.int32], held: NDArray[np.bool_]) -> NDArray[np.int64]:  # noqa: ARG001
    """Leave them as the paper has them."""
    return np.arange(len(others))


def by_support(rows: Transactions, others: NDArray[np.int32], held: NDArray[np.bool_]) -> NDArray[np.int64]:  # noqa: ARG001
    """Put items side by side that are about as frequent."""
    return np.argsort(rows.item_supports()[others], kind="stable")


def by_exposure(rows: Transactions, others: NDArray[np.int32], held: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Put items side by side that come with a sensitive item about as often."""
    row_of = np.repeat(np.arange(len(rows)), rows.itemsets.lengths)
    with_sensitive = np.bincount(row_of, weights=~held[rows.items], minlength=len(rows)) > 0
    exposed = np.bincount(rows.items, weights=with_sensitive[row_of], minlength=len(rows.vocabulary))
    return np.argsort(exposed[others] / np.maximum(1, rows.item_supports()[others]), kind="stable")


def by_company(rows: Transactions, others: NDArray[np.int32], held: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Put items side by side that come together: the second eigenvector of their similarity."""
    place = np.cumsum(held) - 1
    table = np.zeros((min(len(rows), ROWS_COMPARED), len(others)), np.float32)
    for row in range(len(table)):
        items = rows.items[rows.offsets[row] : rows.offsets[row + 1]]
        table[row, place[items[held[items]]]] = 1
    together = table.T @ table
    lengths = np.sqrt(np.maximum(1, together.diagonal()))
    together /= lengths[:, None] * lengths
    scale = 1 / np.sqrt(together.sum(axis=1) + 1)
    return np.argsort(np.linalg.eigh(together * scale[:, None] * scale)[1][:, -2] * scale, kind="stable")


ORDERS: dict[str, Order] = {
    "label": by_label,
    "support": by_support,
    "exposure": by_exposure,
    "company": by_company,
}
TREES = tuple(f"{order}-{fanout}" for order, fanout in product(ORDERS, (4, 2)))
"""What is tried by default."""


def learned_hierarchy(rows: Transactions, sensitive: Sequence[str], order: Order, fanout: int) -> Hierarchy:
    """Return the paper's tree over the items in another order."""
    held = np.ones(len(rows.vocabulary), bool)
    held[sensitive_codes(sensitive, rows.vocabulary)] = False
    others = np.flatnonzero(held).astype(np.int32)
    lines = [[rows.vocabulary[item]] for item in others[order(rows, others, held)].tolist()]
    width = fanout
    while width < len(lines):
        for place, line in enumerate(lines):
            line.append(f"node {width} {place // width}")
        width *= fanout
    return Hierarchy.from_lines([[*line, "ALL"] for line in lines])


def measure(
    sets: Mapping[str, Callable[[], Transactions]],
    trees: Sequence[str],
    draws: int,
    *,
    seconds: float,
    known: Iterable[Loss] = (),
) -> Iterator[Loss]:
    """Yield what dropping every sensitive item loses, and the default method over each tree, without what is known."""
    done = {(loss.rows, loss.draw, loss.method) for loss in known}
    for name, load in sets.items():
        left = [
            (draw, tree)
            for draw in range(1, draws + 1)
            for tree in ("simple", *trees)
            if (name, draw, tree) not in done
        ]
        if left:
            rows = load()
            for draw, tree in left:
                yield _measured(name, rows, draw, tree, seconds)


def _measured(name: str, rows: Transactions, draw: int, tree: str, seconds: float) -> Loss:
    sensitive = draw_sensitive(rows.vocabulary, SHARE, seed=draw)
    start = time.process_time()
    if tree == "simple":
        lost = anonymize(rows, rho=RHO, sensitive=sensitive, method="simple").information_loss
    else:
        order, _, fanout = tree.partition("-")
        hierarchy = learned_hierarchy(rows, sensitive, ORDERS[order], int(fanout))
        with patch.object(time_budget, "time", SimpleNamespace(monotonic=time.process_time)):  # whatever else runs
            lost = anonymize(
                rows, rho=RHO, sensitive=sensitive, hierarchy=hierarchy, time_limit=seconds
            ).information_loss
    return Loss(name, draw, tree, round(float(lost), 6), round(time.process_time() - start, 2))


def _load(file: str, cap: int | None) -> Transactions:
    rows = read(data_folder() / f"{file}.dat.gz")
    short = rows.itemsets.lengths <= (cap or rows.itemsets.lengths.max())
    return Transactions.from_rows([row for row, kept in zip(rows, short.tolist(), strict=True) if kept])


def main() -> None:
    """Measure, and write what was measured after every tree."""
    folder, seconds = Path(sys.argv[1]), float(sys.argv[2])
    sets = {
        f"{file.removesuffix('_spmf')} {cap or 'all'}": partial(_load, file, cap) for cap, file in product(CAPS, DATA)
    }
    known = read_losses(folder / "losses.csv")
    keep(folder, known, measure(sets, sys.argv[3:] or TREES, DRAWS, seconds=seconds, known=known))


if __name__ == "__main__":
    main()
