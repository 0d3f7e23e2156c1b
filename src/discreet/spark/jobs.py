"""The public functions for rows that Spark holds: the same parameters and results as their local namesakes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, get_args

from discreet.channels.advice import advise as local_advise
from discreet.channels.audit import audit as local_audit
from discreet.channels.blocking import block as local_block
from discreet.errors import ParameterError, param
from discreet.patterns.mining import DEFAULT_MAX_PATTERNS, at_least_one
from discreet.patterns.patternset import PatternSet, Target
from discreet.patterns.threshold import absolute_support
from discreet.spark.check import check_in_spark
from discreet.spark.failures import asking_spark
from discreet.spark.hide import hide_in_spark
from discreet.spark.rows import SparkRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame

    from discreet.channels.advice import Advice
    from discreet.channels.audit import Audit
    from discreet.channels.blocking import Blocked
    from discreet.hiding.hide import Hidden
    from discreet.patterns.threshold import MinSupport
    from discreet.uncertainty.check import Checked

__all__ = ["advise", "audit", "block", "check", "hide", "mine"]


def mine(
    rows: SparkRows | DataFrame,
    *,
    min_support: MinSupport,
    target: Target = "closed",
    max_length: int | None = None,
    max_patterns: int = DEFAULT_MAX_PATTERNS,
    threads: int | None = None,
    progress: Callable[[float, int], object] | None = None,
    layout: Literal["auto"] = "auto",
) -> PatternSet:
    """Return the itemsets that occur in at least `min_support` rows: see `discreet.mine`.

    Spark has its own threads, tells its progress elsewhere, and lays rows out its own way.
    """
    del threads, progress, layout
    if target not in get_args(Target):
        raise ParameterError(f"{param('target')} must be all, closed or maximal, got {target!r}", parameter="target")
    if max_length is not None:
        at_least_one("max_length", max_length)
    at_least_one("max_patterns", max_patterns)
    with _held(rows) as held:
        return held.frequent(absolute_support(min_support, held.n)).mine(
            target=target, max_length=max_length, max_patterns=max_patterns
        )


def audit(rows: SparkRows | DataFrame, **options: Any) -> Audit:  # the options of the local one
    """Say whether the frequent itemsets of rows give away any group of 1 to k-1 of them: see `discreet.audit`."""
    with _held(rows) as held:
        return local_audit(held, **options)


def advise(rows: SparkRows | DataFrame, found: Audit, **options: Any) -> Advice:  # the options of the local one
    """Say what can be done about the answer of an audit."""
    with _held(rows) as held:
        return local_advise(held, found, **options)


def block(rows: SparkRows | DataFrame, **options: Any) -> Blocked:  # the options of the local one
    """Return patterns from which no group of 1 to k-1 rows can be computed: see `discreet.block`."""
    if options.get("minimal"):
        raise ParameterError(
            f"{param('minimal')} looks for the fewest rows among rows in memory; use the local engine for it, or "
            "leave it out",
            parameter="minimal",
        )
    with _held(rows) as held:
        return local_block(held, **options)


def hide(rows: SparkRows | DataFrame, **options: Any) -> Hidden:  # the options of the local one
    """Return the rows without what must not be minable from them: see `discreet.hide`."""
    with _held(rows) as held:
        return hide_in_spark(held, **options)


def check(rows: SparkRows | DataFrame, **options: Any) -> Checked:  # the options of the local one
    """Say whether every sensitive item can be concluded only with less than rho: see `discreet.check`."""
    with _held(rows) as held:
        return check_in_spark(held, **options)


@contextmanager
def _held(rows: SparkRows | DataFrame) -> Iterator[SparkRows]:
    """Give the rows; what Spark holds of a plain data frame is let go afterwards."""
    with asking_spark():
        if isinstance(rows, SparkRows):
            yield rows
        else:
            with SparkRows.from_frame(rows) as held:
                yield held
