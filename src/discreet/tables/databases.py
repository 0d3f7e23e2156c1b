"""The databases that queries run in: files by their names, DuckDB, SQLite and PostgreSQL.

Nothing that is said about a database contains its password: `without_password` of `discreet.command_words`.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, ParameterError, param
from discreet.tables.adbc import postgresql_table, sqlite_table
from discreet.tables.duckdb import sql_table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from discreet.tables.table import Table

__all__ = ["database_table"]

_SQLITE = b"SQLite format 3\0"
_POSTGRESQL = ("postgres://", "postgresql://")
_NO_FILE = re.compile(r"://|\b(?:password|host|dbname|user)\s*=", re.IGNORECASE)


@contextmanager
def database_table(sql: str, database: str | os.PathLike[str] | None) -> Iterator[Table]:
    """Read the result of a SELECT; without a database, from files that the query names."""
    name = f"the result of {param('sql')}"
    address = ":memory:" if database is None else str(database)
    if address.startswith(_POSTGRESQL):
        opened = postgresql_table(sql, address, name)
    elif _NO_FILE.search(address):
        raise ParameterError(
            f"{param('database')} must be a DuckDB or SQLite file, or a postgresql:// address", parameter="database"
        )
    elif address != ":memory:" and _is_sqlite(address):
        opened = sqlite_table(sql, Path(address), name)
    else:
        opened = sql_table(sql, address)
    with opened as table:
        yield table


def _is_sqlite(database: str) -> bool:
    try:
        with Path(database).open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the name is not usable"
        raise DataError(f"cannot open the database {database}: {reason}") from None
