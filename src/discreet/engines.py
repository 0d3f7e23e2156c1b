"""The jobs that run wherever the rows are: in memory, or in Spark.

Each calls the function of the same name in a lower package, and passes a Spark data frame as `SparkRows`. An object
with a Spark session is Spark's; PySpark is never imported for anything else.
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

__all__ = ["advise", "audit", "block", "check", "hide", "mine"]

Options = ParamSpec("Options")
Result = TypeVar("Result")


def _wherever(job: Callable[Concatenate[Any, Options], Result]) -> Callable[Concatenate[Any, Options], Result]:
    first = next(iter(signature(job).parameters))

    @wraps(job)
    def run(*args: Any, **options: Any) -> Result:  # the parameters of the job
        source: Any = args[0] if args else options.get(first)
        if not hasattr(source, "sparkSession"):
            return job(*args, **options)
        from discreet.spark.rows import opened

        options.pop(first, None)
        with opened(source) as held:
            return job(held, *args[1:], **options)

    return run


mine = _wherever(_mine)
audit = _wherever(_audit)
advise = _wherever(_advise)
block = _wherever(_block)
hide = _wherever(_hide)
check = _wherever(_check)
