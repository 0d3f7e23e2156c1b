"""Read queries of SQLite and PostgreSQL through their ADBC drivers, as tables of Arrow batches.

Only this module uses the drivers. A query only reads, for three reasons: it becomes a subquery, which neither database
accepts from a statement that writes; it is a single statement; and the database is opened for reading (SQLite: mode=ro
and query_only; PostgreSQL: a read-only transaction). Functions of PostgreSQL that write files or open other connections
are refused by name. Rows come in batches, as the database delivers them. Error messages of a database can quote cells
and addresses, so none is passed on.
"""

from __future__ import annotations

import re
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from discreet.errors import DataError, DiscreetError, EngineError, InputError, ParameterError, param
from discreet.tables.table import named_columns, table_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from discreet.tables.table import Table

__all__ = ["postgresql_table", "sqlite_table"]

_BATCH = 1 << 16
_SECONDS_TO_CONNECT = 20
_SELECTS = re.compile(r"(?:\s|\(|--[^\n]*(?:\n|$)|/\*.*?\*/)*(?:select|with|values|table)\b", re.IGNORECASE | re.DOTALL)
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\]|--[^\n]*|/\*.*?\*/", re.DOTALL)
_WRITES = re.compile(
    r'\b"?(?:lo_\w+|dblink\w*|pg_file_\w+|pg_terminate_backend|pg_cancel_backend|pg_reload_conf|pg_rotate_logfile'
    r'|pg_promote|pg_switch_wal|pg_create_\w+|pg_drop_\w+|pg_stat_reset\w*|load_extension)"?\s*\(',
    re.IGNORECASE,
)
_PLAIN = {
    *("bool", "int2", "int4", "int8", "float4", "float8", "numeric", "date", "timestamp", "timestamptz", "time"),
    *("text", "varchar", "bpchar", "char", "name"),
}
"""The types of PostgreSQL that arrive as the values they stand for; the others are asked for as text."""

_ONLY_READS = {"0A000", "25006"}
_UNKNOWN_NAMES = {"42P01", "42703", "42883", "3F000"}


@contextmanager
def sqlite_table(sql: str, path: Path, name: str) -> Iterator[Table]:
    """Read the result of a SELECT from a SQLite file.

    Cells of one column may have different types in SQLite, which a column of Arrow cannot have. So cells come as texts:
    whole numbers without a point, bytes as hexadecimal digits, and an empty text for a missing cell.
    """
    query = _subquery(sql)
    if ";" in _QUOTED.sub("", query):  # the driver runs the first statement, and says nothing of the others
        raise _not_a_select()

    def fault() -> DataError:
        return DataError(f"the rows that {param('sql')} selects cannot be read; try the query in SQLite itself")

    driver = _driver("sqlite")
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        connection = driver.connect(address, autocommit=True)
    except driver.Error:
        raise DataError(f"{path} is not a SQLite database, or is being written to") from None
    with closing(connection), closing(connection.cursor()) as cursor:
        with _in_our_words(driver, fault):
            cursor.execute("PRAGMA query_only = ON")
            cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_BATCH)})
            found = _schema(cursor, query).names
            names = named_columns(found, name)
            cells = ", ".join(f"{_sqlite_text(column)} AS c{at}" for at, column in enumerate(found, 1))
            cursor.execute(f"SELECT {cells} FROM {query}")  # noqa: S608 - a subquery
            table = table_of(_checked(cursor.fetch_record_batch()), name, "parquet", fault)
            table.columns = names
        yield table


def _sqlite_text(column: str) -> str:
    cell = _quoted(column)
    whole = f"printf('%d', {cell})"
    return (
        f"CASE typeof({cell}) WHEN 'null' THEN '' WHEN 'blob' THEN hex({cell}) "
        f"WHEN 'real' THEN iif({cell} = CAST({cell} AS INTEGER) AND abs({cell}) < 1e15, {whole}, CAST({cell} AS TEXT)) "
        f"ELSE CAST({cell} AS TEXT) END"
    )


@contextmanager
def postgresql_table(sql: str, address: str, name: str) -> Iterator[Table]:
    """Read the result of a SELECT from PostgreSQL, in one read-only transaction."""
    query = _subquery(sql)
    driver = _driver("postgresql")
    try:
        connection = driver.connect(_with_timeout(address))
    except driver.Error:
        raise DataError(
            f"the PostgreSQL database of {param('database')} cannot be opened; check the address, the name of the user "
            "and the password (PGPASSWORD, or a file .pgpass)"
        ) from None

    def fault() -> DiscreetError:
        if _is_alive(connection):
            return DataError(
                f"the rows that {param('sql')} selects cannot be read; try the query in PostgreSQL itself, with psql"
            )
        return EngineError("the connection to the PostgreSQL database was lost while its rows were read; start again")

    try:
        with closing(connection.cursor()) as cursor:
            with _in_our_words(driver, fault):
                cursor.execute("SET TRANSACTION READ ONLY")
                cursor.execute("SET client_encoding TO 'UTF8'")
                columns = [_postgresql_cell(field) for field in _schema(cursor, query)]
                cursor.execute(f"SELECT {', '.join(columns)} FROM {query}")  # noqa: S608 - a subquery
                table = table_of(cursor.fetch_record_batch(), name, "parquet", fault)
            yield table
    finally:
        _close(connection)


def _postgresql_cell(field: pa.Field) -> str:
    """Return a column of the query; as text if Arrow would have something else than its value."""
    import pyarrow as pa

    cell = _quoted(field.name)
    if pa.types.is_list(field.type):
        inside = field.type.value_type
        tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_string)
        return cell if any(test(inside) for test in tests) else f"{cell}::text[] AS {cell}"
    kind = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode()
    return cell if kind in _PLAIN else f"{cell}::text AS {cell}"


def _subquery(sql: str) -> str:
    """Return a query in parentheses; refuse what does not read."""
    plain = sql.strip().rstrip(";")
    if not _SELECTS.match(plain):
        raise _not_a_select()
    if found := _WRITES.search(plain):
        raise ParameterError(
            f"{param('sql')} calls {found[0].strip('( ')}, which does more than read; leave it out", parameter="sql"
        )
    return f"(\n{plain}\n) AS selected"


def _not_a_select() -> ParameterError:
    return ParameterError(f"{param('sql')} must be a single SELECT; it only reads", parameter="sql")


def _schema(cursor: Any, query: str) -> pa.Schema:
    """Return the columns of a query, which is not run for it."""
    cursor.execute(f"SELECT * FROM {query} LIMIT 0")  # noqa: S608 - a subquery
    schema: pa.Schema = cursor.fetch_record_batch().schema
    named_columns(schema.names, f"the result of {param('sql')}")
    return schema


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _checked(reader: pa.RecordBatchReader) -> pa.RecordBatchReader:
    """Check that texts are UTF-8, which SQLite does not."""
    import pyarrow as pa

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in reader:
            batch.validate(full=True)
            yield batch

    return pa.RecordBatchReader.from_batches(reader.schema, batches())


def _driver(kind: str) -> Any:  # a module of the database API
    """Return the driver of a database."""
    try:
        if kind == "sqlite":
            import adbc_driver_sqlite.dbapi

            return adbc_driver_sqlite.dbapi
        import adbc_driver_postgresql.dbapi
    except ImportError:
        raise InputError(
            f"the driver for this {param('database')} is not installed: pip install 'discreet[databases]'"
        ) from None
    return adbc_driver_postgresql.dbapi


@contextmanager
def _in_our_words(driver: Any, fault: Callable[[], DiscreetError]) -> Iterator[None]:
    """Replace an error of a database by one that quotes no data and no address."""
    try:
        yield
    except DiscreetError:
        raise
    except driver.Error as error:
        state, words = getattr(error, "sqlstate", None) or "", str(error).partition("\nquery")[0].lower()
        if state in _ONLY_READS or "multiple commands" in words:
            raise _not_a_select() from None
        if state in _UNKNOWN_NAMES or "no such " in words:
            raise ParameterError(
                f"{param('sql')} names a table, column or function that the database does not have", parameter="sql"
            ) from None
        if state == "42501":
            raise DataError(f"{param('sql')} names what this user of the database may not read") from None
        if state.startswith("42") or "syntax error" in words or "incomplete input" in words:
            raise ParameterError(f"{param('sql')} is not valid SQL; check its spelling", parameter="sql") from None
        raise fault() from None
    except Exception:  # noqa: BLE001 - a message from outside may quote someone's data, whatever its class
        raise fault() from None


def _is_alive(connection: Any) -> bool:
    """Return whether a connection still answers, even if only to refuse."""
    try:
        connection.rollback()
        with closing(connection.cursor()) as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchall()
    except Exception:  # noqa: BLE001 - it does not
        return False
    return True


def _close(connection: Any) -> None:
    with suppress(Exception):  # a lost connection cannot be closed, and was reported already
        connection.close()


def _with_timeout(address: str) -> str:
    if "connect_timeout" in address:
        return address
    return f"{address}{'&' if '?' in address else '?'}connect_timeout={_SECONDS_TO_CONNECT}"
