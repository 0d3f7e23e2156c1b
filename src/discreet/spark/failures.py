"""Explain a Spark failure in one sentence that quotes no data."""

from __future__ import annotations

import re
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

from discreet.errors import DataError, EngineError, param

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NEITHER", "NOT_TEXT", "NOT_THERE", "NO_ID", "asking_spark"]

NO_ID = "discreet: a line of a long table has no id"
NEITHER = "discreet: a cell of a one-hot table is neither 0, 1, true nor false"
NOT_TEXT = "discreet: a line is not text"
NOT_THERE = "discreet: a worker cannot read the file"
_COMPLAINTS = {
    NOT_TEXT: "a line has bytes that are not text (UTF-8 without control characters); convert the file first",
    NOT_THERE: "one of Spark's workers cannot read the file; put it where every worker finds it under the same name",
    NO_ID: "a line of the long table has no id; give every row one, or leave such lines out",
    NEITHER: f"a one-hot column has values other than 0, 1, true and false; leave it out ({param('drop')}), or "
    f"name the shape of the data ({param('format')})",
}
"""Errors that our own plans raise, and what they mean."""

_FAULT = re.compile(r"\b(?:[a-z][\w$]*\.)+([A-Z]\w*(?:Error|Exception))\b")
_TASK = re.compile(r"Task \d+ in stage [\d.]+ failed (\d+) times")
_WRAPPERS = {"SparkException", "Py4JJavaError", "RuntimeException", "ExecutionException", "SparkRuntimeException"}


@contextmanager
def asking_spark() -> Iterator[None]:
    """Translate Spark's errors into ours; its messages may quote rows, so only the kind of error is used.

    PySpark's warnings about the versions of other packages are suppressed.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import AnalysisException, PySparkException

    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="PySpark does not yet fully support", category=FutureWarning)
            yield
    except AnalysisException as error:
        kind = (error.getCondition() or "AnalysisException").partition(".")[0]
        raise _unusable(kind, error) from error
    except (PySparkException, Py4JError, ConnectionError) as error:
        raise _failed(error) from error


def _unusable(kind: str, error: Exception) -> DataError | EngineError:
    if kind == "PATH_NOT_FOUND":
        return DataError("there is no such file or folder for Spark to read; check DATA, as Spark's workers see it")
    if kind in ("TABLE_OR_VIEW_NOT_FOUND", "UNRESOLVED_COLUMN", "PARSE_SYNTAX_ERROR", "UNRESOLVED_ROUTINE"):
        return DataError(f"Spark cannot run this query ({kind}); check {param('sql')}")
    if kind in ("UNABLE_TO_INFER_SCHEMA", "FAILED_READ_FILE", "PATH_ALREADY_EXISTS", "UNSUPPORTED_DATASOURCE"):
        return DataError(f"Spark cannot read this ({kind}); check DATA and {param('format')}")
    return EngineError(f"Spark refused the job ({kind}); nothing was written ({type(error).__name__})")


def _failed(error: BaseException) -> DataError | EngineError:
    from pyspark.errors import PySparkException

    text = str(error)
    for complaint, sentence in _COMPLAINTS.items():
        if complaint in text:
            return DataError(sentence)
    if "No module named 'discreet'" in text:
        return EngineError(
            "Spark's workers have no discreet, whose kernel counts and mines there; nothing was written; install it "
            "where Spark's workers run, in the Python that spark.pyspark.python names"
        )
    kinds = [kind for kind in _FAULT.findall(text) if kind not in _WRAPPERS]
    if isinstance(error, ConnectionError) or "Py4JNetworkError" in type(error).__name__:
        return EngineError(
            "Spark's Java process ended before the job was done, as it does when its memory runs out; nothing was "
            f"written; give it more with {param('spark_conf')} spark.driver.memory=8g"
        )
    task = _TASK.search(text)
    why = f"a task failed {'once' if task[1] == '1' else f'{task[1]} times'}" if task else "the job was ended"
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    named = kinds[-1] if kinds else condition
    kind = f" ({named})" if named else ""
    if "OutOfMemoryError" in kinds:
        return EngineError(
            f"Spark ran out of memory: {why}{kind}; nothing was written; raise {param('min_support')}, or give it "
            f"more with {param('spark_conf')} spark.executor.memory=8g (with a local master: spark.driver.memory)"
        )
    return EngineError(f"Spark could not finish: {why}{kind}; nothing was written; Spark's own log says more")
