"""Spark data frames of every shape become the same rows as their local counterparts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

import discreet
from discreet.errors import DataError, ParameterError
from discreet.spark.rows import SparkRows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def same_patterns(rows: SparkRows, local: discreet.Transactions) -> None:
    """Compare what is mined, and let go."""
    with rows:
        assert discreet.mine(rows, min_support=1, target="all") == discreet.mine(local, min_support=1, target="all")


def test_arrays_of_numbers_and_rows_without_any(spark: SparkSession) -> None:
    table = pa.table({"shop": ["x", "y", "z"], "bought": pa.array([[3, 20, 3], None, []], pa.list_(pa.int32()))})
    local = discreet.Transactions.from_arrow(table, item_column="bought")
    same_patterns(SparkRows.from_frame(spark.createDataFrame(table)), local)
    found = discreet.mine(spark.createDataFrame(table).select("bought"), min_support=1)
    assert (found.n, found.read.shape, found.read.rows, found.read.empty_rows) == (3, "lists", 3, 2)
    with pytest.raises(DataError, match=r"1 column of arrays and 1 other; hand over the column"):
        discreet.mine(spark.createDataFrame(table), min_support=1)


def test_a_long_table(spark: SparkSession) -> None:
    table = pa.table({"who": ["1", "2", "1", " 3 "], "what": ["tea ", "milk", "milk", " "]})
    names = {"id_column": "who", "item_column": "what"}
    local = discreet.Transactions.from_arrow(table, **names)
    assert local.n == 3
    same_patterns(SparkRows.from_frame(spark.createDataFrame(table), **names), local)


def test_a_long_table_of_two_columns_needs_no_names(spark: SparkSession) -> None:
    frame = spark.createDataFrame(pa.table({"who": [1, 2], "what": ["tea", "milk"]}))
    with SparkRows.from_frame(frame, format="long") as rows:
        assert rows.n == 2


def test_a_onehot_table_knows_items_that_no_row_has(spark: SparkSession) -> None:
    table = pa.table({"10": [True, False], "2": [True, True], "never": [False, False]})
    local = discreet.Transactions.from_arrow(table)
    same_patterns(SparkRows.from_frame(spark.createDataFrame(table)), local)
    numbers = pa.table({"no": ["x", "y"], "tea": [1, 0], "milk": [0, 1]})
    with SparkRows.from_frame(spark.createDataFrame(numbers), id_column="no") as rows:
        assert {frozenset(items) for items, _ in discreet.mine(rows, min_support=1)} == {
            frozenset({"tea"}),
            frozenset({"milk"}),
        }


def test_what_is_no_row_of_items_is_refused(spark: SparkSession) -> None:
    def refused(table: dict[str, object], **options: object) -> str:
        with pytest.raises((DataError, ParameterError)) as error:
            discreet.mine(SparkRows.from_frame(spark.createDataFrame(pa.table(table)), **options), min_support=1)
        return str(error.value)

    assert "none of them" in refused({"name": ["x"]})
    assert "item_column" in refused({"a": [["x"]], "b": [["y"]]})
    assert "no column 'c'" in refused({"a": [["x"]]}, item_column="c")
    assert "double values" in refused({"a": [[2.5]]})
    assert "null among its items" in refused({"a": pa.array([["x", None]], pa.list_(pa.string()))})
    assert "NUL" in refused({"a": [["x\0"]]})
    assert "holds no rows" in refused({"a": pa.array([], pa.list_(pa.string()))})
    assert "0, 1, true" in refused({"a": [2]})
    assert "no id" in refused({"who": ["1", ""], "what": ["x", "y"]}, id_column="who", item_column="what")
    assert "item_column" in refused({"who": ["1"], "what": ["x"], "when": ["y"]}, format="long", id_column="who")


def test_frames_of_patterns_are_audited_as_patterns(spark: SparkSession) -> None:
    table = pa.table({"items": [["a"], ["b"], ["a", "b"]], "freq": [9, 8, 7]})
    found = discreet.audit(spark.createDataFrame(table), k=3, n=10)
    assert (found.n, found.kind, found.rows, found.read.shape) == (10, "all", None, "itemsets")
    with pytest.raises(DataError, match="as itemsets and rules of a miner do"):
        discreet.mine(spark.createDataFrame(table), min_support=1)


def test_plain_frames_leave_nothing_behind(spark: SparkSession) -> None:
    def held() -> set[int]:
        return set(spark.sparkContext._jsc.getPersistentRDDs())  # noqa: SLF001 - nobody else could tell

    before = held()
    frame = spark.createDataFrame(pa.table({"items": [["a", "b"], ["a"]]}))
    discreet.audit(frame, k=2, min_support=1)
    assert held() <= before
