"""Our own files: JSON, CSV and Parquet that include n, min_support, the kind and the cap.

JSON is one line with the separators ", " and ": ", the same bytes as `json.dumps(patterns.to_dict(),
ensure_ascii=False)` and a newline. CSV has `# n: 8124` and similar lines at the top, then `items` (a JSON list in the
cell) and `support`; Parquet has lists of strings, counts, and the rest as metadata.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

from discreet.errors import DataError
from discreet.patterns.encoding import (
    bytes_of,
    floats_as_text,
    in_cell,
    json_label,
    pattern_texts,
    rule_texts,
    strung,
    write_columns,
)
from discreet.patterns.imported_patterns import Claims, Kind, agreed
from discreet.patterns.list_columns import read_columns
from discreet.patterns.printed_numbers import Supports

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
    from discreet.patterns.list_columns import Columns
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.tables.table import Table
    from discreet.thresholds import MinSupport

__all__ = [
    "csv_blocks",
    "json_blocks",
    "patterns_from",
    "read_rules",
    "rules_csv_blocks",
    "rules_json_blocks",
    "write_parquet",
    "write_rules_parquet",
]

_RULE_COLUMNS = ("support", "antecedent_support", "consequent_support", "confidence")


def patterns_from(columns: Columns, table: Table, *, n: int | None, min_support: MinSupport | None) -> ImportedPatterns:
    """Turn the columns `items` and `support` (a count) into patterns."""
    supports = columns.counts("support")
    said = _number(table, "count")
    if said is not None and said != len(supports):
        raise DataError(f"{table.name} says it holds {said} itemsets, but there are {len(supports)}; is it complete?")
    return columns.patterns(Supports(supports, n), origin="ours", min_support=min_support, claims=_claims(table))


def _claims(table: Table) -> Claims:
    said = table.remarks.get("target", "unknown")
    kind = next((kind for kind in get_args(Kind) if kind == said), None)
    if kind is None:
        raise DataError(
            f"{table.name}: the target must be all, closed, maximal or selected; correct it at the top of the file"
        )
    return Claims(
        n=_number(table, "n"),
        min_support=_number(table, "min_support"),
        kind=kind,
        max_length=_number(table, "max_length"),
    )


def _number(table: Table, key: str) -> int | None:
    text = table.remarks.get(key, "none")
    if text.lower() == "none":
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):  # noqa: PLR2004 - digits of any count of rows
        raise DataError(f"{table.name}: {key} must be a whole number; correct it where the file says so")
    return int(text)


def read_rules(table: Table, *, n: int | None) -> ImportedRules:
    """Read rules with exact counts."""
    columns = read_columns(table, ("antecedent", "consequent"), _RULE_COLUMNS, dialects=("json",))
    counts = {name: columns.counts(name) for name in _RULE_COLUMNS[:3] if name in columns.numbers}
    return columns.rules(
        counts["support"],
        origin="ours",
        n=agreed("n", n, _number(table, "n")),
        antecedent_supports=counts.get("antecedent_support"),
        consequent_supports=counts.get("consequent_support"),
    )


def json_blocks(patterns: PatternSet, more: Mapping[str, object] | None = None) -> Iterator[bytes]:
    """Return the JSON document, with `more` in it, in blocks of bytes; a file has a newline after it."""
    texts = pattern_texts(patterns, json_label, ", ")
    records = (
        bytes_of(strung('{"items": [', labels, '], "support": ', patterns.supports[rows], "}, "))
        for rows, labels in texts
    )
    return _json_document({**patterns.heading(), **(more or {})}, "itemsets", records)


def _json_document(heading: Mapping[str, object], name: str, records: Iterator[bytes]) -> Iterator[bytes]:
    yield f'{json.dumps(heading)[:-1]}, "{name}": ['.encode()
    waiting = b""
    for block in records:
        yield waiting
        waiting = block
    yield waiting.removesuffix(b", ") + b"]}"


def csv_blocks(patterns: PatternSet) -> Iterator[bytes]:
    """Return the CSV file in blocks of bytes."""
    cap = "" if patterns.max_length is None else f"# max_length: {patterns.max_length}\n"
    yield (
        f"# n: {patterns.n}\n# min_support: {patterns.min_support}\n# target: {patterns.target}\n{cap}items,support\n"
    ).encode()
    for rows, labels in pattern_texts(patterns, lambda label: in_cell(json_label(label)), ", "):
        yield bytes_of(strung('"[', labels, ']",', patterns.supports[rows], "\n"))


def write_parquet(patterns: PatternSet, path: Path) -> None:
    """Write a Parquet file."""
    itemsets = {"items": patterns.itemsets}
    write_columns(path, patterns.vocabulary, itemsets, {"support": patterns.supports}, _metadata(patterns))


def _metadata(found: PatternSet | RuleSet) -> dict[str, str]:
    return {key: str(value) for key, value in found.heading().items() if key != "count"}


def rules_json_blocks(rules: RuleSet) -> Iterator[bytes]:
    """Return the JSON document of rules in blocks of bytes; in a file, a newline follows."""
    records = (
        bytes_of(
            strung(
                *('{"antecedent": [', antecedents, '], "consequent": [', consequents),
                *('], "support": ', rules.supports[rows]),
                *(', "antecedent_support": ', rules.antecedent_supports[rows]),
                *(', "consequent_support": ', rules.consequent_supports[rows]),
                *(', "confidence": ', floats_as_text(rules.supports[rows] / rules.antecedent_supports[rows]), "}, "),
            )
        )
        for rows, antecedents, consequents in rule_texts(rules, json_label, ", ")
    )
    return _json_document(rules.heading(), "rules", records)


def rules_csv_blocks(rules: RuleSet) -> Iterator[bytes]:
    """Return the CSV file of rules in blocks of bytes."""
    yield (
        f"# n: {rules.n}\n# min_support: {rules.min_support}\n# min_confidence: {rules.min_confidence}\n"
        f"antecedent,consequent,{','.join(_RULE_COLUMNS)}\n"
    ).encode()
    for rows, antecedents, consequents in rule_texts(rules, lambda label: in_cell(json_label(label)), ", "):
        yield bytes_of(
            strung(
                *('"[', antecedents, ']","[', consequents, ']",', rules.supports[rows]),
                *(",", rules.antecedent_supports[rows], ",", rules.consequent_supports[rows]),
                *(",", floats_as_text(rules.supports[rows] / rules.antecedent_supports[rows]), "\n"),
            )
        )


def write_rules_parquet(rules: RuleSet, path: Path) -> None:
    """Write a Parquet file of rules."""
    sides = {"antecedent": rules.antecedents, "consequent": rules.consequents}
    figures = {
        "support": rules.supports,
        "antecedent_support": rules.antecedent_supports,
        "consequent_support": rules.consequent_supports,
        "confidence": rules.supports / rules.antecedent_supports,
    }
    write_columns(path, rules.vocabulary, sides, figures, _metadata(rules))
