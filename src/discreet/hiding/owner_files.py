"""Files about what was hidden, for the owner alone: the change log, and the itemsets that were lost.

Anyone with the change log can undo the hiding. Only the owner may read these files, and nothing from them is in the
rows that are handed over.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import OutputError, param
from discreet.tables.writers import Cells, WrittenColumns, csv_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.hiding.hide import Hidden
    from discreet.hiding.side_effects import LostPatterns, SideEffects
    from discreet.tables.writers import WrittenLists

__all__ = ["change_log", "lost_patterns"]

_AT_ONCE = 1 << 18


def change_log(done: Hidden) -> Iterator[bytes]:
    """Yield a CSV with a line for every item removed: the row's number, counted from 1, and the item's label."""

    def slices() -> Iterator[list[Cells | WrittenLists]]:
        for first in range(0, len(done.removed), _AT_ONCE):
            rows, which = np.unique(done.removed_from[first : first + _AT_ONCE], return_inverse=True)
            numbers = [str(row + 1) for row in rows.tolist()]
            items = Cells(done.removed[first : first + _AT_ONCE], done.rows.vocabulary.labels)
            yield [Cells(which.astype(np.int32), numbers), items]

    return csv_bytes(WrittenColumns(("row", "item"), slices()))


def lost_patterns(effects: SideEffects, *, parquet: bool) -> Iterator[bytes]:
    """Return a file of the legitimate itemsets lost, with both supports: Parquet, or CSV with items as a JSON list."""
    lost = effects.lost
    if lost is None:
        raise OutputError(
            f"the {effects.patterns_before:,} itemsets in at least {effects.min_support:,} rows are too many to list "
            f"those lost; raise {param('min_support')}, or leave {param('lost')} out"
        )
    return _as_parquet(lost) if parquet else _as_csv(lost)


def _as_parquet(lost: LostPatterns) -> Iterator[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    memory = pa.BufferOutputStream()
    pq.write_table(lost.to_arrow(), memory)
    yield memory.getvalue().to_pybytes()


def _as_csv(lost: LostPatterns) -> Iterator[bytes]:
    yield b"items,before,after\n"
    for block in lost.blocks():
        lines = []
        for items, before, after in zip(*(block[name].to_pylist() for name in block.column_names), strict=True):
            quoted = json.dumps(items, ensure_ascii=False).replace('"', '""')
            lines.append(f'"{quoted}",{before},{after}\n')
        yield "".join(lines).encode()
