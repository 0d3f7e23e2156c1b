"""Read rows of items from a file, from standard input or from a database.

The container follows from the file name. The shape, which is what the cells mean, follows from the name, `format` or
the contents. Each container has its module in `tables/`, each shape in `shapes/`.
"""

from __future__ import annotations

import re
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, get_args

from discreet.errors import DataError, ParameterError, param
from discreet.tables.byte_source import ByteSource, open_bytes
from discreet.tables.containers import CONTAINERS, Container, container_of
from discreet.tables.csv import csv_text
from discreet.tables.duckdb import sql_table
from discreet.transactions.layout import Shape
from discreet.transactions.options import ReadOptions
from discreet.transactions.shapes.basket import read_basket
from discreet.transactions.shapes.fimi import looks_like_spmf, read_fimi, read_spmf
from discreet.transactions.shapes.lists import read_lists
from discreet.transactions.shapes.long import read_long
from discreet.transactions.shapes.onehot import is_onehot, read_onehot
from discreet.transactions.shapes.table import read_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from discreet.tables.table import Table
    from discreet.transactions.shapes.cell_rules import Edge, Names
    from discreet.transactions.transactions import Transactions

__all__ = ["read", "read_as", "rows_of"]

_PARQUET = b"PAR1"
_JSON = re.compile(rb'\[\s*[\[{"]|\{\s*"')


def read(
    source: str | PathLike[str] | None = None,
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    delimiter: str | None = None,
    id_column: str | None = None,
    item_column: str | None = None,
    header: bool = True,
    columns: Names | None = None,
    drop: Names | None = None,
    bins: Mapping[str, Iterable[Edge]] | str | Iterable[str] | None = None,
    map: Mapping[str, Mapping[str, str]] | str | Iterable[str] | None = None,  # noqa: A002 - the same
    missing: str | None = None,
    sql: str | None = None,
    database: str | PathLike[str] | None = None,
) -> Transactions:
    r"""Read rows of items from a file, standard input or a database.

    The format follows from the file name, or from `format`. If the name only says CSV, Parquet or JSON, the contents
    decide the rest: an id column and an item column mean `long`; a list column means `lists`; a header with nothing but
    0, 1, true and false below it means `onehot`; lines of different length mean `basket`; anything else is a `table`.

    Parameters
    ----------
    source : path, optional
        A file, gzipped or not, or "-" for standard input. Endings: `.dat` and `.txt` (fimi or spmf), `.csv`, `.tsv`,
        `.parquet`, `.json`, `.jsonl`.
    format : str, optional
        - `fimi`, `spmf`: tokens separated by blanks, one row per line;
        - `basket`: items separated by `delimiter`, no header;
        - `long`: the row's id in `id_column`, one of its items in `item_column`;
        - `onehot`: one column per item, with 0, 1, true or false;
        - `table`: every cell is an item `column=value`;
        - `lists`: a list of labels per row (JSON arrays, or a list column).
    delimiter : str, optional
        The character between the cells of a text file; a comma by default, a tab in `.tsv`.
    id_column : str, optional
        The column with the rows' ids, in any format with columns.
    item_column : str, optional
        The column with the items of a `long` file, or with the lists of a `lists` file.
    header : bool, default True
        Whether the first line of a text file names its columns.
    columns : names, optional
        The names of the columns, if `header` is False.
    drop : names, optional
        Columns of a table to leave out.
    bins : mapping, optional
        Where to cut the numbers of a column into ranges: `{"age": [20, 40]}`.
    map : mapping, optional
        Values of a column to replace: `{"gain": {"0": "0", "*": "+"}}`; "*" stands for all other values.
    missing : str, optional
        What to do with missing cells (empty, `?`, `NA`): "skip" the cell (the default), or "drop-row".
    sql : str, optional
        A SELECT whose result is read; needs `database` instead of `source`.
    database : path, optional
        A DuckDB or SQLite file, ":memory:", or a postgresql:// address.

    Returns
    -------
    Transactions
        The rows, with their ids and their format if the file has them.

    Raises
    ------
    ParameterError
        An option has an unusable value, or does not apply to this format.
    DataError
        The file cannot be opened, or does not match the format; the line is given if known.

    Examples
    --------
    >>> import discreet, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "people.csv")
    >>> _ = file.write_text("age,area\n34,N1\n71,N7\n")
    >>> [sorted(row) for row in discreet.read(file, bins={"age": [40, 60]})]
    [['age=<=40', 'area=N1'], ['age=>60', 'area=N7']]
    """
    return read_as(
        source,
        ReadOptions(
            format=format,  # type: ignore[arg-type]  # another word is refused
            delimiter=delimiter,
            id_column=id_column,
            item_column=item_column,
            header=header,
            columns=columns,
            drop=drop,
            bins=bins,
            map=map,
            missing=missing,  # type: ignore[arg-type]  # the same
            sql=sql,
            database=database,
        ),
    )


def read_as(source: str | PathLike[str] | None, options: ReadOptions) -> Transactions:
    """Read rows of items; see `read`."""
    if options.sql is not None or options.database is not None:
        return _read_sql(source, options)
    if not isinstance(source, (str, PathLike)):
        raise ParameterError("name a file to read, or - for standard input", parameter="source")
    with open_bytes(source) as bytes_:
        shape, container, by_name = _recognised(bytes_, options)
        if container == "text":
            options.refuse_others(shape or "fimi", container)
            return read_spmf(bytes_) if shape == "spmf" else read_fimi(bytes_)
        if container == "csv":
            return _read_csv(bytes_, options, options.delimiter or by_name or ",")
        with CONTAINERS[container].open(bytes_) as table:
            return rows_of(table, options)


def _recognised(source: ByteSource, options: ReadOptions) -> tuple[Shape | None, Container, str | None]:
    """Return the shape, if known, the container, and the delimiter that the name suggests."""
    wanted = options.format
    container, delimiter = container_of(source.path) if source.path is not None else (None, None)
    if wanted in ("fimi", "spmf"):
        return wanted, "text", None
    if container == "text" and wanted is None:
        return ("spmf" if looks_like_spmf(source.head) else "fimi"), "text", None
    if container in (None, "text"):
        container = _sniffed(source, wanted)
        if container == "text":
            return ("spmf" if looks_like_spmf(source.head) else "fimi"), "text", None
    if container == "json" and _looks_like_lines(source.head):
        container = "jsonl"
    text_only, other_only = wanted == "basket", wanted == "lists"
    if (text_only and container != "csv") or (other_only and container == "csv"):
        raise ParameterError(
            f"{param('format', wanted)} does not go with {source.name}, which is {container}", parameter="format"
        )
    return wanted, container, delimiter


def _sniffed(source: ByteSource, wanted: Shape | None) -> Container:
    """Guess the container from the first bytes, if the name does not say it."""
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if source.head.startswith(_PARQUET):
        return "parquet"
    if wanted == "lists" or (wanted != "basket" and _JSON.match(head)):
        return "json"
    if wanted is not None:
        return "csv"
    if not head and not source.head:
        raise DataError(f"{source.name} holds no rows")
    whole = source.head if len(source.head) < 1 << 16 else source.head[: source.head.rfind(b"\n") + 1]
    if looks_like_spmf(source.head) or re.fullmatch(rb"[0-9 \t\r\n]+", whole):
        return "text"
    if source.path is None and not re.search(rb'[,;|\t"]', whole):
        return "text"  # words separated by blanks only, and no name to go by
    what = f"the format of {source.name} does not follow from its name"
    raise ParameterError(f"{what}; give {param('format')} ({', '.join(get_args(Shape))})", parameter="format")


def _looks_like_lines(head: bytes) -> bool:
    """Return whether a JSON file has one value per line rather than one array of lists or objects."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return not text.startswith(b"[") or not text[1:].lstrip().startswith((b"[", b"{", b"]"))


def _read_csv(source: ByteSource, options: ReadOptions, delimiter: str) -> Transactions:
    text = csv_text(source, delimiter=delimiter)
    if options.format == "basket" or (
        options.format is None and text.is_ragged and not options.keywords().keys() - {"delimiter", "header"}
    ):
        options.refuse_others("basket", "csv")
        return read_basket(text.blocks, delimiter=delimiter, name=source.name)
    advice = f", or give {param('format', 'basket')} if lines may differ in length"
    return rows_of(text.table(header=options.header, columns=options.names, advice=advice), options)


def _read_sql(source: object, options: ReadOptions) -> Transactions:
    sql, database = options.sql, options.database
    if source is not None:
        raise ParameterError(
            f"name either a file or {param('sql')} with {param('database')}, not both", parameter="sql"
        )
    if sql is None or database is None:
        missing = "sql" if sql is None else "database"
        raise ParameterError(
            f"{param('sql')} and {param('database')} go together; {param(missing)} is missing", parameter=missing
        )
    with sql_table(sql, database) as table:
        return rows_of(table, options)


def rows_of(table: Table, options: ReadOptions) -> Transactions:
    """Turn a table into rows, in the requested shape or the one that its columns suggest."""
    shape = options.format or _shape_of(table, options)
    if shape in ("fimi", "spmf", "basket"):
        raise ParameterError(
            f"{param('format', shape)} does not go with {table.name}, which has columns", parameter="format"
        )
    options.refuse_others(shape, table.container)
    if shape == "long":
        id_column, item_column = _long_columns(table, options)
        return read_long(table, id_column=id_column, item_column=item_column)
    if shape == "lists":
        return read_lists(table, id_column=options.id_column, item_column=options.item_column)
    if shape == "onehot":
        if not options.header and not options.names:
            raise ParameterError(
                f"{param('format', 'onehot')} needs a header of labels, or {param('columns')}", parameter="columns"
            )
        return read_onehot(table, id_column=options.id_column, drop=options.rules.drop)
    return read_table(table, options.rules, id_column=options.id_column)


def _shape_of(table: Table, options: ReadOptions) -> Shape:
    """Guess the shape from the options and the first rows."""
    lists = {table.columns[place] for place in table.list_columns}
    if options.id_column and options.item_column:
        return "lists" if options.item_column in lists else "long"
    if options.bins or options.map or options.missing or not options.header:
        return "table"
    if lists - set(options.rules.drop):
        return "lists"
    first = next(table.batches, None)
    if first is None:
        return "table"
    table.batches = chain([first], table.batches)
    beside = {options.id_column, *options.rules.drop}
    places = [place for place, column in enumerate(table.columns) if column not in beside]
    return "onehot" if is_onehot(first, places) else "table"


def _long_columns(table: Table, options: ReadOptions) -> tuple[str, str]:
    """Return the two columns of a long table; if there are only two, they need not be named."""
    if options.id_column and options.item_column:
        return options.id_column, options.item_column
    if len(table.columns) == 2 and not options.id_column and not options.item_column:  # noqa: PLR2004 - an id, an item
        return table.columns[0], table.columns[1]
    missing = "id_column" if not options.id_column else "item_column"
    raise ParameterError(f"{param('format', 'long')} needs {param(missing)}", parameter=missing)
