"""Read rows of items from a file, from standard input or from a database.

The container follows from the file name. The shape, which is what the cells mean, follows from the name, `format` or
the contents. Each container has its module in `tables/`, each shape in `shapes/`.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, cast, get_args

from discreet.errors import DataError, ParameterError, param
from discreet.tables.byte_source import ByteSource, open_bytes
from discreet.tables.containers import CONTAINERS, Container, container_of
from discreet.tables.csv import csv_text
from discreet.tables.databases import database_table
from discreet.tables.delimiter import sniff_delimiter
from discreet.tables.file_parts import FileParts, files_of
from discreet.tables.sheets import SHEET_MARKS, sheet_table
from discreet.tables.table import Table
from discreet.transactions.column_profile import column_notes, column_profiles
from discreet.transactions.disk_rows import DiskRowsBuilder, are_on_disk
from discreet.transactions.doubtful_files import (
    WIDEST_LONG_TABLE,
    refuse_comments,
    refuse_documents,
    refuse_doubtful_text,
    refuse_long_tables,
    refuse_odd_lines,
    refuse_pair_as_header,
    refuse_pattern_columns,
    refuse_ragged_tables,
    refuse_row_as_header,
    refuse_ruled_lines,
    refuse_separator_line,
    refuse_single_columns,
    refuse_truth_as_header,
    refuse_unnamed_columns,
)
from discreet.transactions.identifying import without_identifying
from discreet.transactions.label_names import begun_columns, named_columns, two_roles
from discreet.transactions.layout import Shape
from discreet.transactions.options import ReadOptions
from discreet.transactions.part_files import read_parts
from discreet.transactions.persons import merged_by_id, repeated_id
from discreet.transactions.read_record import ReadColumns, ReadRecord, record_of
from discreet.transactions.rows_builder import RowsBuilder
from discreet.transactions.shapes.basket import read_basket
from discreet.transactions.shapes.fimi import looks_like_spmf, read_fimi, read_spmf
from discreet.transactions.shapes.lists import read_lists
from discreet.transactions.shapes.long import read_long
from discreet.transactions.shapes.onehot import is_onehot, read_onehot
from discreet.transactions.shapes.relational import left_out, read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike
    from pathlib import Path
    from typing import TypeAlias

    from discreet.transactions.shapes.cell_rules import Edge, Names
    from discreet.transactions.transactions import Transactions

    Store: TypeAlias = Callable[[], RowsBuilder]
    Source: TypeAlias = str | PathLike[str] | Sequence[str | PathLike[str]]
    from discreet.transactions.options import ReadKeywords

__all__ = ["columns_in", "read", "read_as", "rows_of"]

_OF_HEADERS = {"format", "delimiter", "header", "encoding", "sheet", "columns"}
_PARQUET = b"PAR1"
_WITH_HEADER = ("csv", "sheet")
_JSON = re.compile(rb'\[\s*[\[{"]|\{\s*"')


def read(
    source: Source | None = None,
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    delimiter: str | None = None,
    id_column: str | None = None,
    person_column: str | None = None,
    item_column: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    columns: Names | None = None,
    drop: Names | None = None,
    identifying: Names | None = None,
    keep: Names | None = None,
    bins: Mapping[str, Iterable[Edge]] | str | Iterable[str] | None = None,
    map: Mapping[str, Mapping[str, str]] | str | Iterable[str] | None = None,  # noqa: A002 - the same
    missing: str | None = None,
    unit: str | None = None,
    sql: str | None = None,
    database: str | PathLike[str] | None = None,
) -> Transactions:
    r"""Read rows of items from a file, standard input or a database.

    The format follows from the file name, or from `format`. If the name only says CSV, Parquet or JSON, the contents
    decide the rest: an id column and an item column mean `long`; a list column means `lists`; a header with nothing but
    0, 1, true and false below it means `onehot`; lines of different length mean `basket`; anything else is a `table`.

    Parameters
    ----------
    source : path or paths, optional
        A file, gzipped or not, or "-" for standard input. A folder, a glob or several paths are read as one, file after
        file; folders named `key=value` are columns of the Parquet files in them. Endings: `.dat` and `.txt` (fimi or
        spmf), `.csv`, `.tsv`,
        `.parquet`, `.json`, `.jsonl`, `.xlsx`, `.xlsb`, `.xls`, `.ods`.
    format : str, optional
        - `fimi`, `spmf`: tokens separated by blanks, one row per line;
        - `basket`: items separated by `delimiter`, no header;
        - `long`: the row's id in `id_column`, one of its items in `item_column`;
        - `onehot`: one column per item, with 0, 1, true or false;
        - `table`: every cell is an item `column=value`;
        - `lists`: a list of labels per row (JSON arrays, or a list column).
    delimiter : str, optional
        The character between the cells of a text file. By default a comma, a tab in `.tsv`, or another usual one where
        only that one makes a table; where several could, the file is refused until this says which.
    id_column : str, optional
        The column with the rows' ids, in any format with columns.
    person_column : str, optional
        The column that says whose a row is. What one person has becomes one row, in any format with columns.
    item_column : str, optional
        The column with the items of a `long` file, or with the lists of a `lists` file.
    header : bool, optional
        Whether the first line of a text file names its columns. By default it does, unless it looks like a row: then
        the file is refused until this says which it is.
    encoding : str, optional
        How a text file is encoded; UTF-8 by default, UTF-16 where the file begins with its mark.
    sheet : str or int, optional
        The sheet of a workbook, by its name or number from 1; needed if several sheets hold anything.
    columns : names, optional
        The names of the columns, where `header` is False.
    drop, keep : names, optional
        Columns of a table to leave out, or the only ones to use; `diag*` is every column that begins with diag.
    identifying : names, optional
        Columns of a table, or items of any rows, that tell whose a row is: they are left out, as by `drop`, and refused
        wherever they would be written again. `mail*` stands for all that begins with mail.
    bins : mapping, optional
        Where to cut the numbers of a column into ranges: `{"age": [20, 40]}`.
    map : mapping, optional
        Values of a column to replace: `{"gain": {"0": "0", "*": "+"}}`; "*" stands for all other values.
    missing : str, optional
        What to do with missing cells (empty, `?`, `NA`): "skip" the cell (the default), or "drop-row".
    unit : str, optional
        What a row is, in the plural: "patients". Answers speak of rows without it.
    sql : str, optional
        A SELECT whose result is read instead of `source`; it may only read.
    database : path, optional
        Where `sql` runs: a DuckDB or SQLite file, or a postgresql:// address. By default the query names files.

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
            person_column=person_column,
            item_column=item_column,
            header=header,
            encoding=encoding,
            sheet=sheet,
            columns=columns,
            drop=drop,
            identifying=identifying,
            keep=keep,
            bins=bins,
            map=map,
            missing=missing,  # type: ignore[arg-type]  # the same
            unit=unit,
            sql=sql,
            database=database,
        ),
    )


def read_as(
    source: Source | None,
    options: ReadOptions,
    *,
    named: Path | None = None,
    on_disk: bool = False,
    progress: Callable[[float, int], object] | None = None,
) -> Transactions:
    """Read rows of items; see `read`. The format follows from `named`, if the file does not have its name yet.

    If they are to be kept `on_disk`, they may be more than fit into memory: see `disk_rows`. `progress` is called with
    the share of the file that was read, and its bytes, where that is known.
    """
    store: Store = RowsBuilder
    if on_disk:
        _refuse_what_needs_memory(options)
        store = DiskRowsBuilder
    if options.sql is not None or options.database is not None:
        return _read_sql(source, options, store)
    if source is None:
        raise ParameterError("name a file to read, or - for standard input", parameter="source")
    one = files_of(source)
    if isinstance(one, FileParts):
        opened, shaped = partial(_opened, store=store), partial(rows_of, store=store)
        return without_identifying(read_parts(one, options, opened, shaped), options)
    with open_bytes(one, encoding=options.encoding) as bytes_, ExitStack() as stack:
        bytes_.progress = progress
        found = _opened(bytes_, options, stack, named, store=store)
        rows = rows_of(found, options, store=store) if isinstance(found, Table) else found
        digest, size = bytes_.digest()
    record = record_of(rows)
    encoding = bytes_.encoding if record.container in ("text", "csv") else None
    rows = rows.with_record(replace(record, sha256=digest, bytes=size, encoding=encoding))
    return without_identifying(rows, options)


def columns_in(source: Source | None, options: ReadOptions) -> tuple[str, ...]:
    """Return the names of a file's columns, whatever the options say about them; none if it has no columns.

    Of several files, the first is opened.
    """
    plain = ReadOptions(
        **cast("ReadKeywords", {name: each for name, each in options.keywords().items() if name in _OF_HEADERS})
    )
    if options.sql is not None:
        with database_table(options.sql, options.database) as table:
            return tuple(table.columns)
    one = files_of(source or "")
    path = one.parts[0].path if isinstance(one, FileParts) else one
    keys = [name for name, _ in one.parts[0].keys] if isinstance(one, FileParts) else []
    with open_bytes(path, encoding=options.encoding) as bytes_, ExitStack() as stack:
        found = _opened(bytes_, plain, stack)
        return (*found.columns, *keys) if isinstance(found, Table) else ()


def _opened(
    source: ByteSource, options: ReadOptions, stack: ExitStack, named: Path | None = None, *, store: Store = RowsBuilder
) -> Transactions | Table:
    """Open a file as a table; as rows if it has no columns."""
    shape, container, by_name = _recognised(source, options, named or source.path)
    if container == "text":
        return _read_text(source, shape or "fimi", options, store)
    if container == "csv":
        return _open_csv(source, options, by_name or ",", store)
    if container == "sheet":
        header, chosen = options.header is not False, None if options.sheet is None else str(options.sheet)
        return stack.enter_context(sheet_table(source, sheet=chosen, header=header, columns=options.names))
    return stack.enter_context(CONTAINERS[container].open(source))


def _read_text(source: ByteSource, shape: Shape, options: ReadOptions, store: Store) -> Transactions:
    options.refuse_others(shape, "text")
    refuse_documents(source)
    if options.format is None and shape == "fimi":
        refuse_doubtful_text(source)
    in_memory = store is RowsBuilder
    if shape == "spmf" and not in_memory:
        raise _needs_memory("a file of SPMF")
    rows = read_spmf(source) if shape == "spmf" else read_fimi(source, None if in_memory else store())
    return rows.with_record(ReadRecord.of(rows, name=source.name, shape=shape, container="text", unit=options.unit))


def _recognised(
    source: ByteSource, options: ReadOptions, path: Path | None
) -> tuple[Shape | None, Container, str | None]:
    """Return the shape, if known, the container, and the delimiter that the name suggests."""
    wanted = options.format
    container, delimiter = container_of(path) if path is not None else (None, None)
    if wanted in ("fimi", "spmf"):
        return wanted, "text", None
    if container == "text" and wanted is None:
        return ("spmf" if looks_like_spmf(source.head) else "fimi"), "text", None
    if container in (None, "text"):
        container = _sniffed(source, wanted)
        if container == "text":
            return ("spmf" if looks_like_spmf(source.head) else "fimi"), "text", None
    if container == "csv" and source.head.startswith(SHEET_MARKS):
        container = "sheet"  # a workbook by another name
    if container == "json" and _looks_like_lines(source.head):
        container = "jsonl"
    text_only, other_only = wanted == "basket", wanted == "lists"
    if (text_only and container != "csv") or (other_only and container in _WITH_HEADER):
        raise ParameterError(
            f"{param('format', wanted)} does not go with {source.name}, which is {container}", parameter="format"
        )
    return wanted, container, delimiter


def _sniffed(source: ByteSource, wanted: Shape | None) -> Container:
    """Guess the container from the first bytes, if the name does not say it."""
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if source.head.startswith(_PARQUET):
        return "parquet"
    if source.head.startswith(SHEET_MARKS):
        return "sheet"
    if wanted == "lists" or (wanted != "basket" and _JSON.match(head)):
        return "json"
    if wanted is not None:
        return "csv"
    if not head and not source.head:
        raise DataError(f"{source.name} holds no rows; save or export it again")
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


def _open_csv(source: ByteSource, options: ReadOptions, usual: str, store: Store) -> Transactions | Table:
    refuse_documents(source)
    if options.format is None and source.head.lstrip().startswith(b"#"):
        refuse_pattern_columns(_columns_below_remarks(source.head), source.name)
        refuse_comments(source, "basket")
    refuse_separator_line(source)
    delimiter = options.delimiter or sniff_delimiter(source, usual, table=options.format != "basket")
    text = csv_text(source, delimiter=delimiter)
    if options.format is None and text.is_ragged:
        refuse_odd_lines(text, sniffed=options.delimiter is None and delimiter != usual)
    if options.format != "basket" and options.header is None:
        refuse_ruled_lines(text)
    about_text = {"delimiter", "encoding", "unit"} | (set() if options.header else {"header"})
    ragged = options.format is None and text.is_ragged and not options.keywords().keys() - about_text
    if ragged:
        refuse_ragged_tables(text)
    if ragged or options.format == "basket":
        options.refuse_others("basket", "csv")
        rows = read_basket(text.blocks, delimiter=delimiter, name=source.name, rows=store())
        about = {"shape": "basket", "container": "csv", "separator": delimiter, "header": False}
        return rows.with_record(ReadRecord.of(rows, name=source.name, unit=options.unit, **about))
    advice = f", or give {param('format', 'basket')} if lines may differ in length"
    return text.table(header=options.header is not False, columns=options.names, advice=advice)


def _columns_below_remarks(head: bytes) -> list[str]:
    lines = head.decode("utf-8-sig", errors="replace").splitlines()
    return next((re.split(r"[,;\t]", line) for line in lines if line.strip() and not line.startswith("#")), [])


def _read_sql(source: object, options: ReadOptions, store: Store) -> Transactions:
    sql, database = options.sql, options.database
    if source is not None:
        raise ParameterError(f"name either a file or {param('sql')}, not both", parameter="sql")
    if sql is None:
        raise ParameterError(f"{param('database')} needs {param('sql')}, the SELECT to run there", parameter="sql")
    with database_table(sql, database) as table:
        rows = rows_of(table, options, store=store)
    rows = rows.with_record(replace(record_of(rows), name="a query", container="sql"))
    return without_identifying(rows, options)


def rows_of(table: Table, options: ReadOptions, *, store: Store = RowsBuilder) -> Transactions:
    """Turn a table into rows, in the requested shape or the one that its columns suggest."""
    if options.format is None:
        refuse_pattern_columns(table.columns, table.name)
    shape = options.format or _shape_of(table, options)
    if shape in ("fimi", "spmf", "basket"):
        raise ParameterError(
            f"{param('format', shape)} does not go with {table.name}, which has columns", parameter="format"
        )
    options.refuse_others(shape, table.container)
    for name in ("id_column", "item_column"):
        if getattr(options, name) in named_columns(options.rules.identifying, table.columns):
            raise two_roles(getattr(options, name), name)
    rows = _in_shape(table, shape, options, store)
    notes: tuple[str, ...] = ()
    if table.container in _WITH_HEADER and options.header is None:
        if shape == "onehot":
            refuse_truth_as_header(table.columns, table.name)
        elif shape == "long":
            refuse_pair_as_header(**_long_columns(table, options), rows=rows, name=table.name)
    if shape == "table":
        _refuse_doubtful_table(table, rows, options)
        kept = _columns(table, shape, options)
        notes = column_notes(column_profiles(rows, () if kept is None else kept.kept))
    if shape != "long":
        rows = _one_row_each(table, rows, options)
    as_csv = table.container == "csv"
    by_header = table.container in _WITH_HEADER
    record = ReadRecord.of(
        rows,
        name=table.name,
        container=table.container,
        separator=table.delimiter if as_csv else None,
        header=table.header if by_header else None,
        shape=shape,
        columns=_columns(table, shape, options),
        persons=rows.n if options.person_column is not None else None,
        unit=options.unit,
        identifying=tuple(name for name in options.rules.identifying if named_columns([name], table.columns)),
        notes=notes,
    )
    return rows.with_record(record)


def _in_shape(table: Table, shape: Shape, options: ReadOptions, store: Store) -> Transactions:
    if options.person_column is not None:
        table.index_of(options.person_column, "person_column")
    id_column = options.person_column or options.id_column
    if shape == "long":
        if store is not RowsBuilder:
            raise _needs_memory("a long table, whose lines of one row may stand anywhere,")
        return read_long(table, **_long_columns(table, options))
    if shape == "lists":
        return read_lists(table, id_column=id_column, item_column=options.item_column, rows=store())
    if shape == "onehot":
        if options.header is False and not options.names:
            raise ParameterError(
                f"{param('format', 'onehot')} needs a header of labels, or {param('columns')}", parameter="columns"
            )
        return read_onehot(table, options.rules, id_column=id_column, rows=store())
    return read_table(table, options.rules, id_column=id_column, rows=store())


def _refuse_what_needs_memory(options: ReadOptions) -> None:
    """Refuse options for which all ids must be compared with each other."""
    for name in ("id_column", "person_column"):
        if getattr(options, name) is not None:
            raise _needs_memory(param(name), name)


def _needs_memory(what: str, parameter: str = "engine") -> ParameterError:
    advice = "read the rows into memory, where all of them must fit, or use Spark"
    return ParameterError(f"{what} cannot be read with {param('engine', 'disk')}; {advice}", parameter=parameter)


def _refuse_doubtful_table(table: Table, rows: Transactions, options: ReadOptions) -> None:
    """Refuse a table that looks like something else, unless the options say that it is one."""
    columns = table.columns if rows.layout is None else rows.layout.columns
    if table.container in _WITH_HEADER and options.header is None:
        refuse_row_as_header(columns, rows, table.name)
        refuse_unnamed_columns(table, rows)
    if options.format is None and options.delimiter is None and table.container == "csv":
        refuse_single_columns(table, rows)
    if options.format is None and not (options.id_column or options.person_column):
        if are_on_disk(rows) and len(columns) <= WIDEST_LONG_TABLE:
            raise ParameterError(
                f"{table.name} has so few columns that it could be a long table; give {param('format', 'table')} if "
                "each line is a row",
                parameter="format",
            )
        refuse_long_tables(columns, rows, table.name)


def _one_row_each(table: Table, rows: Transactions, options: ReadOptions) -> Transactions:
    """Return one row for each person, or for each id that may not repeat."""
    if options.person_column is not None:
        return merged_by_id(rows)
    if options.id_column is not None and (twice := repeated_id(rows)):
        raise DataError(
            f"rows {twice[0] + 1:,} and {twice[1] + 1:,} of {table.name} have the same id; if it names a person, give "
            f"{param('person_column')} instead of {param('id_column')}, and each person becomes one row"
        )
    return rows


def _columns(table: Table, shape: Shape, options: ReadOptions) -> ReadColumns | None:
    """Return what became of a table's columns."""
    if shape not in ("table", "onehot"):
        return None
    others = left_out(table, options.rules)
    ids = {options.id_column, options.person_column}
    return ReadColumns(
        kept=tuple(name for at, name in enumerate(table.columns) if at not in others and name not in ids),
        dropped=tuple(name for at, name in enumerate(table.columns) if at in others and name not in ids),
        binned=tuple(options.rules.bins),
    )


def _shape_of(table: Table, options: ReadOptions) -> Shape:
    """Guess the shape from the options and the first rows."""
    lists = {table.columns[place] for place in table.list_columns}
    if (options.id_column or options.person_column) and options.item_column:
        return "lists" if options.item_column in lists else "long"
    if options.bins or options.map or options.missing or options.header is False:
        return "table"
    gone = {*begun_columns(options.rules.drop, table.columns), *named_columns(options.rules.identifying, table.columns)}
    if lists - gone:
        return "lists"
    first = next(table.batches, None)
    if first is None:
        return "table"
    table.batches = chain([first], table.batches)
    others = left_out(table, options.rules)
    ids = (options.id_column, options.person_column)
    places = [at for at, column in enumerate(table.columns) if column not in ids and at not in others]
    return "onehot" if is_onehot(first, places) else "table"


def _long_columns(table: Table, options: ReadOptions) -> dict[str, str]:
    """Return the two columns of a long table; where there are just two, they need not be named."""
    id_column = options.person_column or options.id_column
    if id_column and options.item_column:
        return {"id_column": id_column, "item_column": options.item_column}
    if len(table.columns) == 2 and not id_column and not options.item_column:  # noqa: PLR2004 - an id, an item
        return dict(zip(("id_column", "item_column"), table.columns, strict=True))
    missing = "id_column" if not id_column else "item_column"
    raise ParameterError(f"{param('format', 'long')} needs {param(missing)}", parameter=missing)
