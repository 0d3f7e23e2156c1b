"""Baskets: a line's cells are its items.

There is no header, lines differ in length, a repeated item counts once. An empty cell is not an item; a line with empty
cells only, such as `""`, is an empty row (a blank line is skipped).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.tables.table import NULL, Coded, translate_all
from discreet.transactions.layout import Layout
from discreet.transactions.rows_builder import Labels, RowsBuilder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.tables.csv import CellBlock
    from discreet.transactions.transactions import Transactions

__all__ = ["read_basket"]


def read_basket(blocks: Iterator[CellBlock], *, delimiter: str, name: str, rows: RowsBuilder) -> Transactions:
    """Read baskets."""
    labels = Labels(name)
    for block in blocks:
        items = translate_all(Coded(block.codes, block.texts), partial(labels.numbers, missing=[""]), null=NULL)
        there = items != NULL
        ends = np.cumsum(block.lengths)
        before = np.concatenate(([0], np.cumsum(there)))  # how many items come before each cell
        rows.add(items[there], before[ends] - before[ends - block.lengths])
    layout = Layout(shape="basket", container="csv", delimiter=delimiter, header=False)
    return rows.finish(labels, name=name, layout=layout)
