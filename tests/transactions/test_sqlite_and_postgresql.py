"""SQLite and PostgreSQL: what a SELECT gives, read only, in batches, without a word about data or passwords."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from discreet.command_words import without_password
from discreet.errors import DataError, EngineError, InputError, ParameterError
from discreet.tables.databases import database_table
from discreet.transactions.options import ReadOptions
from discreet.transactions.reading import read
from tests.patience import PATIENCE, wait_until
from tests.postgresql_server import PASSWORD, postgresql_server

if TYPE_CHECKING:
    from pathlib import Path

    from tests.postgresql_server import Server

pytestmark = pytest.mark.xdist_group("postgresql")
WIDE = "SELECT i, repeat('x', 1000) AS x FROM generate_series(1, 150000) i"
ACTIVE = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'COPY%pg_sleep%' AND state = 'active'"
TABLES = (
    "CREATE TABLE visits (who INTEGER, what TEXT)",
    "INSERT INTO visits VALUES (7, 'flu'), (7, 'cold'), (9, 'flu')",
    "CREATE TABLE people (sex TEXT, age INTEGER, size FLOAT)",
    "INSERT INTO people VALUES ('m', 30, 2.0), ('f', NULL, 1.5)",
)


@pytest.fixture(scope="module")
def server(postgresql: Server) -> Server:
    postgresql.execute(*TABLES)
    postgresql.execute(
        "CREATE ROLE ana LOGIN PASSWORD 's3cret-of-ana'",
        "CREATE TABLE many AS SELECT i AS who, 'x' || i % 10 AS what FROM generate_series(1, 300000) i",
    )
    return postgresql


@pytest.fixture
def sqlite(tmp_path: Path) -> Path:
    path = tmp_path / "a ?#%20clinic.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in TABLES:
            connection.execute(statement)
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Path | str:
    if request.param == "sqlite":
        return request.getfixturevalue("sqlite")
    return request.getfixturevalue("server").address


def test_every_shape_with_columns(database: Path | str) -> None:
    rows = read(sql="SELECT * FROM visits", database=database, id_column="who", item_column="what")
    assert (rows.ids, list(rows)) == (["7", "9"], [{"flu", "cold"}, {"flu"}])
    people = [{"sex=m", "age=30", "size=2"}, {"sex=f", "size=1.5"}]
    for sql in (
        "SELECT * FROM people;",
        "/* a */ -- b\n (select * from people) -- c",
        "WITH a AS (SELECT * FROM people) SELECT * FROM a",
    ):
        assert list(read(sql=sql, database=database)) == people
    assert list(read(sql="SELECT * FROM people", database=database, bins="age=20,40", missing="drop-row")) == [
        {"sex=m", "age=(20,40]", "size=2"}
    ]
    onehot = "SELECT CASE WHEN sex = 'm' THEN 1 ELSE 0 END AS m FROM people"
    rows = read(sql=onehot, database=database)
    assert list(rows) == [{"m"}, set()]
    assert (rows.read.name, rows.read.container, rows.read.sha256) == ("a query", "sql", None)
    with pytest.raises(DataError, match="holds no rows"):
        read(sql="SELECT * FROM people WHERE 1 = 0", database=database)


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM visits",
        "SELECT 1; DELETE FROM visits",
        "SELECT 1) AS a; DELETE FROM visits; SELECT * FROM (SELECT 1",
        "",
        "CREATE TABLE x AS SELECT 1",
        "SELEC 1",
        "WITH gone AS (DELETE FROM visits RETURNING 1) SELECT * FROM gone",
        "ATTACH 'x.sqlite' AS x",
        "PRAGMA query_only = OFF",
        "COPY visits TO '/tmp/discreet-visits.csv'",
        "SELECT * INTO copied FROM visits",
        "SET TRANSACTION READ WRITE",
        "SELECT load_extension('x')",
        "SELECT lo_export(1, '/tmp/discreet-object')",
        "EXPLAIN SELECT 1",
    ],
)
def test_a_query_only_reads(database: Path | str, sql: str) -> None:
    with pytest.raises(ParameterError, match=r"^sql "):
        read(sql=sql, database=database)
    assert len(read(sql="SELECT * FROM visits", database=database, format="table")) == 3


def test_functions_that_write_are_stopped_by_the_database_too(server: Server) -> None:
    server.execute(
        "CREATE FUNCTION sly() RETURNS integer LANGUAGE sql AS 'INSERT INTO visits VALUES (1, ''x''); SELECT 1'"
    )
    with pytest.raises(InputError):
        read(sql="SELECT sly()", database=server.address)
    assert len(read(sql="SELECT * FROM visits", database=server.address, format="table")) == 3


@pytest.mark.parametrize("sql", ["SELECT * FROM nowhere", "SELECT nowhere FROM people", "SELECT nowhere(1)"])
def test_a_name_that_is_not_there(database: Path | str, sql: str) -> None:
    with pytest.raises(ParameterError, match="names a table, column or function"):
        read(sql=sql, database=database)


def test_two_columns_of_one_name(server: Server) -> None:
    with pytest.raises(DataError, match="have the same name"):
        read(sql="SELECT a.who, b.who FROM visits a, visits b", database=server.address)


def test_types_of_postgresql(server: Server) -> None:
    sql = """SELECT 2.50::numeric AS n, DATE '2024-01-02' AS d, TRUE AS b, 2.0::float8 AS f, 'ab'::char(4) AS c,
             '00000000-0000-0000-0000-000000000007'::uuid AS u, '1.2.3.4'::inet AS i, '{"a": 1}'::jsonb AS j,
             '1 day'::interval AS v, '3'::money AS m, 'x'::bytea AS y"""
    assert list(read(sql=sql, database=server.address)) == [
        {
            *("n=2.50", "d=2024-01-02", "b=true", "f=2", "c=ab", "u=00000000-0000-0000-0000-000000000007"),
            *("i=1.2.3.4/32", 'j={"a": 1}', "v=1 day", "m=$3.00", r"y=\x78"),
        }
    ]
    lists = "SELECT 7 AS id, ARRAY['tea', 'milk'] AS items UNION ALL SELECT 8, '{}'"
    assert list(read(sql=lists, database=server.address, id_column="id")) == [{"tea", "milk"}, set()]


def test_cells_of_any_type_in_one_column_of_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "mixed.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (a, b)")
        connection.executemany("INSERT INTO t VALUES (NULL, ?)", [(1,)] * 70_000)
        cells = ["text", 3, 3.0, 2.5, b"\xff", None, -(2**62)]
        connection.executemany("INSERT INTO t VALUES (?, 1)", [(cell,) for cell in cells])
    last = list(read(sql="SELECT * FROM t", database=path, format="table"))[70_000:]
    assert last == [
        *({f"a={text}", "b=1"} for text in ("text", "3", "3", "2.5", "FF")),
        {"b=1"},
        {f"a={-(2**62)}", "b=1"},
    ]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO t VALUES (CAST(x'ff' AS TEXT), 1)")
    with pytest.raises(DataError, match="cannot be read"):
        read(sql="SELECT * FROM t", database=path, format="table")


def test_an_error_while_reading_quotes_nobody(server: Server) -> None:
    with pytest.raises(DataError) as caught:
        read(sql="SELECT CAST(what AS INTEGER) AS number FROM visits", database=server.address)
    assert "flu" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_table_of_someone_else(server: Server) -> None:
    address = server.address.replace("tester", "ana")
    with pytest.raises(DataError, match="may not read"):
        read(sql="SELECT * FROM visits", database=address)


def test_what_cannot_be_opened(tmp_path: Path, server: Server) -> None:
    cut = tmp_path / "cut.sqlite"
    cut.write_bytes(b"SQLite format 3\0" + b"\1" * 50)
    with pytest.raises(InputError):
        read(sql="SELECT * FROM x", database=cut)
    for address in (server.address.replace(PASSWORD, "wrong-" + PASSWORD), server.address + "/nowhere"):
        with pytest.raises(DataError, match="cannot be opened") as caught:
            read(sql="SELECT 1", database=address)
        assert "cret" not in str(caught.value)


def test_passwords_are_in_no_word(server: Server) -> None:
    options = ReadOptions(sql="SELECT 1", database=server.address)
    assert PASSWORD not in repr(options)
    assert options.words() == ["--sql", "SELECT 1", "--database", f"postgresql://tester@/postgres?host={server.folder}"]
    for address in (
        "postgresql://a:p@ss@h/d",
        "postgresql://a@h/d?password=p@ss",
        "postgresql://a@h/d?x=1&sslpassword=p@ss&y=2",
    ):
        assert "ss@" not in without_password(address)
        assert "p@" not in without_password(address)


def test_commands_print_no_password(server: Server, tmp_path: Path) -> None:
    words = ["--sql", "SELECT sex, size FROM people", "--database", server.address, "-s", "1", "-k", "2"]
    for command in (
        ["audit", *words],
        ["audit", *words, "--json"],
        ["block", *words, "--method", "additive", "-o", "out.csv"],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "discreet", *command], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert done.returncode in (0, 1), done.stderr
        assert done.stdout
        assert PASSWORD not in done.stdout + done.stderr
    assert all(PASSWORD.encode() not in path.read_bytes() for path in tmp_path.iterdir())


def test_rows_come_in_batches(server: Server) -> None:
    with database_table(WIDE, server.address) as table:
        assert sum(1 for _ in table.batches) > 5
    assert len(read(sql="SELECT * FROM many", database=server.address, format="table")) == 300_000


def test_a_lost_connection_is_no_bad_input(server: Server) -> None:
    with database_table(WIDE, server.address) as table:
        next(table.batches)
        server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%'")
        with pytest.raises(EngineError, match="was lost"):
            list(table.batches)


def test_a_lost_connection_ends_with_status_3_and_nothing_written(tmp_path: Path) -> None:
    with postgresql_server() as server:
        running = subprocess.Popen(
            [
                *(sys.executable, "-m", "discreet", "mine", "-s", "1", "-o", "out.csv", "--database", server.address),
                *("--sql", "SELECT i, pg_sleep(0.001)::text AS s FROM generate_series(1, 1000000) i"),
            ],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_until(lambda: running.poll() is not None or server.execute(ACTIVE).strip())
        server.control("stop", "-m", "immediate")
        out, err = running.communicate(timeout=PATIENCE)
    assert (running.returncode, out, err.count("\n")) == (3, "", 1)
    assert err.startswith("error: the connection to the PostgreSQL database was lost")
    assert not list(tmp_path.iterdir())
