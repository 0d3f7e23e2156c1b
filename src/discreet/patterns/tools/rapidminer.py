"""Itemsets and rules of RapidMiner: tables, and the text of its results view.

Tables of itemsets are `Items, Size, Frequency, Support, Score` (the operator Item Sets to Data) or `Size, Support,
Item 1, Item 2, …` (the results view); rules are `Premises, Conclusion, Support, Confidence, …`. Labels have ", "
between them. The text lists `a, b / 0.3`; that of rules has no supports, and is refused.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError
from discreet.patterns.file_hints import FileHints
from discreet.patterns.printed_numbers import whole_numbers
from discreet.patterns.tools import other_table
from discreet.patterns.tools.printouts import table_of_lists
from discreet.tables.table import BLANKS, ArrowBatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
    from discreet.tables.table import Batch, RawColumn, Table
    from discreet.thresholds import MinSupport

__all__ = ["has_itemsets", "has_rules", "is_rapidminer", "printed_table", "read_patterns", "read_rules"]

_HEADING = re.compile(r"Frequent Item Sets \(([0-9]+)\):\s*$", re.MULTILINE)
_RULE = re.compile(r"^\[.+\] --> \[.+\] \(confidence: [0-9.,]+\)\s*$", re.MULTILINE)
_LINE = re.compile(r"(.+) / ([0-9.,]+)\s*")
_ITEM = re.compile(r"item [0-9]+", re.IGNORECASE)
_SEPARATED = FileHints(item_separator=", ")


def is_rapidminer(text: str) -> bool:
    """Return whether a text is RapidMiner's list of itemsets or rules."""
    return _HEADING.match(text.lstrip()) is not None or _RULE.search(text) is not None


def printed_table(text: str, name: str) -> Table:
    """Return the listed itemsets as a table."""
    heading = _HEADING.match(text.lstrip())
    if heading is None:
        raise DataError(
            f"{name} lists RapidMiner's rules without their supports, so nothing follows from it; export the table "
            "of rules (Premises, Conclusion, Support, Confidence)"
        )
    lines = [line.strip(BLANKS) for line in text.lstrip()[heading.end() :].split("\n") if line.strip(BLANKS)]
    found = [_LINE.fullmatch(line) for line in lines]
    listed = [each for each in found if each is not None]
    if len(listed) != int(heading[1]) or len(listed) != len(lines):
        raise DataError(
            f"{name} says it has {int(heading[1]):,} itemsets, but lists {len(listed):,}; export them with the "
            "operator Item Sets to Data"
        )
    sizes = [str(each[1].count(", ") + 1) for each in listed]
    return table_of_lists(
        name, {"Items": [each[1] for each in listed], "Size": sizes, "Support": [each[2] for each in listed]}
    )


def has_itemsets(table: Table) -> bool:
    """Return whether the columns are those of RapidMiner's itemsets."""
    names = {column.lower() for column in table.columns}
    return {"size", "support"} <= names and ("items" in names or any(map(_ITEM.fullmatch, names)))


def has_rules(table: Table) -> bool:
    """Return whether the columns are those of RapidMiner's rules."""
    return {"premises", "conclusion", "support", "confidence"} <= {column.lower() for column in table.columns}


def read_patterns(table: Table, *, n: int | None, min_support: MinSupport | None) -> ImportedPatterns:
    """Read itemsets; the sizes tell whether a label has the separator in it."""
    if "items" not in {column.lower() for column in table.columns}:
        table = _joined(table)
    batches = list(table.batches)
    lowered = [column.lower() for column in table.columns]
    sizes = whole_numbers([batch.values(lowered.index("size")) for batch in batches], "size", table.place)
    given = other_table.read_patterns(
        replace(table, batches=iter(batches)), _SEPARATED, n=n, min_support=min_support, origin="rapidminer"
    )
    if not np.array_equal(np.sort(sizes), np.sort(given.itemsets.lengths)):
        raise DataError(
            f"{table.name}: a label has a comma in it, so that it cannot be distinguished from two; rename it"
        )
    return given


def read_rules(table: Table, *, n: int | None) -> ImportedRules:
    """Read rules; the supports are shares of n rows."""
    return other_table.read_rules(table, _SEPARATED, n=n, origin="rapidminer")


def _joined(table: Table) -> Table:
    """Return the table with its columns Item 1, Item 2, … as one."""
    places = [at for at, column in enumerate(table.columns) if _ITEM.fullmatch(column)]

    def batches() -> Iterator[Batch]:
        for batch in table.batches:
            labels = [_texts(batch.values(at)) for at in places]
            items = [", ".join(label for label in row if label) for row in zip(*labels, strict=True)]
            kept = [*map(batch.values, range(len(table.columns))), items]
            yield ArrowBatch(columns=kept, rows=batch.rows, before=0, name=table.name)

    return replace(table, columns=(*table.columns, "Items"), batches=batches())


def _texts(column: RawColumn) -> list[str]:
    return [str(cell or "") for cell in (column if isinstance(column, list) else column.to_pylist())]
