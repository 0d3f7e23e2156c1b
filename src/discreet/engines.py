"""The jobs that run wherever the rows are: in memory, or in Spark.

Each is its local namesake, which rows that Spark holds (a Spark data frame, or `discreet.spark.SparkRows`) pass by on
their way to `discreet.spark`. PySpark is never imported for anything else.
"""

from __future__ import annotations

from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from discreet.channels.advice import advise as _advise
from discreet.channels.audit import audit as _audit
from discreet.channels.blocking import block as _block
from discreet.hiding.hide import hide as _hide
from discreet.patterns.mining import mine as _mine
from discreet.uncertainty.check import check as _check

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["advise", "audit", "block", "check", "hide", "in_spark", "mine"]

Options = ParamSpec("Options")
Result = TypeVar("Result")


def in_spark(rows: object) -> bool:
    """Say whether Spark holds these rows."""
    return type(rows).__module__.startswith(("discreet.spark.", "pyspark."))


def _are_patterns(frame: Any) -> bool:  # a Spark data frame
    """Say whether this is what Spark's FP-growth returns: not rows, but patterns or rules."""
    return bool({"freq", "antecedent"} & set(getattr(frame, "columns", ())))


def _wherever(job: Callable[Concatenate[Any, Options], Result]) -> Callable[Concatenate[Any, Options], Result]:
    first = next(iter(signature(job).parameters))

    @wraps(job)
    def run(*args: Any, **options: Any) -> Result:  # the parameters of the job
        rows: Any = args[0] if args else options.get(first)
        if not in_spark(rows):
            return job(*args, **options)
        options.pop(first, None)
        if _are_patterns(rows):
            return job(rows.toArrow(), *args[1:], **options)
        from discreet.spark import jobs

        done: Result = getattr(jobs, job.__name__)(rows, *args[1:], **options)
        return done

    return run


mine = _wherever(_mine)
audit = _wherever(_audit)
advise = _wherever(_advise)
block = _wherever(_block)
hide = _wherever(_hide)
check = _wherever(_check)
