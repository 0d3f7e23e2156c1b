"""One row for each person: what several rows hold of the same person, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.itemsets import Itemsets
from discreet.tables.arrow_arrays import arrow_texts, numpy_numbers
from discreet.transactions.rows_builder import RowIds
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["merged_by_id", "repeated_id"]


def merged_by_id(rows: Transactions) -> Transactions:
    """Return one row for each id, with every item that a row of that id has, in the order of first appearance.

    The result has no layout: a table has room for one value of a column, and a person may have several.
    """
    persons, ids = _numbered(rows)
    owners = np.repeat(persons, rows.itemsets.lengths)
    order = np.argsort(owners, kind="stable")
    lengths = np.bincount(owners, minlength=len(ids))
    together = Itemsets.from_lengths(lengths.astype(np.int64), np.ascontiguousarray(rows.items[order]))
    return Transactions.from_codes(together, rows.vocabulary, ids=ids)


def repeated_id(rows: Transactions) -> tuple[int, int] | None:
    """Return two rows, from 0, that have the same id; None if each has its own."""
    if rows.ids is None:
        return None
    persons, ids = _numbered(rows)
    if len(ids) == len(rows):
        return None
    _, first, back = np.unique(persons, return_index=True, return_inverse=True)
    second = int(np.flatnonzero(first[back] != np.arange(len(rows)))[0])
    return int(first[back][second]), second


def _numbered(rows: Transactions) -> tuple[NDArray[np.int64], RowIds]:
    """Return the number of each row's id, and the ids in the order of first appearance."""
    coded = arrow_texts(rows.ids or ()).dictionary_encode()
    return numpy_numbers(coded.indices).astype(np.int64), RowIds(coded.dictionary)
