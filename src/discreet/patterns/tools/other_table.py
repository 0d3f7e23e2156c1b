"""Tables of no known tool: itemsets in one column, their supports in another, found by their names or named.

Names are compared without regard to case. Labels stand in brackets of a known form, or between separators that the
caller names: `a b` could be one label or two, so nothing is guessed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.errors import DataError, ParameterError, param
from discreet.patterns.list_columns import read_columns
from discreet.patterns.printed_numbers import Printed, numbers

if TYPE_CHECKING:
    from discreet.patterns.file_hints import FileHints
    from discreet.patterns.imported_patterns import ImportedPatterns, ImportedRules, Origin
    from discreet.patterns.list_cells import Dialect
    from discreet.patterns.list_columns import Columns
    from discreet.tables.table import Table
    from discreet.thresholds import MinSupport

__all__ = ["has_itemsets", "read_patterns", "read_rules", "sides_of"]

_ITEMS = ("items", "itemset", "itemsets", "item set", "item sets", "item_set", "item_sets", "pattern", "patterns")
_COUNTS = ("count", "freq", "frequency", "support count", "support_count", "supportcount", "absolute support")
_SHARES = ("support", "supp", "relative support", "relative_support")
_CONFIDENCES = ("confidence", "conf")
_SIDES = (
    ("antecedent", "consequent"),
    ("antecedents", "consequents"),
    ("lhs", "rhs"),
    ("premise", "conclusion"),
    ("premises", "conclusion"),
    ("premises", "conclusions"),
)
_DIALECTS: tuple[Dialect, ...] = ("json", "python", "braces", "bare", "round")


def has_itemsets(table: Table) -> bool:
    """Return whether some columns' names speak of itemsets and of their supports."""
    return bool(_named(table, _ITEMS)) and bool(_named(table, _COUNTS) or _named(table, _SHARES))


def read_patterns(
    table: Table,
    options: FileHints,
    *,
    n: int | None,
    min_support: MinSupport | None,
    origin: Origin = "unnamed",
) -> ImportedPatterns:
    """Read itemsets with counts or shares, or both."""
    items = _one_of(table, options.items_column, _ITEMS, "items_column", "the itemsets")
    columns_of = _supports_of(table, options)
    columns = read_columns(
        table, (items,), tuple(columns_of.values()), dialects=_DIALECTS, separator=options.item_separator
    )
    _check_clear(table, columns, options)
    found = columns.supports(
        n, counts=columns_of.get("count", "-"), shares=columns_of.get("support", "-"), or_least_n=True
    )
    return columns.patterns(found, origin=origin, min_support=min_support)


def read_rules(table: Table, options: FileHints, *, n: int | None, origin: Origin = "unnamed") -> ImportedRules:
    """Read rules with the two sides in columns of their own."""
    if options.items_column is not None:
        raise ParameterError(
            f"{param('items_column')} is for itemsets; a rule has two sides: call the columns antecedent and "
            "consequent",
            parameter="items_column",
        )
    sides = sides_of(table)
    if sides is None:
        raise DataError(f"{table.name}: expected the columns antecedent and consequent (or lhs and rhs); rename them")
    columns_of = _supports_of(table, options)
    confidence = _one_of(table, None, _CONFIDENCES, "confidence", "the confidence")
    columns = read_columns(
        table,
        sides,
        (*columns_of.values(), confidence),
        dialects=_DIALECTS,
        separator=options.item_separator,
    )
    _check_clear(table, columns, options)
    counts, n, factor, _ = columns.supports(
        n, counts=columns_of.get("count", "-"), shares=columns_of.get("support", "-")
    )
    return columns.rules(counts, origin=origin, n=n, confidence=confidence, factor=factor)


def _check_clear(table: Table, columns: Columns, options: FileHints) -> None:
    """Refuse whole numbers of at most 1 in a column that may hold counts or shares."""
    if options.support_column is None:
        return
    supports = numbers(columns.numbers[options.support_column.strip()], "support", columns.place)
    if not isinstance(supports, Printed) and len(supports) and int(supports.max()) <= 1:
        raise DataError(
            f"{table.name}: the supports are all 0 or 1, which can be counts or shares; call the column count and "
            f"leave {param('support_column')} out, or write shares as 1.0"
        )


def sides_of(table: Table) -> tuple[str, str] | None:
    """Return the columns of the two sides of rules."""
    named = {column.lower(): column for column in table.columns}
    for left, right in _SIDES:
        if left in named and right in named:
            return named[left], named[right]
    return None


def _named(table: Table, names: tuple[str, ...]) -> list[str]:
    return [column for column in table.columns if column.lower() in names]


def _supports_of(table: Table, options: FileHints) -> dict[str, str]:
    """Return the column of counts, that of shares, or both; a column that the caller names may be either."""
    if options.support_column is not None:
        table.index_of(options.support_column, "support_column")
        return {"support": options.support_column.strip()}
    found = {}
    for kind, names in (("count", _COUNTS), ("support", _SHARES)):
        if _named(table, names):
            found[kind] = _one_of(table, None, names, "support_column", "the supports")
    if not found:
        raise _missing(table, "the supports", "support_column")
    return found


def _one_of(table: Table, given: str | None, names: tuple[str, ...], parameter: str, what: str) -> str:
    if given is not None:
        table.index_of(given, parameter)
        return given.strip()
    found = _named(table, names)
    if not found:
        raise _missing(table, what, parameter)
    if len(found) > 1:
        raise ParameterError(
            f"{table.name} has {len(found)} columns that could hold {what}; say which with {param(parameter)}",
            parameter=parameter,
        )
    return found[0]


def _missing(table: Table, what: str, parameter: str) -> DataError:
    # Without the names found: if someone passed rows by mistake, the first line may be a person's.
    way_on = "rename it" if parameter == "confidence" else f"name it with {param(parameter)}"
    return DataError(f"{table.name}: no column of {what} is found among its {len(table.columns):,}; {way_on}")
