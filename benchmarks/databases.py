"""A million rows from SQLite and PostgreSQL, against the driver's own read into Arrow plus ours of the same Parquet.

What we promise is no more than 1.5 times that: a ratio of at least 0.67.
"""

from __future__ import annotations

import atexit
import sqlite3
import tempfile
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from benchmarks.cases import Case
from discreet.transactions.reading import read
from tests.postgresql_server import PROGRAMS, postgresql_server

if TYPE_CHECKING:
    from collections.abc import Callable

    Jobs = tuple[Callable[[], object], Callable[[], object]]

__all__ = ["cases"]

ROWS = 1_000_000
COLUMNS = """i % 90 AS age, 'area ' || CAST(i % 40 AS TEXT) AS area, CASE WHEN i % 2 = 0 THEN 'f' ELSE 'm' END AS sex,
    i * 7 % 1000 AS diagnosis, CASE WHEN i % 9 = 0 THEN NULL ELSE 'ward ' || CAST(i % 12 AS TEXT) END AS ward,
    i % 30 / 10.0 AS days"""
LEAST = 0.67


def cases(*, small: bool) -> list[Case]:
    """Return every case; that of PostgreSQL where it is installed."""
    rows = 1000 if small else ROWS
    peer = "the driver into Arrow, and ours from Parquet"
    made = [Case(f"read {rows:,} rows from SQLite", partial(_sqlite, rows), peer=peer, least=LEAST, repeats=3)]
    if PROGRAMS:
        made.append(
            Case(f"read {rows:,} rows from PostgreSQL", partial(_postgresql, rows), peer=peer, least=LEAST, repeats=3)
        )
    return made


def _sqlite(rows: int) -> Jobs:
    import adbc_driver_sqlite.dbapi as driver

    path = _folder() / "people.sqlite"
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {rows - 1})"  # noqa: S608
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE people AS {numbers} SELECT {COLUMNS} FROM n")  # noqa: S608
    return _jobs(rows, str(path), lambda: driver.connect(f"file:{path}?mode=ro"))


def _postgresql(rows: int) -> Jobs:
    import adbc_driver_postgresql.dbapi as driver

    stack = ExitStack()
    atexit.register(stack.close)
    server = stack.enter_context(postgresql_server())
    server.execute(f"CREATE TABLE people AS SELECT {COLUMNS} FROM generate_series(0, {rows - 1}) AS n(i)")  # noqa: S608
    return _jobs(rows, server.address, lambda: driver.connect(server.address))


def _jobs(rows: int, database: str, connect: Callable[[], object]) -> Jobs:
    parquet = _folder() / "people.parquet"
    duckdb.sql(f"COPY (SELECT {COLUMNS} FROM range({rows}) AS n(i)) TO '{parquet}' (FORMAT parquet)")  # noqa: S608
    query = "SELECT * FROM people"

    def driver_and_parquet() -> object:
        with connect() as connection, connection.cursor() as cursor:  # type: ignore[attr-defined]
            cursor.execute(query)
            table = cursor.fetch_arrow_table()
        return table, read(parquet, format="table")

    return partial(read, sql=query, database=database, format="table"), driver_and_parquet


def _folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="discreet-bench-")
    atexit.register(folder.cleanup)
    return Path(folder.name)
