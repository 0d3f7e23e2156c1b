"""Files about what was hidden, for the owner alone: the change log, and the itemsets that were lost.

Whoever has the change log can undo the hiding. Nobody but the owner may read these files, and nothing of them is in the
rows that are handed over.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import OutputError
from discreet.transactions.formats.written_cells import csv_bytes
from discreet.transactions.formats.written_columns import Cells, WrittenColumns
from discreet.transactions.output import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from discreet.hiding.hiding import Hidden
    from discreet.hiding.side_effects import LostPatterns, SideEffects
    from discreet.transactions.formats.written_columns import Lists

__all__ = ["write_change_log", "write_lost_patterns"]

_AT_ONCE = 1 << 18


def write_change_log(done: Hidden, path: str | PathLike[str], *, force: bool = False) -> None:
    """Write a CSV with a line for every item removed: the row's number, counted from 1, and the item's label."""

    def slices() -> Iterator[list[Cells | Lists]]:
        for first in range(0, len(done.removed), _AT_ONCE):
            rows, which = np.unique(done.removed_from[first : first + _AT_ONCE], return_inverse=True)
            numbers = [str(row + 1) for row in rows.tolist()]
            items = Cells(done.removed[first : first + _AT_ONCE], done.rows.vocabulary.labels)
            yield [Cells(which.astype(np.int32), numbers), items]

    with whole_file(path, force=force, private=True) as temporary, temporary.open("wb") as file:
        file.writelines(csv_bytes(WrittenColumns(("row", "item"), slices()), delimiter=",", header=True))


def write_lost_patterns(effects: SideEffects, path: str | PathLike[str], *, force: bool = False) -> None:
    """Write the legitimate itemsets lost with both supports: CSV (items as a JSON list) or Parquet, by the name."""
    lost = effects.lost
    if lost is None:
        raise OutputError(
            f"the {effects.patterns_before:,} itemsets in at least {effects.min_support:,} rows are too many to list "
            "those lost; raise -s, or leave --lost out"
        )
    with whole_file(path, force=force, private=True) as temporary:
        if str(path).endswith(".parquet"):
            import pyarrow.parquet as pq

            pq.write_table(lost.to_arrow(), temporary)
        else:
            with temporary.open("wb") as file:
                file.write(b"items,before,after\n")
                file.writelines(_csv_block(lost))


def _csv_block(lost: LostPatterns) -> Iterator[bytes]:
    for block in lost.blocks():
        lines = []
        for items, before, after in zip(*(block[name].to_pylist() for name in block.column_names), strict=True):
            quoted = json.dumps(items, ensure_ascii=False).replace('"', '""')
            lines.append(f'"{quoted}",{before},{after}\n')
        yield "".join(lines).encode()
