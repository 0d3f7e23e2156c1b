"""Frames of Spark's FPGrowth: `items` and `freq`; rules as `antecedent`, `consequent`, `confidence`, `lift`, `support`.

They come as Parquet or JSON lines (also a folder of such parts), as data frames, or as CSV, with arrays as text in
several forms: JSON, a Python list, or Spark's own [a, b]. The support of a rule is a share, so rules need n.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.patterns.encoding import (
    bytes_of,
    floats_as_text,
    json_label,
    pattern_texts,
    rule_texts,
    strung,
    write_columns,
)
from discreet.patterns.list_columns import read_columns
from discreet.patterns.printed_numbers import Supports

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from discreet.patterns.encoding import Piece
    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
    from discreet.patterns.list_cells import Dialect
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.tables.table import Table
    from discreet.thresholds import MinSupport

__all__ = ["json_blocks", "read_patterns", "read_rules", "rules_json_blocks", "write_parquet", "write_rules_parquet"]

_DIALECTS: tuple[Dialect, ...] = ("json", "python", "bare")


def read_patterns(table: Table, *, n: int | None, min_support: MinSupport | None) -> ImportedPatterns:
    """Read `items` with `freq`; FPGrowth finds all frequent itemsets, but a frame may have been filtered since."""
    columns = read_columns(table, ("items",), ("freq",), dialects=_DIALECTS)
    return columns.patterns(Supports(columns.counts("freq"), n), origin="spark", min_support=min_support)


def read_rules(table: Table, *, n: int | None) -> ImportedRules:
    """Read rules; the support is a share of n rows, or a count if all of them are whole numbers."""
    columns = read_columns(table, ("antecedent", "consequent"), ("support", "confidence"), dialects=_DIALECTS)
    counts, n, factor, _ = columns.supports(n)
    return columns.rules(counts, origin="spark", n=n, factor=factor)


def json_blocks(patterns: PatternSet) -> Iterator[bytes]:
    """Return JSON lines as Spark writes them, in blocks of bytes."""
    for rows, labels in pattern_texts(patterns, json_label, ","):
        yield bytes_of(strung('{"items":[', labels, '],"freq":', patterns.supports[rows], "}\n"))


def rules_json_blocks(rules: RuleSet) -> Iterator[bytes]:
    """Return JSON lines as Spark writes them, in blocks of bytes."""
    measures = rules.measures()
    for rows, antecedents, consequents in rule_texts(rules, json_label, ","):
        pieces: list[Piece] = ['{"antecedent":[', antecedents, '],"consequent":[', consequents, "]"]
        for name in ("confidence", "lift", "support"):
            pieces += [f',"{name}":', floats_as_text(measures[name][rows])]
        yield bytes_of(strung(*pieces, "}\n"))


def write_parquet(patterns: PatternSet, path: Path) -> None:
    """Write a Parquet file of `items` and `freq`."""
    write_columns(path, patterns.vocabulary, {"items": patterns.itemsets}, {"freq": patterns.supports})


def write_rules_parquet(rules: RuleSet, path: Path) -> None:
    """Write a Parquet file of rules."""
    measures = rules.measures()
    sides = {"antecedent": rules.antecedents, "consequent": rules.consequents}
    write_columns(path, rules.vocabulary, sides, {name: measures[name] for name in ("confidence", "lift", "support")})
