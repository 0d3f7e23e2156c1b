"""Rows of items in a Spark data frame: what the public functions accept in place of Transactions."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.channels.exclusive import Exclusive, exclusive_in_rows
from discreet.channels.exclusive_names import named_sets, parse_exclusive
from discreet.errors import DataError, ParameterError, param, spelled
from discreet.itemsets import Itemsets
from discreet.spark.check import check_in_spark
from discreet.spark.encoded_rows import label_counts
from discreet.spark.failures import asking_spark
from discreet.spark.frequent import FrameCache, SparkFrequent
from discreet.spark.hide import hide_in_spark
from discreet.spark.row_counts import SparkCounts
from discreet.spark.shapes import ITEMS, POSITION, item_frame
from discreet.spark.task_share import telling_tasks
from discreet.thresholds import Support
from discreet.transactions.doubtful_files import pattern_columns
from discreet.transactions.label_names import beginning_of, is_literal, listed, resolve
from discreet.transactions.layout import Layout
from discreet.transactions.read_record import ReadRecord
from discreet.transactions.shapes.cell_rules import parse_names
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary, are_whole_numbers, label_key
from discreet.wording import counted, folded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from fractions import Fraction
    from typing import Self

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

    from discreet.channels.exclusive_names import Named, NamedSet
    from discreet.hiding.hide import Hidden, HidingMethod
    from discreet.hiding.request import Below
    from discreet.hiding.restrictions import Restrictions
    from discreet.patterns.patternset import PatternSet, Target
    from discreet.spark.shapes import ItemFrame
    from discreet.thresholds import MinSupport
    from discreet.transactions.label_names import NamedLabel
    from discreet.transactions.shapes.cell_rules import Names
    from discreet.uncertainty.check import Checked
    from discreet.uncertainty.empty_cells import EmptyCells
    from discreet.uncertainty.limits import Limits

__all__ = ["SparkRows", "opened"]

_WHOLE_NUMBER = r"\A-?[0-9]{1,18}\z"
"""What the canonical order of labels treats as a number: see `Vocabulary`."""


class _Counted(NamedTuple):
    """The results of one counting pass over the rows."""

    n: int
    items: int
    empty: int
    labels: int
    whole_numbers: bool
    supports: DataFrame


@dataclass(frozen=True, eq=False, repr=False)
class SparkRows:
    """Rows of items in Spark; a `RowSource` for `discreet.channels`.

    Counts and patterns are cached in Spark's memory or on its disks, until `release` is called or the `with` block
    ends. For rows derived from others, `vocabulary` are the labels to keep, in order. `as_read` is how rows were read
    that Spark did not read itself; `container`, `unit` and `identifying` say what the others were read from, what a row
    is, and what was left out because it tells whose a row is.
    """

    source: ItemFrame
    name: str = "the data frame"
    only: tuple[str, ...] | None = None
    vocabulary: Vocabulary | None = None
    cache: FrameCache = field(default_factory=FrameCache)
    as_read: ReadRecord | None = None
    container: str = "frame"
    unit: str | None = None
    identifying: tuple[str, ...] = ()
    _seen: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def from_frame(
        cls,
        frame: DataFrame,
        *,
        name: str = "the data frame",
        format: str | None = None,  # noqa: A002 - the option's name
        id_column: str | None = None,
        item_column: str | None = None,
        drop: Sequence[str] = (),
        container: str = "frame",
        unit: str | None = None,
    ) -> SparkRows:
        """Wrap a Spark data frame: a column of arrays, a long table or a one-hot table; the options of `read`."""
        shaped = item_frame(
            frame, name=name, shape=format, id_column=id_column, item_column=item_column, drop=tuple(drop)
        )
        return cls(shaped, name, container=container, unit=unit)

    @property
    def rows(self) -> SparkRows:
        """These rows."""
        return self

    @property
    def frame(self) -> DataFrame:
        """The rows as a data frame: `items`, an array of labels, and `id` if the rows have ids."""
        return self.source.frame

    @property
    def sparkSession(self) -> SparkSession:  # noqa: N802 - as a data frame calls it
        """The session that holds the rows."""
        return self.frame.sparkSession

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table, all of them in the memory of this process."""
        with asking_spark():
            return self.frame.toArrow()

    @property
    def n(self) -> int:
        """The number of rows."""
        return self._counted.n

    @property
    def read(self) -> ReadRecord:
        """How the rows were read; Spark reads without a digest."""
        if self.as_read is not None:
            return replace(self.as_read, sha256=None, bytes=None)
        with asking_spark():
            counted = self._counted
        return ReadRecord(
            name=self.name,
            container=self.container,
            shape=self.source.shape,
            rows=counted.n,
            empty_rows=counted.empty,
            items=counted.labels,
            unit=self.unit,
            identifying=self.identifying,
        )

    @property
    def item_count(self) -> int:
        """The total number of items in all rows."""
        return self._counted.items

    @property
    def placed(self) -> DataFrame:
        """The rows with their `position`: whole numbers in Spark's order."""
        from pyspark.sql import functions as sql

        frame = self.frame
        return frame if POSITION in frame.columns else frame.withColumn(POSITION, sql.monotonically_increasing_id())

    def supports_of(self, labels: Sequence[str]) -> dict[str, int]:
        """Return the support of each label; unknown labels are left out."""
        from pyspark.sql import functions as sql

        table = self._counted.supports.where(sql.col("label").isin(list(labels))).select("label", "rows").toArrow()
        found = dict(zip(*(table.column(name).to_pylist() for name in ("label", "rows")), strict=True))
        return {label: 0 for label in labels if label in self.source.labels} | found

    def all_labels(self) -> Sequence[str]:
        """Return the labels of all items."""
        return [*self._counted.supports.select("label").toArrow().column("label").to_pylist(), *self.source.labels]

    def labels_named(self, names: Sequence[str]) -> set[str]:
        """Return the labels that are named directly, by their column or by how they begin, and those that look like it.

        Spark folds labels of ASCII; all others come along, to be folded here.
        """
        from pyspark.sql import functions as sql

        label, alike = sql.col("label"), [folded(name) for name in names]
        looks = [sql.lower(sql.trim(text)).isin(alike) for text in (label, sql.substring_index(label, "=", 1))]
        near = looks[0] | looks[1] | label.rlike(r"[^\x00-\x7F]")
        begin = [start for name in names if (start := beginning_of(name)) is not None]
        chosen = self._counted.supports.where(_named(names, begin) | near).select("label")
        return {*chosen.toArrow().column("label").to_pylist(), *self.source.labels}

    def without_identifying(self, names: tuple[str, ...], columns: Collection[str] = ()) -> SparkRows:
        """Return the rows without identifying items; a name of neither an item nor one of `columns` is refused."""
        from pyspark.sql import functions as sql

        if not names:
            return self
        found = resolve(
            listed(names, "identifying"),
            self.labels_named(names),
            parameter="identifying",
            known=columns,
            ignore_unknown=None,
        )
        gone = sorted({label for labels in found.values() for label in labels})
        source = self.source
        if gone:
            left = sql.array_except(ITEMS, sql.array([sql.lit(label) for label in gone]))
            labels = tuple(label for label in source.labels if label not in gone)
            source = replace(source, frame=self.frame.withColumn(ITEMS, left), labels=labels)
        return replace(self, source=source, identifying=names, _seen={})

    def ordered(self, labels: Iterable[str]) -> list[str]:
        """Return labels in canonical order, which depends on all labels of the data: see `Vocabulary`."""
        labels = list(labels)
        return sorted(labels, key=label_key(labels) if self._counted.whole_numbers else str)

    @property
    def encoded(self) -> DataFrame:
        """The rows as the kernel reads them, which Spark keeps."""
        if "encoded" not in self._seen:
            self._seen["encoded"] = self.cache.hold(self.source.encoded)
        return self._seen["encoded"]  # type: ignore[no-any-return]

    @property
    def _counted(self) -> _Counted:
        if "counted" not in self._seen:
            self._seen["counted"] = self._count()
        return self._seen["counted"]  # type: ignore[no-any-return]

    def _count(self) -> _Counted:
        """Count the rows and, in the same pass, in how many of them each label occurs."""
        from pyspark.sql import functions as sql

        label = sql.col("label")
        counts = self.cache.hold(label_counts(self.encoded))
        told = counts.agg(
            sql.sum("firsts").alias("n"),
            sql.sum(sql.when(label.isNotNull(), sql.col("rows"))).alias("items"),
            sql.sum(sql.when(label.isNull(), sql.col("held"))).alias("nulls"),
            sql.sum(sql.when(label.isNull(), sql.col("rows"))).alias("empty"),
            sql.count(label).alias("labels"),
            sql.bool_and(label.rlike(_WHOLE_NUMBER)).alias("whole_numbers"),
            sql.bool_or(sql.contains(label, sql.lit("\0"))).alias("nul"),
        ).collect()[0]
        if not told["n"]:
            raise DataError(f"{self.name} holds no rows")
        if told["nulls"]:
            raise DataError(f"a row of {self.name} has a null among its items; remove it")
        if told["nul"]:
            raise DataError(f"{self.name} holds a text with a NUL character; remove it")
        whole_numbers = told["whole_numbers"] is not False and are_whole_numbers(self.source.labels)
        return _Counted(
            n=int(told["n"]),
            items=int(told["items"] or 0),
            empty=int(told["empty"] or 0),
            labels=int(told["labels"]),
            whole_numbers=whole_numbers,
            supports=counts.where(label.isNotNull()),
        )

    def exclusive(self, named: Named | None) -> Exclusive:
        """Return the sets of items of which a row contains at most one: values of a column, and `named` ones."""
        lists, columns = parse_exclusive(named), self.source.columns
        if not lists and not columns:
            return Exclusive()
        labels = Vocabulary(self.all_labels())
        self._check_apart(named_sets(lists, labels))
        none = Transactions(Itemsets.none(), labels)
        layout = Layout(shape="table", container="csv", columns=columns)
        return exclusive_in_rows(none, lists or None, layout=layout)

    def _check_apart(self, wanted: Sequence[NamedSet]) -> None:
        """Refuse named sets of which a row contains two items."""
        from pyspark.sql import functions as sql

        if not wanted:
            return
        lists = (sql.array([sql.lit(label) for label in each.labels]) for each in wanted)
        met = self.frame.agg(*(sql.max(sql.size(sql.array_intersect(ITEMS, some)) > 1) for some in lists)).collect()[0]
        for each, together in zip(wanted, met, strict=True):
            if together:
                raise ParameterError(
                    f"a row holds two of the items named in {param('exclusive')} ({each.shown()}); name only items of "
                    "which each row has at most one, or correct the row",
                    parameter="exclusive",
                )

    def restricted(self, quasi_identifiers: Names | None) -> SparkRows:
        """Return the rows without any items but the quasi-identifiers; the number of rows stays the same."""
        if quasi_identifiers is None:
            return self
        named = parse_names(quasi_identifiers, "quasi_identifiers")
        return replace(self, only=named)

    def frequent(self, min_support: int) -> SparkFrequent:
        """Return the rows at a minimum support."""
        from pyspark.sql import functions as sql

        key = (min_support, self.only)
        if key not in self._seen:
            counts = self._counted.supports
            if self.only is not None:
                counts = counts.where(self._checked_names(self.only))
            chosen = counts.where(sql.col("rows") >= min_support).select("label", "rows").toArrow()
            supports = dict(zip(*(chosen.column(name).to_pylist() for name in ("label", "rows")), strict=True))
            vocabulary = Vocabulary.from_canonical(self.ordered(supports))
            self._seen[key] = SparkFrequent(
                rows=self,
                vocabulary=vocabulary,
                item_supports=np.array([supports[label] for label in vocabulary], np.int64),
                n=self.n,
                min_support=min_support,
                cache=self.cache,
            )
        return self._seen[key]  # type: ignore[no-any-return]

    def _checked_names(self, names: tuple[str, ...]) -> Column:
        """Return the condition that a label is a quasi-identifier; refuse a name of nothing."""
        found = resolve(listed(names, "quasi_identifiers"), self.labels_named(names), parameter="quasi_identifiers")
        begin = {name for name, labels in found.items() if labels and not is_literal(name, labels)}
        return _named([name for name in names if name not in begin], [name[:-1] for name in begin])

    def mine(self, *, min_support: MinSupport, target: Target, max_length: int | None, max_patterns: int) -> PatternSet:
        """Return the frequent itemsets: see `discreet.mine`."""
        frequent = self.frequent(Support.parse(min_support).of(self.n))
        return replace(frequent.mine(target=target, max_length=max_length, max_patterns=max_patterns), read=self.read)

    def hide(
        self,
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
        done = hide_in_spark(
            self,
            restrict=restrict,
            method=method,
            disclosure=disclosure,
            min_support=min_support,
            protect=protect,
            ignore_unknown=ignore_unknown,
            below=below,
        )
        return replace(done, read=self.read)

    def check(
        self,
        *,
        limits: Limits,
        sensitive: Sequence[NamedLabel],
        known: Collection[str],
        ignore_unknown: bool,
        empty_cells: EmptyCells,
        exact_knowledge: bool,
    ) -> Checked:
        """Check that no sensitive item can be inferred with its limit or more: see `discreet.check`."""
        if exact_knowledge:
            raise ParameterError(
                f"{param('exact_knowledge', value=True)} compares whole rows, which Spark does not; use the local "
                "engine for it",
                parameter="exact_knowledge",
            )
        found = check_in_spark(
            self, limits=limits, named=sensitive, known=known, ignore_unknown=ignore_unknown, empty_cells=empty_cells
        )
        return replace(found, read=self.read)

    def row_counts(self) -> SparkCounts:
        """Return what measurements under differential privacy ask of the rows: see `discreet.dp_patterns`."""
        return SparkCounts(self)

    def release(self) -> None:
        """Release what Spark caches for these rows; later calls count again."""
        self.cache.release()
        self._seen.clear()

    def changed(self, source: ItemFrame, vocabulary: Vocabulary | None = None) -> SparkRows:
        """Return other rows that were derived from these."""
        return SparkRows(source, self.name, vocabulary=vocabulary)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        return f"<SparkRows: {spelled(self.name)}>"


@contextmanager
def opened(source: SparkRows | DataFrame) -> Iterator[SparkRows | pa.Table]:
    """Yield the rows, with Spark's errors translated; what Spark caches for a plain data frame is released afterwards.

    A data frame with the columns of patterns or rules, such as those of Spark's FP-growth, is yielded as an Arrow
    table. Other columns next to one of arrays would be left out unseen, and are refused.
    """
    with asking_spark(), telling_tasks(source.sparkSession):
        if isinstance(source, SparkRows):
            yield source
        elif {"freq", "antecedent"} & set(source.columns) or pattern_columns(source.columns):
            yield source.toArrow()
        else:
            _refuse_other_columns(source)
            with SparkRows.from_frame(source) as held:
                yield held


def _refuse_other_columns(frame: DataFrame) -> None:
    lists = sum(field.dataType.typeName() == "array" for field in frame.schema.fields)
    if lists and len(frame.columns) > 1:
        raise DataError(
            f"the data frame has {counted(lists, 'column')} of arrays and {len(frame.columns) - lists:,} other; hand "
            "over the column of rows alone, as in frame.select('items'), or name it with SparkRows.from_frame"
        )


def _named(names: Sequence[str], begin: Sequence[str]) -> Column:
    """Return the condition that a label, or the column it is a value of, is named, or that it begins in such a way."""
    from pyspark.sql import functions as sql

    label = sql.col("label")
    found = label.isin(list(names))
    for start in (*(f"{name}=" for name in names), *begin):
        found |= label.startswith(start)
    return found
