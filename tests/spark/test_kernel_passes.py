"""The kernel's passes over rows in Spark give what the local engine gives, however rows are spread over tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import functions as sql

import discreet
from discreet.errors import DataError, EngineError, TooManyPatterns
from discreet.spark.failures import asking_spark
from discreet.spark.rows import SparkRows
from tests.spark.mllib import frequent_itemsets
from tests.spark.test_same_answers import random_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame


@pytest.fixture
def spread_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no distinct rows come here, and let every task mine, however few rows it has."""
    monkeypatch.setattr("discreet.spark.suppress._MOST_ITEMS", -1)
    monkeypatch.setattr("discreet.spark.kernel_passes._LEAST_SHARE", 1)


@pytest.fixture
def in_three_tasks(spark: Any, frame_of: Callable[..., DataFrame]) -> Callable[[list[list[str]]], DataFrame]:
    """Return a function that makes a frame whose rows, also once they are folded, are in three tasks."""
    spark.conf.set("spark.sql.shuffle.partitions", "3")
    yield lambda rows: frame_of(rows[::3]).union(frame_of(rows[1::3])).union(frame_of(rows[2::3]))
    spark.conf.set("spark.sql.shuffle.partitions", "1")


@pytest.mark.usefixtures("spread_out")
@pytest.mark.parametrize("seed", [2, 4, 9])
def test_tasks_mine_what_one_machine_mines(in_three_tasks: Callable[..., DataFrame], seed: int) -> None:
    rows, sigma, k = random_rows(seed)
    here = discreet.Transactions.from_rows(rows)
    with SparkRows.from_frame(in_three_tasks(rows)) as there:
        for target in ("all", "closed", "maximal"):
            mined = discreet.mine(there, min_support=sigma, target=target)
            assert mined.to_dict() == discreet.mine(here, min_support=sigma, target=target).to_dict()
        assert (
            discreet.audit(there, k=k, min_support=sigma, border=False).to_dict()["channels"]
            == (discreet.audit(here, k=k, min_support=sigma, border=False).to_dict()["channels"])
        )
        peer = frequent_itemsets(
            there.frame.select(sql.array_distinct("items").alias("items")), n=here.n, min_support=sigma
        )
        assert dict(discreet.mine(there, min_support=sigma, target="all")) == peer


@pytest.mark.usefixtures("spread_out")
def test_too_many_itemsets_in_a_task_are_refused(
    in_three_tasks: Callable[..., DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discreet.spark.frequent.DEFAULT_MAX_PATTERNS", 100)
    with (
        SparkRows.from_frame(in_three_tasks([list("abcdefghij")] * 6)) as there,
        pytest.raises(TooManyPatterns, match="itemsets occur in at least 2 of 6 rows, beyond the limit of 100"),
    ):
        discreet.mine(there, min_support=2, target="all")


def test_repeated_items_count_once_and_null_lists_are_empty_rows(spark: Any) -> None:
    lists = pa.array([["b", "a", "b"], None, [], ["a"]], pa.list_(pa.string()))
    with SparkRows.from_frame(spark.createDataFrame(pa.table({"items": lists}))) as there:
        assert (there.n, there.item_count, there.read.empty_rows) == (4, 3, 2)
        assert there.supports_of(["a", "b", "c"]) == {"a": 2, "b": 1}
        kinds = there.frequent(1).kinds
        assert kinds is not None
        assert sorted((sorted(row), weight) for row, weight in zip(kinds, kinds.weights.tolist(), strict=True)) == [
            ([], 2),
            (["a"], 1),
            (["a", "b"], 1),
        ]


def test_a_null_among_items_is_refused(spark: Any) -> None:
    lists = pa.array([["a", None], ["b"]], pa.list_(pa.string()))
    with (
        SparkRows.from_frame(spark.createDataFrame(pa.table({"items": lists}))) as there,
        pytest.raises(DataError, match="null"),
    ):
        discreet.mine(there, min_support=1)


def test_workers_without_the_program_are_told_apart(spark: Any) -> None:
    def task(batches: Any) -> Any:
        raise ModuleNotFoundError("No module named 'discreet'")
        yield from batches

    with pytest.raises(EngineError, match="install it where Spark's workers run"), asking_spark():
        spark.range(3).mapInArrow(task, "id bigint").toArrow()
