"""Make restrictive patterns unminable from rows in Spark.

Problem      as for `discreet.hiding`: which items to remove from which rows.
Method       oliveira2002 only needs to know which restrictive items a row contains, and whether it contains any other.
             This is the row's kind. Rows with a restrictive pattern, or a bounded rule's antecedent, are counted by
             kind, and the kinds are collected. The local engine chooses the victims among as many rows as there are of
             each kind. The rows are then changed in place, each by its kind. `rowwise` and `best` also need the
             frequent items of these rows, so that a kind is nearly a row, and the frequent itemsets, mined by Spark.
Promises     the same counts as the local engine, and the same rows if rows have an order: that of the file, or that of
             Spark's data frame. The patterns are counted again in the changed rows; if there are more than allowed,
             nothing is returned.
Cost         a pass to count, a pass to change and write, and a pass to prove. On this machine: a few bytes for every
             row with a restrictive pattern; with a disclosure threshold above 0, or rules, also its position; for
             `rowwise` and `best` its frequent items, of which there may be `MOST_ITEMS` in all.
Departures   if some rows of a kind may keep a pattern, runs of rows that lose the same items are represented by the
             position of their last row.
Names        T[rp] -> rows of the kinds that contain the pattern;  ψ -> disclosure.
Reference    oliveira2002
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, get_args

import numpy as np

from discreet.errors import EngineError, ParameterError, param
from discreet.hiding.hide import hide_in_memory
from discreet.hiding.inverted_file import InvertedFile
from discreet.hiding.restrictions import Restriction, RuleBound, expand_columns, read_restrictions
from discreet.hiding.rule_bounds import rule_counts
from discreet.hiding.sanitizing import PaperMethod
from discreet.hiding.sensitive_rows import find_sensitive_rows
from discreet.hiding.side_effects import MOST_LISTED, measure_between
from discreet.itemsets import Itemsets
from discreet.spark.grouping import constant, numbered
from discreet.spark.shapes import ITEMS, POSITION
from discreet.thresholds import MinSupport, Support
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

    from discreet.hiding.hide import Hidden, HidingMethod
    from discreet.hiding.request import Below
    from discreet.hiding.restrictions import Restrictions, Separator
    from discreet.hiding.side_effects import SideEffects
    from discreet.spark.frequent import SparkFrequent
    from discreet.spark.rows import SparkRows

    Entries = Sequence[Restriction | RuleBound]

__all__ = ["MOST_ITEMS", "hide_in_spark", "prove_written"]

_OTHERS = "\0"
"""Stands for all items of a row that no pattern names; no label contains this character."""

_LAST = 2**63 - 1

MOST_ITEMS = 50_000_000
"""The most items of sensitive rows that are collected for methods that look at each row: about half a gigabyte."""


def hide_in_spark(
    rows: SparkRows,
    *,
    restrict: Restrictions,
    method: HidingMethod,
    disclosure: Fraction,
    min_support: MinSupport | None,
    protect: Restrictions | None,
    ignore_unknown: bool,
    below: Below | None,
) -> Hidden:
    """Return the rows without what must not be minable from them: see `discreet.hide`."""
    separator: Separator = "blanks" if rows.source.shape in ("fimi", "spmf") else "commas"
    entries = read_restrictions(restrict, separator=separator)
    spared = None if protect is None else read_restrictions(protect, separator=separator, parameter="protect")
    sigma = None if min_support is None else Support.parse(min_support).of(rows.n)
    labels = rows.labels_named(sorted({label for entry in (*entries, *(spared or ())) for label in entry.labels}))
    known = {*rows.source.columns, *rows.source.labels}
    entries = expand_columns(entries, labels, known=known, ignore_unknown=ignore_unknown)
    if spared is not None:
        spared = expand_columns(spared, labels, known=known, parameter="protect", ignore_unknown=ignore_unknown)
    by_cost = sigma is not None and method in ("rowwise", "best")
    before = rows.frequent(sigma) if sigma is not None and by_cost else None
    named = _Named.of(rows, entries, spared or (), before)
    if before is not None:
        before = before.with_items(named.vocabulary, named.supports)
        named.refuse_too_many(method)
        if method == "best":
            before.mine(target="all", max_patterns=MOST_LISTED)  # more cannot be counted here for each method
    kinds = named.kinds(in_order=by_cost or below is not None or _order_matters(entries, disclosure))
    done = hide_in_memory(
        kinds.rows,
        restrict=entries,
        protect=spared,
        method=method,
        psi=disclosure,
        ignore_unknown=True,
        supports=named.supports,
        below=below,
        min_support=None if before is None else sigma,
        before=before,
    )
    changed = rows.changed(replace(rows.source, frame=named.changed(kinds, done)), named.vocabulary)
    _prove(replace(named, rows=changed), done)
    return replace(
        done,
        rows=changed,
        n=rows.n,
        dissimilarity=Fraction(done.removed_items, rows.item_count or 1),
        side_effects=None if sigma is None else _side_effects(rows, changed, entries, sigma),
    )


def _order_matters(entries: Entries, psi: Fraction) -> bool:
    """Return whether some rows may keep what others of the same kind lose."""
    return any(
        not isinstance(entry, Restriction) or 0 < (psi if entry.disclosure is None else entry.disclosure) < 1
        for entry in entries
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Kinds:
    """Rows that contain something restrictive, by kind: `kind_of` and `places` are each row's kind and position."""

    rows: Transactions
    kind_of: NDArray[np.int64]
    places: NDArray[np.int64] | None
    codes: pa.Array


@dataclass(frozen=True, eq=False)
class _Named:
    """The items that patterns name, and others that matter, by number; the last number stands for all others."""

    rows: SparkRows
    entries: Entries
    vocabulary: Vocabulary
    supports: NDArray[np.int64]

    @classmethod
    def of(cls, rows: SparkRows, entries: Entries, spared: Entries, frequent: SparkFrequent | None = None) -> _Named:
        """Return the items that are named, and the frequent ones if they matter."""
        labels = set[str]()
        for entry in (*entries, *spared):
            labels |= _labels(entry)
        supports = rows.supports_of(sorted(labels))
        if frequent is not None:
            supports |= zip(frequent.vocabulary, frequent.item_supports.tolist(), strict=True)
        vocabulary = Vocabulary.from_canonical((*rows.ordered(supports), _OTHERS))
        return cls(rows, entries, vocabulary, np.array([supports.get(label, 0) for label in vocabulary], np.int64))

    def _coded(self, frame: DataFrame) -> DataFrame:
        """Add `codes`: the named items of each row, and the number for all others if it has any."""
        from pyspark.sql import functions as sql

        named = self.vocabulary.labels[:-1]
        frame = numbered(frame, named)
        others = sql.size(sql.array_distinct(ITEMS)) > sql.size("codes")
        return frame.withColumn(
            "codes", sql.when(others, sql.array_append("codes", sql.lit(len(named)))).otherwise(sql.col("codes"))
        )

    def _sought(self) -> list[list[int]]:
        """Return what makes a row sensitive: the patterns and rule antecedents whose labels all occur in the data."""
        place = self.vocabulary.positions
        sides = [entry.items if isinstance(entry, Restriction) else entry.antecedent for entry in self.entries]
        return [sorted(place[label] for label in side) for side in sides if side <= place.keys()]

    def _holds_any(self) -> Column:
        """Return the condition that a row contains any of these; each is tested only if the row has its rarest item."""
        from pyspark.sql import functions as sql

        sought = self._sought()
        by_item: list[list[int]] = [[] for _ in self.vocabulary]
        for number, itemset in enumerate(sought):
            by_item[min(itemset, key=lambda item: int(self.supports[item]))].append(number)
        candidates = sql.flatten(sql.transform("codes", lambda item: constant(by_item)[item]))
        return sql.exists(candidates, lambda number: sql.size(sql.array_except(constant(sought)[number], "codes")) == 0)

    def refuse_too_many(self, method: HidingMethod) -> None:
        """Refuse to collect sensitive rows that hold more items than fit."""
        from pyspark.sql import functions as sql

        held = self._coded(self.rows.frame).where(self._holds_any()).agg(sql.sum(sql.size("codes"))).collect()[0][0]
        if (held or 0) > MOST_ITEMS:
            raise ParameterError(
                f"{param('method', value=method)} looks at the rows with a restrictive pattern one by one; they hold "
                f"{held:,} items, and {MOST_ITEMS:,} are the most that are taken out of Spark; raise "
                f"{param('min_support')}, or name one of {', '.join(get_args(PaperMethod))}",
                parameter="method",
            )

    def kinds(self, *, in_order: bool) -> _Kinds:
        """Count the sensitive rows by kind; with `in_order`, include the position of each."""
        from pyspark.sql import functions as sql

        counts = [sql.count(sql.lit(1)).alias("weight")]
        if in_order:
            counts.append(sql.collect_list(POSITION).alias("places"))
        frame = self._coded(self.rows.placed if in_order else self.rows.frame).where(self._holds_any())
        table = frame.groupBy("codes").agg(*counts).toArrow()
        codes = table.column("codes").combine_chunks()
        kind_of = np.repeat(np.arange(len(table)), table.column("weight").to_numpy())
        places = None
        if in_order:
            places = table.column("places").combine_chunks().flatten().to_numpy()
            order = np.argsort(places)
            kind_of, places = kind_of[order], places[order]
        rows = codes.take(_arrow(kind_of))
        return _Kinds(
            Transactions(Itemsets.from_arrow(rows), self.vocabulary),
            kind_of,
            places,
            codes,
        )

    def changed(self, kinds: _Kinds, done: Hidden) -> DataFrame:
        """Return the rows without what their kinds lose."""
        from pyspark.sql import functions as sql

        frame = self.rows.frame
        if not done.removed_items:
            return frame
        placed = self.rows.placed if kinds.places is not None else frame.withColumn(POSITION, sql.lit(0))
        losses = frame.sparkSession.createDataFrame(_losses(kinds, done, self.vocabulary))
        lost = sql.element_at(sql.filter("runs", lambda run: run["last"] >= sql.col(POSITION)), 1)["lost"]
        return (
            self._coded(placed)
            .join(sql.broadcast(losses), "codes", "left")
            .withColumn(
                ITEMS, sql.when(sql.col("runs").isNull(), sql.col(ITEMS)).otherwise(sql.array_except(ITEMS, lost))
            )
            .select(*frame.columns)
        )


def _labels(entry: Restriction | RuleBound) -> frozenset[str]:
    return entry.items if isinstance(entry, Restriction) else entry.antecedent | entry.consequent


def _arrow(numbers: NDArray[np.int64]) -> pa.Array:
    import pyarrow as pa

    return pa.array(numbers)


def _losses(kinds: _Kinds, done: Hidden, vocabulary: Vocabulary) -> pa.Table:
    """Return, for each kind that loses something, what runs of its rows lose, each with its last row's position."""
    import pyarrow as pa

    lost_by = Itemsets.from_lengths(np.bincount(done.removed_from, minlength=len(kinds.rows)), done.removed)
    outcome = _numbered_outcomes(lost_by)
    order = np.argsort(kinds.kind_of, kind="stable")
    kind, what = kinds.kind_of[order], outcome[order]
    ends = np.append((kind[1:] != kind[:-1]) | (what[1:] != what[:-1]), [True]) if len(order) else np.zeros(0, bool)
    last_of_kind = np.append(kind[1:] != kind[:-1], [True]) if len(order) else np.zeros(0, bool)
    runs = []
    for at in np.flatnonzero(ends).tolist():
        row = int(order[at])
        lost = [vocabulary[item] for item in lost_by[row].tolist()]
        last = _LAST if kinds.places is None or last_of_kind[at] else int(kinds.places[row])
        runs.append((int(kind[at]), {"last": last, "lost": lost}))
    per_kind: dict[int, list[dict[str, object]]] = {}
    for number, run in runs:
        per_kind.setdefault(number, []).append(run)
    run_type = pa.list_(pa.struct([("last", pa.int64()), ("lost", pa.list_(pa.string()))]))
    return pa.table(
        {
            "codes": kinds.codes.take(_arrow(np.array(list(per_kind), np.int64))),
            "runs": pa.array(list(per_kind.values()), run_type),
        }
    )


def _numbered_outcomes(lost_by: Itemsets) -> NDArray[np.int64]:
    """Assign the same number to rows that lose the same items."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = pa.array(lost_by.items).cast(pa.string())
    lists = pa.ListArray.from_arrays(pa.array(lost_by.offsets, pa.int32()), texts)
    numbers: NDArray[np.int64] = pc.binary_join(lists, ",").dictionary_encode().indices.to_numpy().astype(np.int64)
    return numbers


def prove_written(done: Hidden, written: SparkRows) -> None:
    """Count every pattern and rule in the rows as they were written: Spark may have read its source once more."""
    entries = [Restriction(pattern.items) for pattern in done.restrictive]
    bounds = [RuleBound(rule.antecedent, rule.consequent, rule.below) for rule in done.rules]
    if written.n != done.n:
        raise _changed()
    _prove(_Named.of(written, [*entries, *bounds], ()), done)


def _prove(named: _Named, done: Hidden) -> None:
    """Count every pattern and rule again, in the changed rows."""
    left = InvertedFile.build(named.kinds(in_order=False).rows)
    place = named.vocabulary.positions
    patterns = [pattern for pattern in done.restrictive if pattern.items <= place.keys()]
    itemsets = [tuple(sorted(place[label] for label in pattern.items)) for pattern in patterns]
    counts = find_sensitive_rows(left, itemsets).counts().tolist()
    right = all(count == pattern.after for count, pattern in zip(counts, patterns, strict=True))
    for rule in done.rules:
        if rule.antecedent | rule.consequent <= place.keys():
            sides = (tuple(place[label] for label in side) for side in (rule.antecedent, rule.consequent))
            whole, antecedent = rule_counts(left, *sides)
            right &= antecedent == 0 or whole < rule.below * antecedent
    if not right:
        raise _changed()


def _changed() -> EngineError:
    return EngineError(
        "the changed rows hold more than they should, as where rows change between two readings of them; nothing was "
        "given out; write the rows to a file or table first, and hide from that"
    )


def _side_effects(rows: SparkRows, changed: SparkRows, entries: Entries, sigma: int) -> SideEffects:
    before = rows.frequent(sigma)
    place = before.vocabulary.positions
    patterns = [entry.items for entry in entries if isinstance(entry, Restriction)]
    listed = [tuple(sorted(place[label] for label in items)) for items in patterns if items <= place.keys()]
    return measure_between(before, before.of_other_rows(changed), Itemsets.of(listed), sigma)
