"""One small Spark session for all tests of the engine (tests/conftest.py keeps them together), and rows in it."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from discreet.cli.main import main
from discreet.errors import EngineError
from discreet.spark.rows import SparkRows
from discreet.spark.spark_session import check_java, spark_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

HASTY_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of a Java that ends soon: what it runs is not worth much compiling."""
SETTINGS = [
    "spark.driver.memory=1g",
    "spark.sql.shuffle.partitions=1",
    "spark.default.parallelism=1",
    "spark.sql.adaptive.enabled=false",  # tiny jobs, of which there are many: planning costs more than running
    "spark.sql.codegen.wholeStage=false",
    # Derby, the database of the JDBC test, would leave a log where the tests were started
    f"spark.driver.extraJavaOptions={HASTY_JAVA} -Dderby.stream.error.file=/dev/null",
]


@pytest.fixture(scope="session")
def session() -> Iterator[SparkSession]:
    """Start Spark."""
    try:
        check_java()
    except EngineError as error:
        pytest.skip(f"Spark cannot be tested here: {error}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = spark_session("local[1]", SETTINGS)
    yield started
    started.stop()


@pytest.fixture(autouse=True)
def spark(session: SparkSession) -> SparkSession:
    """Give every test the session, whether it asks or not: what runs in this process uses it."""
    return session


@pytest.fixture
def frame_of(spark: SparkSession) -> Callable[[Sequence[Sequence[str]]], DataFrame]:
    """Return a function that makes a data frame with a column of arrays."""

    def frame_of(rows: Sequence[Sequence[str]]) -> DataFrame:
        return spark.createDataFrame(pa.table({"items": pa.array(rows, pa.list_(pa.string()))}))

    return frame_of


@pytest.fixture
def there(frame_of: Callable[..., DataFrame]) -> Iterator[Callable[[Sequence[Sequence[str]]], SparkRows]]:
    """Return a function that makes rows in Spark, which are let go after the test."""
    made: list[SparkRows] = []

    def there(rows: Sequence[Sequence[str]]) -> SparkRows:
        made.append(SparkRows.from_frame(frame_of(rows)))
        return made[-1]

    yield there
    for rows in made:
        rows.release()


def without_engine(told: str, but: str | None = None) -> str:
    """Return what a command told, without the engine in the commands it advises; Spark reads without a digest."""
    if told.startswith("{"):
        document = {name: value for name, value in json.loads(told).items() if name != but}
        document["read"] |= {"sha256": None, "bytes": None, "encoding": None}
        told = json.dumps(document)
    return told.replace(" --engine spark", "").replace('"--engine", "spark", ', "")


@pytest.fixture
def both_engines(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Callable[..., None]:
    """Return a function that gives both engines the same command and compares what they say, to the byte."""

    def call(*words: object) -> tuple[int, str, str]:
        status = main([str(word) for word in words])
        return status, *capfd.readouterr()

    def both_engines(*words: object, but: str | None = None) -> None:
        """Compare, `but` for one part of the JSON."""
        here, there = [], []
        if words[0] == "hide":
            like_data = f"here{Path(str(words[1])).suffixes[0]}"
            here, there = ["-o", tmp_path / like_data, "--force"], ["-o", tmp_path / "there.parquet", "--force"]
        local, spark = call(*words, *here), call(*words, *there, "--engine", "spark")
        same = [(status, without_engine(out, but), err) for status, out, err in (spark, local)]
        assert same[0] == same[1]
        assert local[1] or local[0]

    return both_engines
