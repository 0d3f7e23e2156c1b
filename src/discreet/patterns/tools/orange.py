"""Tables of Orange's Association Rules widget: Antecedent, Consequent, Support, Confidence, Coverage and more.

Orange writes two lines below the header, for the types and the roles of the columns, or a prefix such as `mS#` before
their names. Labels have ", " between them; shares have three digits, so n is needed and must be small enough.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from discreet.patterns.file_hints import FileHints
from discreet.patterns.tools import other_table
from discreet.tables.table import ArrowBatch, Table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.patterns.imported_patterns import ImportedRules
    from discreet.tables.table import Batch

__all__ = ["is_orange", "read_rules"]

_PREFIX = re.compile(r"^[mcCDSTiw]{1,3}#")
_COLUMNS = {"antecedent", "consequent", "support", "confidence", "strength", "leverage"}


def is_orange(table: Table) -> bool:
    """Return whether the columns are those of Orange's rules."""
    return {_PREFIX.sub("", column).lower() for column in table.columns} >= _COLUMNS


def read_rules(table: Table, *, n: int | None) -> ImportedRules:
    """Read rules; the supports are shares of n rows."""
    named = replace(
        table, columns=tuple(_PREFIX.sub("", column) for column in table.columns), batches=_below_types(table)
    )
    return other_table.read_rules(named, FileHints(item_separator=", "), n=n, origin="orange")


def _below_types(table: Table) -> Iterator[Batch]:
    """Yield the batches without the two lines of types and roles, if they are there."""
    support = [_PREFIX.sub("", column).lower() for column in table.columns].index("support")
    before = 0
    for batch in table.batches:
        cells = batch.values(support)
        first = cells[0] if isinstance(cells, list) or not len(cells) else cells[0].as_py()
        skipped = 2 if not before and first in ("continuous", "c") else 0
        kept = [batch.values(at)[skipped:] for at in range(len(table.columns))]
        before += batch.rows - skipped
        yield ArrowBatch(
            columns=kept, rows=batch.rows - skipped, before=before - (batch.rows - skipped), name=table.name
        )
