"""SQL: what a SELECT gives, read only, without a word of DuckDB's own about the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from discreet.errors import DataError, ParameterError
from discreet.transactions.reading import read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE visits AS SELECT * FROM (VALUES (7, 'flu'), (7, 'cold'), (9, 'flu')) t(who, what)"
        )
        connection.execute("CREATE TABLE people AS SELECT * FROM (VALUES ('m', 30), ('f', NULL)) t(sex, age)")
        connection.execute("CREATE TABLE baskets AS SELECT * FROM (VALUES (['a', 'b']), ([])) t(items)")
    return path


def test_every_shape_with_columns(database: Path) -> None:
    rows = read(sql="SELECT * FROM visits", database=database, id_column="who", item_column="what")
    assert (rows.ids, list(rows)) == (["7", "9"], [{"flu", "cold"}, {"flu"}])
    assert list(read(sql="SELECT * FROM people", database=str(database))) == [{"sex=m", "age=30"}, {"sex=f"}]
    assert list(read(sql="SELECT * FROM people", database=database, bins="age=20,40", missing="drop-row")) == [
        {"sex=m", "age=(20,40]"}
    ]
    assert list(read(sql="SELECT * FROM baskets", database=database)) == [{"a", "b"}, set()]
    assert list(read(sql="SELECT sex = 'm' AS m FROM people", database=database)) == [{"m"}, set()]


def test_files_named_in_the_query(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,b\nx,y\n")
    sql = f"SELECT a FROM '{tmp_path / 'rows.csv'}'"  # noqa: S608
    assert list(read(sql=sql)) == list(read(sql=sql, database=":memory:")) == [{"a=x"}]


def test_a_view_in_a_database_reads_no_other_file(database: Path, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("a\nx\n")
    with duckdb.connect(database) as connection:
        other = f"read_csv('{tmp_path / 'other.csv'}')"
        connection.execute(f"CREATE VIEW elsewhere AS FROM {other}")
    with pytest.raises(DataError, match="the rows that sql selects cannot be read"):
        read(sql="SELECT * FROM elsewhere", database=database)


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM visits", "SELECT 1; SELECT 2", "", "CREATE TABLE x AS SELECT 1", "COPY visits TO 'x.csv'", "SELEC 1"],
)
def test_only_a_select_is_run(database: Path, sql: str) -> None:
    before = database.read_bytes()
    with pytest.raises(ParameterError, match="sql"):
        read(sql=sql, database=database)
    assert database.read_bytes() == before


def test_a_table_that_is_not_there(database: Path) -> None:
    nothing = duckdb.sql("SELECT 1 AS x")  # a Python variable is no table
    assert nothing is not None
    with pytest.raises(ParameterError, match="names a table, column or function"):
        read(sql="SELECT * FROM nothing", database=database)


def test_an_error_while_reading_quotes_nobody(database: Path) -> None:
    with pytest.raises(DataError) as caught:
        read(sql="SELECT CAST(what AS INTEGER) AS number FROM visits", database=database)
    assert "flu" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_no_rows(database: Path) -> None:
    with pytest.raises(DataError, match="holds no rows"):
        read(sql="SELECT * FROM people WHERE false", database=database)


def test_a_database_needs_a_query() -> None:
    with pytest.raises(ParameterError, match="database needs sql"):
        read(database="x.duckdb")


def test_a_file_or_sql_but_not_both(database: Path) -> None:
    with pytest.raises(ParameterError, match="not both"):
        read("rows.csv", sql="SELECT 1", database=database)


@pytest.mark.parametrize("options", [{"delimiter": ";"}, {"header": False}, {"format": "basket"}, {"format": "fimi"}])
def test_options_of_text_files_are_refused(database: Path, options: dict) -> None:
    with pytest.raises(ParameterError):
        read(sql="SELECT * FROM people", database=database, **options)


def test_databases_that_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "junk").write_bytes(b"junk" * 5000)
    for name, sentence in (("missing.duckdb", "cannot open"), ("junk", "not a DuckDB"), (".", "cannot open")):
        with pytest.raises(DataError, match=sentence):
            read(sql="SELECT 1", database=tmp_path / name)
    for address in ("mysql://ana:secret@localhost/x", "host=localhost password=secret"):
        with pytest.raises(ParameterError, match=r"^database must be") as caught:
            read(sql="SELECT 1", database=address)
        assert "secret" not in str(caught.value)
