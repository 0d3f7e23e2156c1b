"""The same jobs on Apache Spark, for rows that outgrow one machine, with byte-identical answers.

- spark_session, failures: start Spark quietly, and explain its errors in one sentence
- rows, shapes, reading, writing: rows of items in a Spark data frame, whatever they come from
- kernel_passes: counting, folding and mining by the kernel, on batches of rows where they are
- frequent, grouping, suppress: what `discreet.channels` needs from rows (see `discreet.channels.row_source`)
- hide, check: these jobs, for Spark

Rows stay where they are. Patterns come to the caller's machine, and distinct rows cut down to their frequent items, if
they fit; from there on the code is that of the local engine. No Python code runs on a single row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.spark.rows import SparkRows

__all__ = ["SparkRows"]


def __getattr__(name: str) -> Any:  # `SparkRows`, or nothing
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from discreet.spark import rows

    return getattr(rows, name)
