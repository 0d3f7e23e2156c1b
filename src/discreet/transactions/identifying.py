"""Columns and items that tell whose a row is: left out when rows are read, and refused in what is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError, param
from discreet.transactions.disk_rows import are_on_disk
from discreet.transactions.label_names import listed, matches, resolve
from discreet.transactions.read_record import record_of
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.transactions.options import ReadOptions

__all__ = ["public_ids", "refuse_identifying", "without_identifying"]


def without_identifying(rows: Transactions, options: ReadOptions) -> Transactions:
    """Return rows, whose identifying columns were left out, without the identifying items as well.

    The record of the rows says which of the names stand for columns. A name that stands for neither is refused:
    nothing would be left out, and the owner believes that it is.
    """
    names = options.rules.identifying
    if not names:
        return rows
    record, labels = record_of(rows), rows.vocabulary.labels
    found = resolve(
        listed(names, "identifying"), labels, parameter="identifying", known=record.identifying, ignore_unknown=None
    )
    gone = {label for each in found.values() for label in each}
    if gone and are_on_disk(rows):
        raise ParameterError(
            f"{param('identifying')} names items, which cannot be left out with {param('engine', 'disk')}; name "
            "columns, or use Spark",
            parameter="identifying",
        )
    if gone:
        kept = [label for label in labels if label not in gone]
        place = {label: number for number, label in enumerate(kept)}
        numbers = np.array([place.get(label, -1) for label in labels], np.int32)
        rows = Transactions.from_codes(rows.itemsets.renumbered(numbers), kept, ids=rows.ids, layout=rows.layout)
    empty, held = rows.itemsets.count_empty(), int((rows.item_supports() > 0).sum())
    return rows.with_record(replace(record, empty_rows=empty, items=held, identifying=tuple(names)))


def public_ids(rows: Transactions) -> Sequence[str] | None:
    """Return the rows' ids; None if they are those of people, by which rows were merged."""
    return None if rows.read is not None and rows.read.persons is not None else rows.ids


def refuse_identifying(
    written: Transactions | Iterable[str], what: str, *sources: Transactions | None, names: Iterable[str] = ()
) -> None:
    """Refuse to write rows, or labels, that hold what is identifying: by name, or in the rows that they come from."""
    records = [rows.read for rows in sources if rows is not None and rows.read is not None]
    names = {*names, *(name for record in records for name in record.identifying)}
    if not names:
        return
    labels = list(written.vocabulary.labels if isinstance(written, Transactions) else written)
    if isinstance(written, Transactions) and written.layout is not None:
        labels += [text for column in written.layout.columns for text in (column, f"{column}=")]
    found = matches(sorted(names), labels)
    if again := next((name for name, items in found.items() if items), None):
        raise ParameterError(
            f"{what} would hold {again!r}, which {param('identifying')} names as telling whose a row is; leave it out "
            "of what is written",
            parameter="identifying",
        )
