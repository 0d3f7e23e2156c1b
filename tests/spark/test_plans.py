"""How Spark does it: no Python for any row, counting before sending, nothing half written."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyspark.sql import functions as sql
from pyspark.sql.classic.dataframe import DataFrame

import discreet
from benchmarks.spark import last_stage, measure, shuffled
from discreet.errors import EngineError, OutputError
from discreet.spark.hide import prove_written
from discreet.spark.rows import SparkRows
from discreet.spark.shapes import ItemFrame
from discreet.spark.writing import write_parquet
from tests.spark.mllib import share_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

ROWS = [["a", "b", "c"]] * 6 + [["a", "b"]] * 3 + [["c"], ["a"], []]


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the plans of everything that Spark is asked from now on."""
    seen: list[str] = []
    for name in ("toArrow", "collect", "count"):
        asked = getattr(DataFrame, name)

        def watched(frame: Any, *args: Any, asked: Any = asked, **options: Any) -> Any:
            seen.append(frame._jdf.queryExecution().toString())  # noqa: SLF001 - what explain() prints
            return asked(frame, *args, **options)

        monkeypatch.setattr(DataFrame, name, watched)
    return seen


def test_no_python_touches_a_row(there: Callable[..., SparkRows], plans: list[str], tmp_path: Path) -> None:
    rows = there(ROWS)
    for target in ("all", "closed", "maximal"):
        discreet.mine(rows, min_support=3, target=target)
    discreet.audit(rows, k=3, min_support=3)
    discreet.block(rows, k=3, min_support=3, method="suppressive")
    done = discreet.hide(rows, restrict=[["a", "b"]], method="iga", disclosure="0.5", min_support=2)
    plans.append(done.rows.frame._jdf.queryExecution().toString())  # noqa: SLF001
    write_parquet(done.rows, tmp_path / "out.parquet")
    assert len(plans) > 10
    # Python gets batches alone: once to encode the rows, and once to cut them down to frequent items.
    assert [plan for plan in plans if "EvalPython" in plan or "InPandas" in plan or "FlatMapGroups" in plan] == []
    assert any("MapInArrow" in plan for plan in plans)
    grouped = [plan for plan in plans if "target" in plan and "collect_list" in plan]
    assert grouped
    assert all("partial_sum" in plan for plan in grouped)  # counted before it is sent
    assert all("CartesianProduct" not in plan and "SortMergeJoin" not in plan for plan in plans)


def test_check_gives_python_whole_shards(there: Callable[..., SparkRows], plans: list[str]) -> None:
    discreet.check(there(ROWS), rho="0.9", sensitive=["c"])
    assert len([plan for plan in plans if "FlatMapGroupsInArrow" in plan]) == 1
    assert not any("EvalPython" in plan for plan in plans)


@pytest.mark.parametrize("most_here", [1 << 27, -1])
def test_what_is_sent_grows_with_distinct_rows_and_not_with_rows(
    spark: SparkSession, frame_of: Callable[..., DataFrame], monkeypatch: pytest.MonkeyPatch, most_here: int
) -> None:
    monkeypatch.setattr("discreet.spark.suppress._MOST_ITEMS", most_here)

    def sent_for(rows: list[list[str]]) -> int:
        with SparkRows.from_frame(frame_of(rows[::2]).union(frame_of(rows[1::2]))) as held:  # two tasks
            assert held.n == len(rows)
            before = last_stage(spark)
            discreet.audit(held, k=3, min_support=3, border=False)
            if most_here < 0:
                return shuffled(spark, after=before)
            assert shuffled(spark, after=before) < 1_000  # sizes alone
            return int(held.frequent(3).parts.select("kinds", "lengths", "codes", "weights").toArrow().nbytes)

    few, many = sent_for(ROWS), sent_for(ROWS * 50)
    assert 0 < many < few * 1.5
    distinct = [[one, other, third] for one in "abcdefgh" for other in "ijklmnop" for third in "uvwxyz"]
    assert sent_for(distinct) > 2 * few


@pytest.mark.parametrize(("sigma", "n"), [(1, 1), (7, 100), (29, 100), (3, 7), (10**9 - 1, 10**9), (1, 2**45)])
def test_mllib_rounds_to_exactly_the_support_asked_for(sigma: int, n: int) -> None:
    from math import ceil

    assert ceil(share_for(sigma, n) * n) == sigma
    assert 0 <= share_for(sigma, n) <= 1


def test_a_failed_job_leaves_nothing_behind(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.sql(
        "SELECT IF(id < 90, array('a'), CAST(raise_error('Mr. Smith') AS array<string>)) AS items FROM range(100)"
    )
    with pytest.raises(EngineError, match="could not finish") as error:
        write_parquet(SparkRows(ItemFrame(frame, "lists")), tmp_path / "out.parquet")
    assert "Smith" not in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_a_job_that_is_ended_leaves_nothing_behind(spark: SparkSession, tmp_path: Path) -> None:
    slow = "IF(java_method('java.lang.Thread', 'sleep', 100L) IS NULL, array('a'), array('b'))"
    frame = spark.sql(f"SELECT {slow} AS items FROM range(1000)")  # noqa: S608 - our own words
    end = threading.Timer(2, spark.sparkContext.cancelAllJobs)
    end.start()
    try:
        with pytest.raises(EngineError, match="Spark"):
            write_parquet(SparkRows(ItemFrame(frame, "lists")), tmp_path / "out.parquet")
    finally:
        end.join()
    assert list(tmp_path.iterdir()) == []


def test_an_output_that_exists_is_replaced_only_by_force(there: Callable[..., SparkRows], tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    write_parquet(there([["a"]]), out)
    with pytest.raises(OutputError, match="exists already"):
        write_parquet(there([["b"]]), out)
    write_parquet(there([["b"]]), out, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]
    assert discreet.mine(SparkRows.from_frame(_read(there, out)), min_support=1).support_of(["b"]) == 1
    with pytest.raises(OutputError, match=r"\.parquet"):
        write_parquet(there([["b"]]), tmp_path / "out.dat")


@pytest.mark.parametrize("shape", ["lists", "long"])
def test_rows_that_change_while_they_are_hidden_are_not_given_out(
    spark: SparkSession, tmp_path: Path, shape: str
) -> None:
    source = tmp_path / "rows.txt"
    source.write_text("1 a b\n2 a c\n3 c d e\n")
    words = sql.split("value", " ")
    frame = spark.read.text(str(source)).select(words[0].alias("id"), sql.slice(words, 2, 3).alias("items"))
    if shape == "long":
        frame = frame.select("id", sql.explode("items").alias("item"))
    rows = SparkRows.from_frame(frame, id_column="id", item_column="items" if shape == "lists" else "item")
    done = discreet.hide(rows, restrict=[["a", "b"]], method="minfia")
    write_parquet(done.rows, tmp_path / "out.parquet", check=partial(prove_written, done))
    source.write_text("1 a b\n2 a c\n3 a b e\n")
    with pytest.raises(EngineError, match="as where rows change between two readings"):
        write_parquet(done.rows, tmp_path / "other.parquet", check=partial(prove_written, done))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.parquet", "rows.txt"]


def _read(there: Callable[..., SparkRows], path: Path) -> Any:
    return there([["x"]]).frame.sparkSession.read.parquet(str(path))


def test_rows_go_back_in_their_shape(spark: SparkSession, tmp_path: Path) -> None:
    long = pa.table({"who": ["1", "1", "2"], "what": ["a", "b", "b"]})
    rows = SparkRows.from_frame(spark.createDataFrame(long), id_column="who", item_column="what")
    done = discreet.hide(rows, restrict=[["a"]], method="minfia")
    write_parquet(done.rows, tmp_path / "long.parquet")
    back = spark.read.parquet(str(tmp_path / "long.parquet")).collect()
    assert sorted((row["who"], row["what"]) for row in back) == [("1", "b"), ("2", "b")]
    onehot = SparkRows.from_frame(spark.createDataFrame(pa.table({"a": [True, True], "b": [True, False]})))
    write_parquet(discreet.hide(onehot, restrict=[["a", "b"]], method="minfia").rows, tmp_path / "onehot.parquet")
    assert [tuple(row) for row in spark.read.parquet(str(tmp_path / "onehot.parquet")).collect()] == [(1, 0), (1, 0)]


def test_the_benchmark_runs(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "rows.dat"
    path.write_text("1 2 3\n1 2\n3\n" * 20)
    told = measure(spark, path, min_support="10%", k=3)
    assert (told.rows, told.items, told.distinct, told.maximal) == (60, 3, 3, 1)
    assert told.sent > 0
    assert told.line().count("|") == 11
