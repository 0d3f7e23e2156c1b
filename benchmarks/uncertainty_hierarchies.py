"""What hierarchies learned from the rows are worth: python -m benchmarks.uncertainty_hierarchies [SECONDS [DRAWS]].

The paper's tree has neighbours by label under one node. Here the same tree is built over other orders of the items,
which only the rows can tell, and the default method searches in each, for SECONDS of the processor. Prints a table of
what it loses, from the least to the most of as many DRAWS of the sensitive items.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np

from benchmarks.cases import data_folder
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.uncertainty import time_budget
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.hierarchy import Hierarchy
from discreet.uncertainty.sensitive_items import draw_sensitive, sensitive_codes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Order = Callable[[Transactions, NDArray[np.int32], NDArray[np.bool_]], NDArray[np.int64]]

__all__ = ["ORDERS", "learned_hierarchy", "losses", "main", "spread"]

RHO, SHARE = Fraction(1, 2), "40%"
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


def losses(rows: Transactions, seconds: float, draw: int = 1) -> dict[str, Fraction]:
    """Return what dropping every sensitive item loses, and the default method over a tree in each order."""
    sensitive = draw_sensitive(rows.vocabulary, SHARE, seed=draw)
    lost: dict[str, Fraction] = {}
    for name, fanout in product(ORDERS, FANOUTS):
        tree = learned_hierarchy(rows, sensitive, ORDERS[name], fanout)
        with patch.object(time_budget, "time", SimpleNamespace(monotonic=time.process_time)):  # whatever else runs
            done = anonymize(rows, rho=RHO, sensitive=sensitive, hierarchy=tree, time_limit=seconds)
        lost |= {"simple": done.simple_loss, f"{name}, {fanout}": done.information_loss}
    return lost


def spread(values: Sequence[Fraction]) -> str:
    """Write one loss, or the least and the greatest."""
    ends = sorted({f"{100 * float(value):.1f}" for value in (min(values), max(values))}, key=float)
    return f"{' to '.join(ends)} %"


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    draws = int(sys.argv[2]) if len(sys.argv) > 2 else 1  # noqa: PLR2004 - the second argument
    columns = ["rows", "longest row", "`simple`", *(f"{name}, {fanout}" for name, fanout in product(ORDERS, FANOUTS))]
    print(f"| {' | '.join(columns)} |\n| {' | '.join(['---'] * len(columns))} |")
    for name in DATA:
        everything = read(data_folder() / f"{name}.dat.gz")
        lengths = everything.itemsets.lengths
        for cap in CAPS:
            chosen = [row for row, length in zip(everything, lengths, strict=True) if cap is None or length <= cap]
            rows = Transactions.from_rows(chosen)
            lost = [losses(rows, seconds, draw) for draw in range(1, draws + 1)]
            cells = " | ".join(spread([each[column] for each in lost]) for column in lost[0])
            print(f"| {name.removesuffix('_spmf')} | {cap or 'all'} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
