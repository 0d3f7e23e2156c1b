"""Frames of mlxtend: `support` (a share) and `itemsets` (frozensets), and its rules; also such frames saved as CSV.

Supports are shares printed in full, so n turns them back into counts. Frames made by `to_pandas` also have the exact
`count` and need no n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.patterns.encoding import bytes_of, floats_as_text, in_cell, pattern_texts, rule_texts, strung
from discreet.patterns.list_columns import read_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.patterns.encoding import Piece
    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
    from discreet.patterns.list_cells import Dialect
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.tables.table import Table
    from discreet.thresholds import MinSupport

__all__ = ["csv_blocks", "read_patterns", "read_rules", "rules_csv_blocks"]

_DIALECTS: tuple[Dialect, ...] = ("python", "round")


def read_patterns(table: Table, *, n: int | None, min_support: MinSupport | None) -> ImportedPatterns:
    """Read `itemsets` with `support` as shares or counts, and `count` if present."""
    columns = read_columns(table, ("itemsets",), ("support", "count"), dialects=_DIALECTS)
    return columns.patterns(columns.supports(n, or_least_n=True), origin="mlxtend", min_support=min_support)


def read_rules(table: Table, *, n: int | None) -> ImportedRules:
    """Read `antecedents`, `consequents`, `support`, `confidence`, and the sides' supports if present."""
    sides = [(f"{side} count", f"{side} support") for side in ("antecedent", "consequent")]
    wanted = ("support", "confidence", "count", *(name for pair in sides for name in pair))
    columns = read_columns(table, ("antecedents", "consequents"), wanted, dialects=_DIALECTS)
    counts, n, factor, _ = columns.supports(n)
    antecedent, consequent = (
        columns.supports(n, counts=count, shares=share).counts
        if n is not None and {count, share} & columns.numbers.keys()
        else None
        for count, share in sides
    )
    return columns.rules(
        counts, origin="mlxtend", n=n, antecedent_supports=antecedent, consequent_supports=consequent, factor=factor
    )


def csv_blocks(patterns: PatternSet) -> Iterator[bytes]:
    """Return the frame of `to_pandas` as pandas' CSV, in blocks of bytes."""
    yield b",support,itemsets,count\n"
    for rows, labels in pattern_texts(patterns, lambda label: in_cell(repr(label)), ", "):
        shares = floats_as_text(patterns.supports[rows] / patterns.n)
        index = np.arange(rows.start, rows.stop)
        yield bytes_of(strung(index, ",", shares, ',"frozenset({', labels, '})",', patterns.supports[rows], "\n"))


def rules_csv_blocks(rules: RuleSet) -> Iterator[bytes]:
    """Return the frame of `to_pandas` as pandas' CSV, in blocks of bytes."""
    measures = rules.measures()
    yield f",antecedents,consequents,{','.join(measures)}\n".encode()
    for rows, antecedents, consequents in rule_texts(rules, lambda label: in_cell(repr(label)), ", "):
        index = np.arange(rows.start, rows.stop)
        pieces: list[Piece] = [index, ',"frozenset({', antecedents, '})","frozenset({', consequents, '})"']
        for column in measures.values():
            pieces += [",", column[rows] if column.dtype == np.int64 else floats_as_text(column[rows])]
        yield bytes_of(strung(*pieces, "\n"))
