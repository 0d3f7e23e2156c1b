"""What Spark reads itself, and what is read here and handed over, are the same rows."""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import discreet
from discreet.errors import DataError, ParameterError
from discreet.spark.reading import read_into_spark
from discreet.transactions.options import ReadOptions
from discreet.transactions.read_record import record_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession


@pytest.fixture
def same(spark: SparkSession) -> Callable[..., None]:
    """Return a function that reads a file both ways and compares what is mined."""

    def same(path: Path, **options: Any) -> None:
        local = discreet.mine(discreet.read(path, **options), min_support=1, target="all")
        with read_into_spark(spark, path, ReadOptions(**options)) as rows:
            assert discreet.mine(rows, min_support=1, target="all") == local

    return same


def test_fimi_with_blank_lines_and_odd_blanks(same: Callable[..., None], tmp_path: Path) -> None:
    text = "\N{ZERO WIDTH NO-BREAK SPACE}3 1\t 2\r\n\n 3 3\t10 \nä\n"
    (tmp_path / "rows.dat").write_text(text, newline="")
    (tmp_path / "rows.dat.gz").write_bytes(gzip.compress(text.encode()))
    same(tmp_path / "rows.dat")
    same(tmp_path / "rows.dat.gz")


def test_formats_of_ours(same: Callable[..., None], tmp_path: Path) -> None:
    (tmp_path / "baskets.csv").write_text('tea,milk\n"a, b"\n')
    (tmp_path / "table.csv").write_text("age,town\n20,x\n30,y\n")
    (tmp_path / "named.txt").write_text("@CONVERTED_FROM_TEXT\n@ITEM=1=tea\n@ITEM=2=milk\n1 2\n2\n")
    same(tmp_path / "baskets.csv", format="basket")
    same(tmp_path / "table.csv", bins=["age=25"])
    same(tmp_path / "named.txt")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("sex\tage group\nf\t30 to 39\n", "have as many tabs each"),
        ("1 2 #SUP: 3\n", "holds itemsets with their supports"),
        ("# tokens\n1 2\n", "begins with #"),
    ],
)
def test_text_that_is_something_else_is_asked(spark: SparkSession, tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "rows.txt").write_text(text)
    with pytest.raises(DataError, match=sentence):
        read_into_spark(spark, tmp_path / "rows.txt")
    with read_into_spark(spark, tmp_path / "rows.txt", ReadOptions(format="fimi")) as rows:
        assert rows.n == text.count("\n")


def test_a_folder_of_parquet_parts(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame(pa.table({"items": [["a", "b"], ["a"], []]}))
    frame.repartition(2).write.parquet(str(tmp_path / "shop"))
    with read_into_spark(spark, tmp_path / "shop") as rows:
        found = discreet.mine(rows, min_support=1, target="all")
        assert found.n == 3
        assert dict(found) == {frozenset("a"): 2, frozenset("b"): 1, frozenset("ab"): 1}


def test_tables_and_databases(spark: SparkSession) -> None:
    spark.createDataFrame(pa.table({"who": [1, 1, 2], "what": ["tea", "milk", "tea"]})).createOrReplaceTempView("sales")
    names = {"id_column": "who", "item_column": "what"}
    with read_into_spark(spark, None, ReadOptions(sql="SELECT * FROM sales", **names)) as rows:
        assert rows.n == 2
    url = "jdbc:derby:memory:shop;create=true"
    spark.table("sales").write.jdbc(url, "sales")
    with read_into_spark(spark, None, ReadOptions(sql="SELECT * FROM sales", database=url, **names)) as rows:
        assert dict(discreet.mine(rows, min_support=2)) == {frozenset({"tea"}): 2}


def test_what_cannot_be_read_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "bytes.dat").write_bytes(b"1 2\n\xff\n")

    def refused(source: object = None, **options: object) -> str:
        with pytest.raises((DataError, ParameterError)) as error:
            read_into_spark(spark, source, ReadOptions(**options)).n  # noqa: B018 - counting reads
        return str(error.value)

    for name, content in (("tab", b"1\x0b2\n"), ("feed", b"1\x0c2\n"), ("return", b"1\r2\n"), ("mark", b"1\r\r\n")):
        (tmp_path / f"{name}.dat").write_bytes(content)
        with pytest.raises(DataError, match="line 1 of "):
            discreet.read(tmp_path / f"{name}.dat")
        with pytest.raises(DataError, match="not text"):
            discreet.mine(read_into_spark(spark, tmp_path / f"{name}.dat"), min_support=1)
    assert "does not exist" in refused(tmp_path / "nothing.dat")
    assert "does not exist" in refused(tmp_path / "nothing.parquet")
    assert "check sql" in refused(sql="SELECT * FROM nothing_of_this_name")
    target = tmp_path / "kept"
    spark.range(3).write.parquet(str(target))
    for sql in (
        f"INSERT OVERWRITE DIRECTORY '{target}' USING parquet SELECT 1 AS a",
        f"FROM range(1) INSERT OVERWRITE DIRECTORY '{target}' USING parquet SELECT id",
        "SELECT 1 AS a) AS t; DROP TABLE t; SELECT * FROM (SELECT 1",
        "CREATE TEMPORARY VIEW seen AS SELECT 1",
        "SET spark.sql.ansi.enabled=false",
    ):
        assert refused(sql=sql) == "sql must be a single SELECT; it only reads"
    assert spark.read.parquet(str(target)).count() == 3
    assert not spark.catalog.tableExists("seen")
    query = "WITH some AS (SELECT 1 AS who, 'a' AS what) SELECT * FROM some ORDER BY who LIMIT 3 -- all of it"
    assert read_into_spark(spark, None, ReadOptions(sql=query, id_column="who", item_column="what")).n == 1
    assert "bins is not obeyed where Spark reads" in refused(sql="SELECT array('a') AS items", bins=["age=3"])


def test_how_rows_were_read_is_told_as_it_is_here(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("1 2\n\n2\n")
    (tmp_path / "table.csv").write_text("age,town\n20,x\n30,y\n")
    for name in ("rows.dat", "table.csv"):
        with read_into_spark(spark, tmp_path / name, ReadOptions(unit="stays")) as rows:
            here = discreet.read(tmp_path / name, unit="stays").read
            assert rows.read == replace(here, sha256=None, bytes=None, encoding=rows.read.encoding)
    frame = spark.createDataFrame(pa.table({"items": [["a", "b"], ["a"], []]}))
    frame.write.parquet(str(tmp_path / "shop"))
    with read_into_spark(spark, tmp_path / "shop") as rows:
        assert rows.read.sentence() == "Read as lists of labels: 3 rows, 1 of them empty, 2 items."
        assert (rows.read.container, rows.read.sha256) == ("parquet", None)


def test_what_identifies_is_left_out_as_it_is_here(spark: SparkSession, tmp_path: Path) -> None:
    import pyarrow.parquet

    (tmp_path / "rows.dat").write_text("tea Ann\nwine tea\nAnna\n")
    lists = pa.table({"name": ["x", "y"], "items": [["tea", "Ann"], ["wine"]]})
    onehot = pa.table({"tea": [True, False], "Ann": [True, True], "wine": [True, True]})
    pyarrow.parquet.write_table(lists, tmp_path / "lists.parquet")
    pyarrow.parquet.write_table(onehot, tmp_path / "onehot.parquet")
    for name, given in (("rows.dat", "Ann*"), ("lists.parquet", "name,Ann"), ("onehot.parquet", "A*")):
        here = discreet.read(tmp_path / name, identifying=given)
        with read_into_spark(spark, tmp_path / name, ReadOptions(identifying=given)) as rows:
            assert {*rows.all_labels()} == {*here.vocabulary}
            assert (rows.read.identifying, rows.read.items) == (record_of(here).identifying, record_of(here).items)
        with pytest.raises(ParameterError, match="identifying names the label 'Bob'"):
            read_into_spark(spark, tmp_path / name, ReadOptions(identifying="Bob"))


def test_rows_of_one_person_are_merged_here_or_refused(spark: SparkSession, tmp_path: Path) -> None:
    import pyarrow.parquet

    stays = pa.table({"stay": [1, 2, 3], "who": ["x", "x", "y"], "items": [["a"], ["b"], ["a"]]})
    pyarrow.parquet.write_table(stays, tmp_path / "stays.parquet")
    options = ReadOptions(person_column="who", item_column="items")
    with read_into_spark(spark, tmp_path / "stays.parquet", options) as rows:
        assert (rows.n, rows.read.persons) == (2, 2)
    with pytest.raises(ParameterError, match="person_column is not obeyed where Spark reads the rows itself"):
        read_into_spark(spark, None, replace(options, sql="SELECT 1 AS who, array('a') AS items"))
