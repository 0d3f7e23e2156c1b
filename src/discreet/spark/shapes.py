"""Turn a Spark data frame into a column `items` of labels per row: from arrays, a long table or a one-hot table.

The rules are those of `discreet.transactions.shapes`: labels in lists are used verbatim; blanks around the cells of a
long table are stripped; a row without items is a row. The rows' ids are kept in a column of their own, if there are
any.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.errors import DataError, ParameterError, param
from discreet.spark.encoded_rows import encode
from discreet.spark.failures import NEITHER, NO_ID
from discreet.tables.table import BLANKS
from discreet.wording import nearest, spelling

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

    from discreet.transactions.layout import Shape

__all__ = ["ID", "ITEMS", "POSITION", "ItemFrame", "item_frame"]

ITEMS = "items"
ID = "id"
POSITION = "position"
_TRUTH = {"1": True, "true": True, "0": False, "false": False}


@dataclass(frozen=True)
class ItemFrame:
    """Rows as arrays of labels in `items`, with `id` if the rows have ids.

    The rows of a long table also have a `position`, that of their first line, because Spark shuffles them.

    `labels` are items that are known even if no row contains them: the columns of a one-hot table. `columns` are the
    table columns of which a row has at most one value. `text` is a frame of rows, and the same rows encoded, which
    count for that frame alone.
    """

    frame: DataFrame
    shape: Shape
    id_column: str | None = None
    item_column: str | None = None
    labels: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    text: tuple[DataFrame, DataFrame] | None = None

    @property
    def encoded(self) -> DataFrame:
        """The rows as the kernel reads them."""
        if self.text is not None and self.text[0] is self.frame:
            return self.text[1]
        return encode(self.frame.select(ITEMS))


def item_frame(
    frame: DataFrame,
    *,
    name: str = "the data frame",
    shape: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
    drop: Sequence[str] = (),
) -> ItemFrame:
    """Turn a frame into rows of labels, in the requested shape or the one that its columns suggest."""
    for column in (id_column, item_column, *drop):
        if column is not None and column not in frame.columns:
            raise DataError(
                f"{name} has no column {column!r} among its {len(frame.columns):,} columns; "
                f"{spelling(column, nearest(column, frame.columns), of='it')}"
            )
    lists = [field.name for field in frame.schema.fields if field.dataType.typeName() == "array"]
    shape = shape or _shape_of(frame, lists, id_column, item_column, drop)
    if shape == "lists":
        return _from_lists(frame, lists, id_column, item_column, name)
    if shape == "long":
        return _from_long(frame, id_column, item_column, name)
    if shape == "onehot":
        return _from_onehot(frame, id_column, drop, name)
    raise ParameterError(
        f"Spark reads rows from a column of arrays, a long table ({param('id_column')} and {param('item_column')}) or "
        f"a one-hot table, and {name} is none of them; make an array of labels per row, or use the local engine",
        parameter="format",
    )


def _shape_of(
    frame: DataFrame, lists: list[str], id_column: str | None, item_column: str | None, drop: Sequence[str]
) -> str | None:
    if id_column and item_column:
        return "lists" if item_column in lists else "long"
    if lists:
        return "lists"
    kinds = {
        field.dataType.typeName() for field in frame.schema.fields if field.name != id_column and field.name not in drop
    }
    return "onehot" if kinds and kinds <= {"boolean", "byte", "short", "integer", "long"} else None


def _from_lists(
    frame: DataFrame, lists: list[str], id_column: str | None, item_column: str | None, name: str
) -> ItemFrame:
    from pyspark.sql import functions as sql
    from pyspark.sql.types import ArrayType

    if item_column is None:
        if len(lists) != 1:
            raise ParameterError(
                f"{name} has {len(lists) or 'no'} columns of arrays; name the one to read with {param('item_column')}",
                parameter="item_column",
            )
        item_column = lists[0]
    kind = frame.schema[item_column].dataType
    if not isinstance(kind, ArrayType):
        raise DataError(f"column {item_column!r} of {name} holds no arrays; give its format")
    _check_text(kind.elementType, item_column, name)
    column = _column(frame, item_column).cast("array<string>")
    items = sql.coalesce(column, sql.array().cast("array<string>")).alias(ITEMS)
    return ItemFrame(frame.select(*_ids(frame, id_column), items), "lists", id_column, item_column)


def _from_long(frame: DataFrame, id_column: str | None, item_column: str | None, name: str) -> ItemFrame:
    from pyspark.sql import functions as sql

    if id_column is None and item_column is None and len(frame.columns) == 2:  # noqa: PLR2004 - an id and an item
        id_column, item_column = frame.columns
    if id_column is None or item_column is None:
        missing = "id_column" if id_column is None else "item_column"
        raise ParameterError(f"a long table needs {param(missing)}", parameter=missing)
    for column in (id_column, item_column):
        _check_text(frame.schema[column].dataType, column, name)
    item = sql.btrim(_column(frame, item_column).cast("string"), sql.lit(BLANKS))
    ids = sql.btrim(_column(frame, id_column).cast("string"), sql.lit(BLANKS))
    no_id = sql.raise_error(sql.lit(NO_ID)).cast("string")
    rows = (
        frame.select(
            sql.when(ids != "", ids).otherwise(no_id).alias(ID),
            sql.when(item != "", item).alias(ITEMS),
            sql.monotonically_increasing_id().alias(POSITION),
        )
        .groupBy(ID)
        .agg(sql.collect_set(ITEMS).alias(ITEMS), sql.min(POSITION).alias(POSITION))
    )
    return ItemFrame(rows, "long", id_column, item_column)


def _from_onehot(frame: DataFrame, id_column: str | None, drop: Sequence[str], name: str) -> ItemFrame:
    from pyspark.sql import functions as sql

    labels = tuple(column for column in frame.columns if column != id_column and column not in drop)
    if not labels:
        raise ParameterError(f"no column of {name} is left to be an item", parameter="drop")
    wrong = sql.raise_error(sql.lit(NEITHER)).cast("string")
    cells = []
    for label in labels:
        text = sql.lower(sql.trim(_column(frame, label).cast("string")))
        yes, no = (text.isin([word for word, truth in _TRUTH.items() if truth is wanted]) for wanted in (True, False))
        cells.append(sql.when(yes, sql.lit(label)).when(no, sql.lit(None).cast("string")).otherwise(wrong))
    items = sql.array_compact(sql.array(*cells)).alias(ITEMS)
    return ItemFrame(frame.select(*_ids(frame, id_column), items), "onehot", id_column, None, labels)


def _ids(frame: DataFrame, id_column: str | None) -> list[Column]:
    return [] if id_column is None else [_column(frame, id_column).cast("string").alias(ID)]


def _column(frame: DataFrame, name: str) -> Column:
    """Return a column by its exact name, even with dots and backticks."""
    return frame["`" + name.replace("`", "``") + "`"]


def _check_text(kind: DataType, column: str, name: str) -> None:
    """Refuse types without a unique text: 2.0 is "2" to one program and "2.0" to another."""
    if kind.typeName() not in ("string", "byte", "short", "integer", "long", "boolean", "date", "void"):
        raise DataError(
            f"column {column!r} of {name} holds {kind.typeName()} values where text or whole numbers were expected; "
            "convert them to text first"
        )
