"""Items that exclude each other: what readers of a publication know before they read it.

Nobody is in two age groups. Readers know this, so an itemset with two values of one column has support 0 even if no
list says so, and more supports can be subtracted than the lists alone allow. An audit that ignored this would call
unsafe publications safe.

Problem      find the sets of items of which a row contains at most one.
Method       the values of a table's column are such a set; the owner names others with `exclusive`.
Promises     no row, and no listed itemset, contains two items of a set: a column that violates this is not used, and a
             named set that violates it is refused. No set contains another.
Cost         one pass over the rows for all columns, one more for every layer of named sets that overlap.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.channels.exclusive_names import (
    attribute_of,
    labels_under,
    named_sets,
    parse_exclusive,
    reads_as,
)
from discreet.command_words import one_word
from discreet.errors import ParameterError, param
from discreet.itemsets import Itemsets
from discreet.patterns.counted_patterns import CountedPatterns
from discreet.patterns.patternset import PatternSet
from discreet.thresholds import MinSupport, Support

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.channels.exclusive_names import Named, NamedSet
    from discreet.channels.row_source import RowSource
    from discreet.transactions.layout import Layout
    from discreet.transactions.transactions import Transactions
    from discreet.transactions.vocabulary import Vocabulary

__all__ = [
    "Exclusive",
    "ExclusiveHint",
    "column_of",
    "exclusive_in_patterns",
    "exclusive_in_rows",
    "exclusive_of_source",
    "first_meetings",
    "looks_exclusive",
]

_BLOCK = 1 << 22
"""Items per batch."""


@dataclass(frozen=True, slots=True)
class Exclusive:
    """Sets of items of which a row holds at most one.

    `sets` are all of them, as sorted labels, each of at least two, and none within another. `columns` are the table
    columns whose values form some of the sets, including columns with a single known value. `named` are the sets
    that the owner named and that are not columns. The sets passed in need not be sorted or distinct.

    >>> Exclusive(sets=(("b", "a"), ("a", "b", "c"), ("d",))).sets
    (('a', 'b', 'c'),)
    """

    sets: tuple[tuple[str, ...], ...] = ()
    columns: tuple[str, ...] = ()
    named: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        """Sort the sets, and drop those within others."""
        columns = dict.fromkeys(self.columns)
        sets = _largest([*self.sets, *self.named])
        own = {labels for labels in _largest(self.named) if not _one_column(labels, columns)}
        for name, value in (
            ("sets", sets),
            ("columns", tuple(columns)),
            ("named", tuple(each for each in sets if each in own)),
        ):
            object.__setattr__(self, name, value)

    def __bool__(self) -> bool:
        """Return whether there is any set."""
        return bool(self.sets)

    def within(self, labels: Iterable[str]) -> Exclusive:
        """Return what remains if only these labels are known, as in a publication."""
        kept = frozenset(labels)
        columns = frozenset(self.columns)
        seen = {column_of(label, columns) for label in kept} if columns else frozenset()
        return Exclusive(
            sets=tuple(tuple(kept.intersection(each)) for each in self.sets),
            columns=tuple(column for column in self.columns if column in seen),
            named=tuple(tuple(kept.intersection(each)) for each in self.named),
        )

    def itemsets(self, vocabulary: Vocabulary) -> Itemsets:
        """Return the sets as items of a vocabulary, in the order of `within(vocabulary).sets`.

        Labels that are not in the vocabulary are left out, and so are sets with fewer than two labels left.
        """
        position = vocabulary.positions
        known = _largest([label for label in each if label in position] for each in self.sets)
        return Itemsets.of(sorted(position[label] for label in each) for each in known)


class ExclusiveHint(NamedTuple):
    """Items that look exclusive; pass `name` as `exclusive` to declare that they are."""

    name: str
    labels: tuple[str, ...]


def exclusive_in_rows(
    rows: Transactions, named: Named | None = None, *, layout: Layout | None = None, ignore_unknown: bool = False
) -> Exclusive:
    """Return the sets of items of which each row contains at most one: the columns of a table, and those in `named`.

    `layout` replaces a layout that the rows no longer carry. A column is left out if some row has two of its values.
    With `ignore_unknown`, names that match fewer than two items are skipped.

    >>> from discreet import Transactions
    >>> rows = Transactions.from_rows([["age 60-69", "tea"], ["age 70-79"], ["age 70-79", "tea"]])
    >>> exclusive_in_rows(rows, "age").sets
    (('age 60-69', 'age 70-79'),)
    """
    layout = layout or rows.layout
    labels = rows.vocabulary.labels
    names = [] if layout is None or layout.shape != "table" else [c for c in layout.columns if c != layout.id_column]
    values = _values(labels, names)
    meetings = first_meetings(rows, list(values.values()))
    alone = {column: each for (column, each), row in zip(values.items(), meetings, strict=True) if row is None}

    wanted = named_sets(parse_exclusive(named), labels, ignore_unknown=ignore_unknown)
    for each, row in zip(wanted, first_meetings(rows, [each.labels for each in wanted]), strict=True):
        if row is not None:
            raise ParameterError(
                f"{'row' if rows.weights is None else 'distinct row'} {row + 1:,} holds two of the items named in "
                f"{param('exclusive')} ({each.shown()}); name only items of which each row has at most one, or "
                "correct the row",
                parameter="exclusive",
            )
    return _exclusive(alone, wanted)


def exclusive_in_patterns(
    patterns: PatternSet, named: Named | None = None, *, columns: Iterable[str] = (), ignore_unknown: bool = False
) -> Exclusive:
    """Return the same for itemsets without their rows; `columns` are those that a certificate names.

    A set is refused if the itemsets contradict it: if one of them contains two of its items, or if the items' supports
    add up to more than n.

    >>> patterns = PatternSet.from_itemsets([(["sex=f"], 3), (["sex=m"], 4), (["tea"], 5)], n=7, min_support=3)
    >>> exclusive_in_patterns(patterns, columns=["sex"])
    Exclusive(sets=(('sex=f', 'sex=m'),), columns=('sex',), named=())
    """
    labels = patterns.vocabulary.labels
    values = _values(labels, sorted(columns))
    wanted = named_sets(parse_exclusive(named), labels, ignore_unknown=ignore_unknown)
    wrong = [
        *((f"values of column {column!r}", "leave the column out") for column in values),
        *(
            (f"of the items named in {param('exclusive')} ({each.shown()})", "name only items that no row has both of")
            for each in wanted
        ),
    ]
    sets = [*values.values(), *(each.labels for each in wanted)]
    supports, position = _item_supports(patterns), patterns.vocabulary.positions
    for (what, advice), each, found in zip(wrong, sets, first_meetings(patterns, sets), strict=True):
        if found is not None:
            raise ParameterError(
                f"itemset {found + 1:,}, by length and then by label, holds two {what}; {advice}", parameter="exclusive"
            )
        if int(supports[[position[label] for label in each]].sum()) > patterns.n:
            raise ParameterError(
                f"some row must hold two {what}, for their supports add up to more than the {patterns.n:,} rows; "
                f"{advice}",
                parameter="exclusive",
            )
    return _exclusive(values, wanted)


def exclusive_of_source(source: RowSource, closed: PatternSet, named: Named | Exclusive | None = None) -> Exclusive:
    """Return which published items of the rows exclude each other."""
    listed = closed.maximal if isinstance(closed, CountedPatterns) else closed.itemsets
    published = [closed.vocabulary[item] for item in listed.used(len(closed.vocabulary)).tolist()]
    found = named if isinstance(named, Exclusive) else source.exclusive(named)
    return found.within(published)


def looks_exclusive(
    source: Transactions | PatternSet, min_support: MinSupport | None = None, known: Exclusive | None = None
) -> tuple[ExclusiveHint, ...]:
    """Return frequent items that look exclusive but are not declared so.

    Their labels differ only in what follows `=` or `:`, or in a number at the end (`age 60-69`, `age 70-79`), and no
    two of them are in one row, or in one listed itemset. Patterns with single items only are no evidence: the result is
    empty.

    >>> from discreet import Transactions
    >>> rows = Transactions.from_rows([["age 60-69", "tea"], ["age 70-79"], ["age 70-79", "tea"]])
    >>> looks_exclusive(rows, 1)
    (ExclusiveHint(name='age', labels=('age 60-69', 'age 70-79')),)
    """
    if isinstance(source, PatternSet):
        if not (source.itemsets.lengths > 1).any():
            return ()
        supports = _item_supports(source)
        least = source.min_support if min_support is None else Support.parse(min_support).of(source.n)
    else:
        supports = source.item_supports()
        least = Support.parse(1 if min_support is None else min_support).of(source.n)
    labels = source.vocabulary.labels
    stems: dict[str, list[str]] = defaultdict(list)
    for item in np.flatnonzero(supports >= max(least, 1)).tolist():
        if stem := attribute_of(labels[item]):
            stems[stem].append(labels[item])
    told = [frozenset(each) for each in known.sets] if known is not None else []
    groups = {
        stem: tuple(sorted(each))
        for stem, each in sorted(stems.items())
        if len(each) > 1 and not any(one.issuperset(each) for one in told)
    }
    meetings = first_meetings(source, list(groups.values()))
    apart = [group for group, row in zip(groups.items(), meetings, strict=True) if row is None]
    return _looks(source, apart)


def _looks(source: Transactions | PatternSet, apart: list[tuple[str, tuple[str, ...]]]) -> tuple[ExclusiveHint, ...]:
    """Name each group by its common prefix if that matches no other item, otherwise by listing its items."""
    ordered = sorted(source.vocabulary.labels)
    wide = [() if stem in source.vocabulary else labels_under(stem, ordered) for stem, _ in apart]
    meetings = first_meetings(source, wide)
    found = []
    for (stem, group), named, row in zip(apart, wide, meetings, strict=True):
        short = row is None and set(named).issuperset(group)
        words = (stem,) if short else group
        text = one_word(words)
        if reads_as(text, words):
            found.append(ExclusiveHint(text, group))
    return tuple(found)


def _exclusive(values: Mapping[str, Sequence[str]], wanted: Sequence[NamedSet]) -> Exclusive:
    return Exclusive(
        sets=tuple(tuple(each) for each in values.values()),
        columns=tuple(values),
        named=tuple(each.labels for each in wanted),
    )


def _values(labels: Iterable[str], columns: Collection[str]) -> dict[str, list[str]]:
    """Return the labels of each column that has any, in the order of the columns."""
    values: dict[str, list[str]] = {column: [] for column in columns}
    for label in labels if values else ():
        column = column_of(label, values)
        if column is not None:
            values[column].append(label)
    return {column: each for column, each in values.items() if each}


def column_of(label: str, columns: Collection[str]) -> str | None:
    """Return the column of a label `column=value`; the longest match if both contain `=`."""
    place = label.rfind("=")
    while place >= 0:
        if label[:place] in columns:
            return label[:place]
        place = label.rfind("=", 0, place)
    return None


def _one_column(labels: Iterable[str], columns: Collection[str]) -> bool:
    found = {column_of(label, columns) for label in labels}
    return len(found) == 1 and None not in found


def _largest(sets: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Return the sets of at least two labels that no other contains, in order."""
    kept: dict[str, list[frozenset[str]]] = defaultdict(list)
    found = []
    for each in sorted({frozenset(each) for each in sets}, key=len, reverse=True):
        if len(each) > 1 and not any(each <= one for one in kept.get(min(each), ())):
            found.append(tuple(sorted(each)))
            for label in each:
                kept[label].append(each)
    return tuple(sorted(found))


def _item_supports(patterns: PatternSet) -> NDArray[np.int64]:
    """Return each item's greatest possible support: that of the item or its closure, if listed."""
    supports = np.zeros(len(patterns.vocabulary), np.int64)
    np.maximum.at(supports, patterns.items, np.repeat(patterns.supports, patterns.itemsets.lengths))
    return supports


def first_meetings(source: Transactions | PatternSet, sets: Sequence[Sequence[str]]) -> list[int | None]:
    """Return for each set of labels the first row, or the first itemset, that contains two of them."""
    position = source.vocabulary.positions
    found: list[int | None] = [None] * len(sets)
    waiting = [number for number, each in enumerate(sets) if len(each) > 1]
    while waiting:
        group = np.full(len(source.vocabulary), -1, np.int64)
        layer: list[int] = []
        later: list[int] = []
        for number in waiting:
            items = [position[label] for label in sets[number]]
            if (group[items] < 0).all():
                group[items] = len(layer)
                layer.append(number)
            else:
                later.append(number)
        for number, row in zip(layer, _first_doubles(source, group, len(layer)), strict=True):
            found[number] = None if row < 0 else row
        waiting = later
    return found


def _first_doubles(source: Transactions | PatternSet, group: NDArray[np.int64], groups: int) -> list[int]:
    """Return for each group of items the first row that contains two of them, or -1; `group` is overwritten."""
    offsets, items = source.offsets, source.items
    first = np.full(groups, -1, np.int64)
    start, rows = 0, len(offsets) - 1
    while start < rows and (first < 0).any():
        stop = max(start + 1, int(np.searchsorted(offsets, offsets[start] + _BLOCK, side="right")) - 1)
        held = group[items[offsets[start] : offsets[stop]]]
        row = np.repeat(np.arange(start, stop, dtype=np.int64), np.diff(offsets[start : stop + 1]))
        cells = np.sort(row[held >= 0] * groups + held[held >= 0])
        twice = cells[1:][cells[1:] == cells[:-1]]
        met, at = np.unique(twice % groups, return_index=True)
        first[met] = twice[at] // groups
        group[np.isin(group, met)] = -1
        start = stop
    return [int(row) for row in first]
