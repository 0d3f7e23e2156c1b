"""What hierarchies learned from the rows are worth: python -m benchmarks.uncertainty_hierarchies [SECONDS].

The paper's tree has neighbours by label under one node. Here the same tree is built over other orders of the items,
which only the rows can tell, and the default method searches in each. Prints a table of what it loses.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import data_folder
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.hierarchy import Hierarchy
from discreet.uncertainty.sensitive_items import draw_sensitive, sensitive_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Order = Callable[[Transactions, NDArray[np.int32], NDArray[np.bool_]], NDArray[np.int64]]

__all__ = ["ORDERS", "learned_hierarchy", "losses", "main"]

RHO, SHARE, SEED = Fraction(1, 2), "40%", 1
DATA = ("BMS-WebView-1", "BMS-WebView-2_spmf")
CAPS = (5, 8, None)
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
FANOUTS = (4, 2)


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


def losses(rows: Transactions, seconds: float) -> dict[str, Fraction]:
    """Return what dropping every sensitive item loses, and the default method over a tree in each order."""
    sensitive = draw_sensitive(rows.vocabulary, SHARE, seed=SEED)
    lost = {}
    for name, fanout in product(ORDERS, FANOUTS):
        tree = learned_hierarchy(rows, sensitive, ORDERS[name], fanout)
        done = anonymize(rows, rho=RHO, sensitive=sensitive, hierarchy=tree, time_limit=seconds)
        lost |= {"simple": done.simple_loss, f"{name}, {fanout}": done.information_loss}
    return lost


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    columns = ["rows", "longest row", "`simple`", *(f"{name}, {fanout}" for name, fanout in product(ORDERS, FANOUTS))]
    print(f"| {' | '.join(columns)} |\n| {' | '.join(['---'] * len(columns))} |")
    for name in DATA:
        everything = read(data_folder() / f"{name}.dat.gz")
        lengths = everything.itemsets.lengths
        for cap in CAPS:
            chosen = [row for row, length in zip(everything, lengths, strict=True) if cap is None or length <= cap]
            lost = losses(Transactions.from_rows(chosen), seconds)
            cells = " | ".join(f"{float(loss):.2%}".replace("%", " %") for loss in lost.values())
            print(f"| {name.removesuffix('_spmf')} | {cap or 'all'} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
