"""Read rows into Spark: what Spark reads itself, and discreet's own formats.

Spark reads FIMI text, Parquet (a file, a folder of parts, a URL such as s3://…), its own tables (`sql` alone) and other
databases (`sql` with a jdbc: URL). Everything else is read by `discreet.read` on this machine and passed to Spark, for
convenience: such files are small enough for one machine.
"""

from __future__ import annotations

from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.channels.exclusive import exclusive_in_rows
from discreet.errors import DataError, ParameterError, param
from discreet.spark.encoded_rows import encode, encode_file
from discreet.spark.failures import NOT_TEXT, asking_spark
from discreet.spark.rows import SparkRows
from discreet.spark.shapes import ITEMS, ItemFrame
from discreet.tables.byte_source import open_bytes
from discreet.tables.containers import container_of
from discreet.transactions.doubtful_files import refuse_documents, refuse_doubtful_text
from discreet.transactions.identifying import public_ids
from discreet.transactions.label_names import begun_columns, named_columns, two_roles
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read_as
from discreet.transactions.shapes.fimi import looks_like_spmf

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from discreet.transactions.transactions import Transactions

__all__ = ["hand_over", "read_into_spark"]

_AS_IT_IS = ReadOptions()
_KNOWN_TO_SPARK = {"format", "id_column", "item_column", "drop", "identifying", "unit", "sql", "database"}
_PLAIN = ("", ".dat", ".txt")
"""Suffixes of text that is not packed."""

_BLANKS = r"[ \t\r]+"
_NOT_TEXT = r"[\x00-\x08\x0B\x0C\x0E-\x1F\x7F]|\r(?!\z)"


def read_into_spark(
    session: SparkSession,
    source: str | PathLike[str] | None = None,
    options: ReadOptions = _AS_IT_IS,
) -> SparkRows:
    """Read rows of items, as `discreet.read` does."""
    sql, database = options.sql, options.database
    with asking_spark():
        if sql is not None and source is None and (database is None or fspath(database).startswith("jdbc:")):
            return _shaped(_query(session, sql, database), f"what {param('sql')} gives", options, "sql")
        if source is not None and sql is None and database is None and fspath(source) != "-":
            path = fspath(source)
            if _is_text(path, options):
                lines = session.read.text(_address(path), lineSep="\n")
                items = _items_of(lines)
                frame = ItemFrame(items, "fimi", text=(items, _encoded(path, lines)))
                rows = SparkRows(frame, path, container="text", unit=options.unit)
                return rows.without_identifying(options.rules.identifying)
            if _is_parquet(path, options):
                return _shaped(session.read.parquet(_address(path)), path, options, "parquet")
        return hand_over(session, read_as(source, options))


def hand_over(session: SparkSession, rows: Transactions) -> SparkRows:
    """Pass rows in memory to Spark."""
    rows = replace(rows, ids=public_ids(rows))
    table = rows.to_arrow()
    frame = session.createDataFrame(table)
    unheld = (rows.item_supports() == 0).nonzero()[0].tolist()
    labels = tuple(rows.vocabulary[item] for item in unheld)
    shape = "lists" if rows.layout is None else rows.layout.shape
    id_column = "id" if rows.ids is not None else None
    columns = exclusive_in_rows(rows).columns
    return SparkRows(ItemFrame(frame, shape, id_column, None, labels, columns), "the rows", as_read=rows.read)


def _query(session: SparkSession, sql: str, database: str | PathLike[str] | None) -> DataFrame:
    if database is None:
        from pyspark.errors import ParseException

        try:
            return session.sql(f"SELECT * FROM (\n{sql}\n)")  # noqa: S608 - nothing but a SELECT can stand there
        except ParseException:
            raise ParameterError(f"{param('sql')} must be a single SELECT; it only reads", parameter="sql") from None
    return session.read.format("jdbc").option("url", fspath(database)).option("query", sql).load()


def _shaped(frame: DataFrame, name: str, options: ReadOptions, container: str) -> SparkRows:
    given = sorted(options.keywords().keys() - _KNOWN_TO_SPARK)
    if given:
        raise ParameterError(
            f"{param(given[0])} is not obeyed where Spark reads the rows itself; make an array of labels per row first",
            parameter=given[0],
        )
    identifying = named_columns(options.rules.identifying, frame.columns)
    for column in ("id_column", "item_column"):
        if getattr(options, column) in identifying:
            raise two_roles(getattr(options, column), column)
    rows = SparkRows.from_frame(
        frame,
        name=name,
        format=options.format,
        id_column=options.id_column,
        item_column=options.item_column,
        drop=(*begun_columns(options.rules.drop, frame.columns), *identifying),
        container=container,
        unit=options.unit,
    )
    return rows.without_identifying(options.rules.identifying, frame.columns)


def _is_text(path: str, options: ReadOptions) -> bool:
    shape = options.format
    if shape not in (None, "fimi") or options.keywords().keys() - {"format", "identifying", "unit"}:
        return False
    container, _ = container_of(Path(path))
    if shape is None and container != "text":
        return False
    _check_there(path)
    if Path(path).is_file() and shape is None:
        with open_bytes(path) as source:
            if looks_like_spmf(source.head) or source.encoding.startswith("utf-16"):
                return False
            refuse_documents(source)
            refuse_doubtful_text(source)
    return True


def _encoded(path: str, lines: DataFrame) -> DataFrame:
    """Return the rows of text for the kernel: a local file is read by the tasks, what is packed or remote by Spark."""
    file = Path(path)
    plain = "://" not in path and file.is_file() and file.suffix.lower() in _PLAIN
    return encode_file(lines.sparkSession, str(file.resolve()), file.stat().st_size) if plain else encode(lines)


def _is_parquet(path: str, options: ReadOptions) -> bool:
    if options.format not in (None, "lists", "long", "onehot"):
        return False
    container, _ = container_of(Path(path))
    local = "://" not in path
    if container == "parquet" or Path(path).is_dir():
        _check_there(path)
        return not local or (options.keywords().keys() <= _KNOWN_TO_SPARK and _has_rows_of_items(path, options))
    return not local and container is None


def _has_rows_of_items(path: str, options: ReadOptions) -> bool:
    """Return whether a local Parquet file contains rows of items rather than a table of cells."""
    if Path(path).is_dir() or options.format or options.item_column:
        return True
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(path)
    except (OSError, pa.ArrowException):
        return False  # the local reader reports what is wrong
    beside = {options.id_column, *begun_columns(options.rules.drop, schema.names)}
    beside.update(named_columns(options.rules.identifying, schema.names))
    kinds = [field.type for field in schema if field.name not in beside]
    return any(pa.types.is_list(kind) or pa.types.is_large_list(kind) for kind in kinds) or all(
        pa.types.is_boolean(kind) for kind in kinds
    )


def _check_there(path: str) -> None:
    if "://" not in path and not Path(path).exists():
        raise DataError(f"{path} does not exist")


def _address(path: str) -> str:
    """Return a path as a URL for Spark: a local path stays local, whatever the default file system is."""
    return path if "://" in path else Path(path).resolve().as_uri()


def _items_of(lines: DataFrame) -> DataFrame:
    """Return the rows of FIMI: tokens separated by blanks, one row per line; a blank line is an empty row."""
    from pyspark.sql import functions as sql

    line = sql.regexp_replace("value", "^\N{ZERO WIDTH NO-BREAK SPACE}", "")
    tokens = sql.btrim(line, sql.lit(" \t\r"))
    broken = ~sql.is_valid_utf8("value") | line.rlike(_NOT_TEXT)
    items = (
        sql.when(broken, sql.raise_error(sql.lit(NOT_TEXT)).cast("array<string>"))
        .when(tokens == "", sql.array().cast("array<string>"))
        .otherwise(sql.split(tokens, _BLANKS))
    )
    return lines.select(items.alias(ITEMS))
