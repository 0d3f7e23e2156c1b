"""Results of R's arules: `write(rules, sep = ",")`, `write.csv` of a data frame, and what `inspect` prints.

An itemset is {a,b} and a rule {a,b} => {c}, without quotes around the labels. So a label with a comma, a brace or a
blank at an end is ambiguous, and is refused if that is detected (the comma of an interval, age=[20,40), is recognised).
Supports are shares; the column `count`, if present, gives the counts and with them n.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, OutputError
from discreet.patterns.encoding import bytes_of, floats_as_text, in_cell, pattern_texts, rule_texts, strung
from discreet.patterns.list_cells import split_braces
from discreet.patterns.list_columns import read_columns
from discreet.patterns.tools.printouts import printed_lines, table_of_lists
from discreet.tables.table import ArrowBatch, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from discreet.patterns.encoding import Piece
    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules
    from discreet.patterns.list_columns import Columns
    from discreet.patterns.patternset import PatternSet
    from discreet.patterns.ruleset import RuleSet
    from discreet.tables.table import Batch
    from discreet.thresholds import MinSupport

__all__ = ["csv_blocks", "inspected_table", "is_inspected", "patterns_from", "read_rules", "rules_csv_blocks"]

_OPEN_INTERVAL = re.compile(r"[\[(]\s*-?(?:[0-9.]+(?:e[+-]?[0-9]+)?|Inf)\s*$", re.IGNORECASE)
_INSPECTED = re.compile(r"^(?:## ?)?\[1\] +\{", re.MULTILINE)
_ROW = re.compile(r"\[([0-9]+)\]")
_INTERVAL = re.compile(r"[\[(][^\[\](){}]*,[^\[\](){}]*[\])]")
_UNCLEAR = re.compile(r"[{}\r\n\0]")


def patterns_from(columns: Columns, *, n: int | None, min_support: MinSupport | None) -> ImportedPatterns:
    """Turn the columns `items`, `support` (a share) and `count` into patterns."""
    found = columns.supports(n, always_shares=True, or_least_n=True)
    return columns.patterns(found, origin="arules", min_support=min_support)


def read_rules(table: Table, *, n: int | None) -> ImportedRules:
    """Read rules from one column `rules`, or from `lhs` and `rhs` (any case), with support, confidence and count."""
    named = {column.lower(): column for column in table.columns}
    if "rules" in named:
        table, sides = _two_sides(table, named["rules"]), ("lhs", "rhs")
    else:
        sides = (named["lhs"], named["rhs"])
    columns = read_columns(table, sides, ("support", "confidence", "count", "coverage"), dialects=("braces",))
    counts, n, factor, _ = columns.supports(n, always_shares=True)
    coverage = None
    if n is not None and "coverage" in columns.numbers:
        coverage = columns.supports(n, counts="-", shares="coverage", always_shares=True).counts
    return columns.rules(counts, origin="arules", n=n, antecedent_supports=coverage, factor=factor)


def _two_sides(table: Table, rules: str) -> Table:
    """Return the table with `{a} => {b}` split into its two sides."""
    at = table.columns.index(rules)

    def batches() -> Iterator[Batch]:
        before = 0
        for batch in table.batches:
            cells = batch.values(at)
            left, right = [], []
            for row, cell in enumerate(cells if isinstance(cells, list) else cells.to_pylist(), before):
                parts = str(cell).split("} => {")
                if len(parts) != 2:  # noqa: PLR2004 - two sides
                    raise DataError(f"{table.place(row)}: expected a rule such as {{a,b}} => {{c}}")
                left.append(parts[0] + "}")
                right.append("{" + parts[1])
            columns = [*map(batch.values, range(len(table.columns))), left, right]
            yield ArrowBatch(columns=columns, rows=batch.rows, before=before, name=table.name)
            before += batch.rows

    return replace(table, columns=(*table.columns, "lhs", "rhs"), batches=batches())


def is_inspected(text: str) -> bool:
    """Return whether a text is what `inspect` prints of itemsets or rules."""
    return _INSPECTED.search(text) is not None


def _new_headings(line: str, columns: dict[str, list[str]], where: str, number: int) -> list[re.Match[str]]:
    """Return the headings in a line, and begin their columns."""
    headings = list(re.finditer(r"\S+", line))
    if not columns and headings[0][0] not in ("items", "lhs"):
        raise DataError(f"{where}: expected the headings items or lhs first; remove what stands before", line=number)
    if any(heading[0] in columns for heading in headings):
        raise DataError(f"{where}: a heading occurs twice; remove the second table", line=number)
    columns |= {heading[0]: [] for heading in headings}
    return headings


def _check_tabs(text: str, name: str) -> None:
    if re.search(r"\{[^}\n]*\t", text):
        raise DataError(
            f"{name}: a label has a tab, which cannot be distinguished from blanks here; use write() instead"
        )


def inspected_table(text: str, name: str) -> Table:
    """Return what `inspect` prints as a table.

    Cells stand below their headings. Long itemsets go on in the next line, and where the console is narrow, further
    columns follow below all rows.
    """
    _check_tabs(text, name)
    columns: dict[str, list[str]] = {}
    headings: list[re.Match[str]] = []
    for number, line in enumerate(printed_lines(text), start=1):
        row = _ROW.match(line)
        if row is None and line and not re.search(r"[{},]", line):
            headings = _new_headings(line, columns, f"{name}, line {number}", number)
            continue
        if not line:
            continue
        if not _add_cells(line, headings, columns, None if row is None else int(row[1])):
            raise DataError(
                f"{name}, line {number}: the cells do not stand below their headings; use write() instead", line=number
            )
    sides: list[str] = [column for column in ("items", "lhs", "rhs") if column in columns]
    for side in sides:
        columns[side] = [cell.removesuffix("=>").strip() for cell in columns[side]]
    _close_up(columns, sides, name)
    if len({len(cells) for cells in columns.values()}) != 1:
        raise DataError(f"{name}: some columns have fewer rows than others; is it complete?")
    return table_of_lists(name, columns)


def _add_cells(line: str, headings: list[re.Match[str]], columns: dict[str, list[str]], number: int | None) -> bool:
    """Add the cells of a row, or of a line that goes on with the last one; return whether they stand as they should."""
    starts = [heading.start() for heading in headings]
    if not starts or any(line[start - 1 : start].strip() for start in starts):
        return False
    for heading, start, end in zip(headings, starts, [*starts[1:], None], strict=True):
        cells = columns[heading[0]]
        cell = line[start:end].strip()
        if number is not None and len(cells) == number - 1:
            cells.append(cell)
        elif number is None and cells:
            cells[-1] += cell
        else:
            return False
    return True


def _close_up(columns: dict[str, list[str]], sides: list[str], name: str) -> None:
    """Write {a, b}, as newer versions print it, as {a,b}; a mixture is refused."""
    commas = {
        comma for side in sides for cell in columns[side] for comma in re.findall(r", |,", _INTERVAL.sub("", cell))
    }
    if len(commas) > 1:
        raise DataError(
            f"{name}: a label that contains a comma cannot be distinguished from two labels in this form; use "
            "write() after renaming it"
        )
    if commas == {", "}:
        for side in sides:
            columns[side] = [cell.replace(", ", ",") for cell in columns[side]]


def _check_labels(labels: Iterable[str]) -> None:
    for number, label in enumerate(labels, start=1):
        if _UNCLEAR.search(label) or _OPEN_INTERVAL.search(label) or split_braces(f"{{{label}}}") != [label]:
            raise OutputError(
                f"label {number} of the vocabulary has a comma, a brace or a blank where arules' form cannot carry it; "
                "write .csv, .json or .parquet of ours, or rename it"
            )


def csv_blocks(patterns: PatternSet) -> Iterator[bytes]:
    """Return arules' CSV of itemsets, in blocks of bytes; labels it cannot represent are refused."""
    _check_labels(patterns.vocabulary[item] for item in np.unique(patterns.items).tolist())
    return _csv_blocks(patterns)


def _csv_blocks(patterns: PatternSet) -> Iterator[bytes]:
    yield b'"items","support","count"\n'
    for rows, labels in pattern_texts(patterns, in_cell, ","):
        shares = floats_as_text(patterns.supports[rows] / patterns.n)
        yield bytes_of(strung('"{', labels, '}",', shares, ",", patterns.supports[rows], "\n"))


def rules_csv_blocks(rules: RuleSet) -> Iterator[bytes]:
    """Return arules' CSV of rules, in blocks of bytes; labels it cannot represent are refused."""
    used = np.union1d(rules.antecedents.items, rules.consequents.items)
    _check_labels(rules.vocabulary[item] for item in used.tolist())
    return _rules_csv_blocks(rules)


def _rules_csv_blocks(rules: RuleSet) -> Iterator[bytes]:
    measures = rules.measures()
    yield b'"rules","support","confidence","coverage","lift","count"\n'
    for rows, antecedents, consequents in rule_texts(rules, in_cell, ","):
        pieces: list[Piece] = ['"{', antecedents, "} => {", consequents, '}"']
        for name in ("support", "confidence", "antecedent support", "lift"):
            pieces += [",", floats_as_text(measures[name][rows])]
        yield bytes_of(strung(*pieces, ",", rules.supports[rows], "\n"))
