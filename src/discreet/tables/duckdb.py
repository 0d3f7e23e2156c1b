"""Read Parquet, JSON and SQL through DuckDB, as tables of Arrow batches. Only this module uses DuckDB.

DuckDB runs in memory. It neither installs nor loads extensions by itself, so nothing is fetched from the network, and
while it reads a file it may access only that file. Its error messages can quote cells, so none is passed on.

CSV is not read this way. DuckDB 2.0 accepts a gzip file with a wrong checksum and a NUL in text, cannot read lines of
differing length or standard input, and is slower than `csv` (160 against 250 MB/s).
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

from discreet.errors import DataError, InputError, ParameterError, param
from discreet.tables.ceilings import memory_ceiling
from discreet.tables.table import Table, named_columns, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import duckdb

    from discreet.tables.byte_source import ByteSource
    from discreet.tables.containers import Container

__all__ = ["json_table", "parquet_table", "sql_table"]

_CLOSED: dict[str, str | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "temp_directory": "",
    "python_enable_replacements": False,  # a table's name never refers to a Python variable
}
_SMALL_ENOUGH_TO_READ_TWICE = 1 << 26
_TAIL = 1 << 16
_PARQUET = b"PAR1"


@contextmanager
def parquet_table(source: ByteSource) -> Iterator[Table]:
    """Read a Parquet file; its metadata become the remarks."""

    def fault() -> DataError:
        return DataError(f"{source.name} is not a whole Parquet file; copy or write it again")

    with source.plain_file() as path, _connection(_marked(path, fault)) as connection:
        query = "SELECT * FROM read_parquet(?, hive_partitioning = false, binary_as_string = true)"
        with _in_our_words(fault):
            metadata = connection.execute("SELECT key, value FROM parquet_kv_metadata(?)", [_literal(path)]).fetchall()
            table = _table(connection, query, [_literal(path)], source.name, "parquet", fault)
        table.remarks = {
            key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
            for key, value in metadata
            if not key.startswith(b"ARROW:")
        }
        yield table


def _marked(path: Path, fault: Callable[[], DataError]) -> Path:
    """Return the path of a file with Parquet's marks at both ends: for any other, DuckDB need not be started."""
    with path.open("rb") as file:
        begins = file.read(len(_PARQUET))
        file.seek(max(0, path.stat().st_size - len(_PARQUET)))
        if begins != _PARQUET or file.read() != _PARQUET:
            raise fault()
    return path


@contextmanager
def json_table(source: ByteSource, *, lines: bool) -> Iterator[Table]:
    """Read a JSON array of arrays or objects, or one of them per line."""
    with source.plain_file() as path, _connection(path) as connection:

        def fault() -> DataError:
            line = _faulty_line(path, lines=lines)
            where = "" if line is None else f": line {line:,} is at fault"
            wanted = "one JSON value per line" if lines else "a JSON array"
            return DataError(f"{source.name} is not {wanted}{where}", line=line)

        if not lines and not _is_closed(path):
            raise fault()
        with _in_our_words(fault):
            table = _json_columns(connection, path, source.name, fault, lines=lines)
        yield table


@contextmanager
def sql_table(sql: str, database: str) -> Iterator[Table]:
    """Read the result of a SELECT from a DuckDB file, or (`:memory:`) from files that it names."""
    import duckdb

    with _attached(database) as connection:
        try:
            statements = connection.extract_statements(sql)
        except duckdb.Error:
            raise ParameterError(f"{param('sql')} is not valid SQL; check its spelling", parameter="sql") from None
        if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
            raise ParameterError(f"{param('sql')} must be a single SELECT; it only reads", parameter="sql")

        def fault() -> DataError:
            return DataError(f"the rows that {param('sql')} selects cannot be read; try the query in DuckDB itself")

        with _in_our_words(fault):
            try:
                table = _table(connection, sql, [], f"the result of {param('sql')}", "parquet", fault)
            except (duckdb.CatalogException, duckdb.BinderException):
                raise ParameterError(
                    f"{param('sql')} names a table, column or function that the database does not have", parameter="sql"
                ) from None
        yield table


def _table(  # noqa: PLR0917 - three questions, asked of all three
    connection: duckdb.DuckDBPyConnection,
    query: str,
    values: list[str],
    name: str,
    container: Container,
    fault: Callable[[], DataError],
) -> Table:
    relation = connection.sql(query, params=values) if values else connection.sql(query)
    # named to_arrow_reader since DuckDB 1.4
    reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return table_of(reader(1 << 16), name, container, fault)


@contextmanager
def _connection(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open DuckDB with access to one file and nothing else outside its memory."""
    import duckdb

    allowed = ", ".join("'" + text.replace("'", "''") + "'" for text in {str(path.absolute()), _literal(path)})
    with duckdb.connect(":memory:", config=dict(_CLOSED)) as connection:
        connection.execute(f"SET allowed_paths = [{allowed}]")
        connection.execute(f"SET memory_limit = '{memory_ceiling()}B'")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
        yield connection


@contextmanager
def _in_our_words(fault: Callable[[], DataError]) -> Iterator[None]:
    """Replace any DuckDB exception by an error that quotes no data."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - a damaged file has made DuckDB's binding raise RuntimeError, too
        if type(error).__name__ == "OutOfMemoryException":
            raise MemoryError from None
        raise fault() from None


def _literal(path: Path) -> str:
    """Return a path with DuckDB's wildcards escaped."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in str(path.absolute()))


def _json_columns(
    connection: duckdb.DuckDBPyConnection, path: Path, name: str, fault: Callable[[], DataError], *, lines: bool
) -> Table:
    """Read cells as JSON texts rather than with guessed types: "007" stays 007, and so does a long number."""
    rows = f"read_json_objects(?, format = '{'newline_delimited' if lines else 'array'}', compression = 'none')"
    values = [_literal(path)]
    nested = "list_has_any(json_type({0}, '$[*]'), ['ARRAY', 'OBJECT'])"
    twice = "len(json_keys(json)) > len(list_distinct(json_keys(json)))"
    query = f"SELECT json_type(json), bool_or({nested.format('json')}), bool_or({twice}) FROM {rows} GROUP BY 1"  # noqa: S608
    kinds = connection.execute(query, values).fetchall()
    if not kinds:
        raise DataError(f"{name} holds no rows")
    if any(repeated for _, _, repeated in kinds):
        query = f"SELECT min(row) FROM (SELECT row_number() OVER () AS row, json FROM {rows}) WHERE {twice}"  # noqa: S608
        row = connection.execute(query, values).fetchall()[0][0]
        raise DataError(f"row {row:,} of {name} has two cells of the same name; rename or remove one")
    if [kind[:2] for kind in kinds] == [("ARRAY", False)]:
        query = f"SELECT json ->> '$[*]' AS items FROM {rows}"  # noqa: S608
        table = _table(connection, query, values, name, "jsonl" if lines else "json", fault)
        table.columns = ("",)
        return table
    if [kind for kind, _, _ in kinds] != ["OBJECT"]:
        raise DataError(f"{name} must hold lists of labels, or objects with the same keys, and nothing else")
    pointer = "'/' || replace(replace(key, '~', '~0'), '/', '~1')"
    cell = f"json_extract(json, {pointer})"
    found = connection.execute(
        f"""SELECT key, bool_or(kind = 'ARRAY'), bool_or(kind NOT IN ('ARRAY', 'NULL')),
                   bool_or(kind = 'OBJECT' OR (kind = 'ARRAY' AND {nested.format("cell")}))
            FROM (SELECT key, {cell} AS cell, json_type({cell}) AS kind
                  FROM (SELECT json, unnest(list_distinct(json_keys(json))) AS key FROM {rows}))
            GROUP BY key""",  # noqa: S608
        values,
    ).fetchall()
    first = connection.execute(f"SELECT json_keys(json) FROM {rows} LIMIT 1", values).fetchall()[0][0]  # noqa: S608
    order = {key: place for place, key in reversed(list(enumerate(first)))}
    keys, columns = [], []
    for key, lists, plain, deep in sorted(found, key=lambda row: (order.get(row[0], len(order)), row[0])):
        pointer = "'/" + key.replace("~", "~0").replace("/", "~1").replace("'", "''") + "'"
        if deep or (lists and plain):
            value = f"[[json ->> {pointer}]]"  # a type that is refused where the column is used
        elif lists:
            value = f"(json -> {pointer}) ->> '$[*]'"
        else:
            value = f"json ->> {pointer}"
        keys.append(key)
        columns.append(f"{value} AS c{len(keys)}")
    if not columns:
        raise DataError(f"{name} holds only empty objects")
    query = f"SELECT {', '.join(columns)} FROM {rows}"  # noqa: S608
    table = _table(connection, query, values, name, "jsonl" if lines else "json", fault)
    table.columns = named_columns(keys, name)
    return table


def _is_closed(path: Path) -> bool:
    """Return whether a file ends in a bracket, if anything is in it: DuckDB accepts an array cut off behind a comma."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        end = file.read().rstrip()
    return not end or end.endswith(b"]")


def _faulty_line(path: Path, *, lines: bool) -> int | None:
    """Find the line that is not JSON with Python's parser (DuckDB's line count is off by one or by blank lines)."""
    if path.stat().st_size > _SMALL_ENOUGH_TO_READ_TWICE:
        return None
    try:
        if not lines:
            json.loads(path.read_bytes())
            return None
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    if line.strip():
                        json.loads(line)
                except ValueError:
                    return number
    except json.JSONDecodeError as error:
        return error.lineno
    except (ValueError, RecursionError, OSError):
        pass
    return None


@contextmanager
def _attached(database: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a database for reading only."""
    import duckdb

    if database == ":memory:":
        with duckdb.connect(":memory:", config=dict(_CLOSED)) as connection:
            yield connection
        return
    try:
        connection = duckdb.connect(database, read_only=True, config=dict(_CLOSED))
    except (duckdb.Error, OSError):
        raise DataError(f"{database} is not a DuckDB or SQLite database, or is being written to") from None
    with connection:
        connection.execute("SET enable_external_access = false")  # a view must not read other files
        connection.execute("SET lock_configuration = true")
        yield connection
