"""The same jobs where the rows outgrow one machine, on Apache Spark, with the same answers to the byte.

- spark_session, failures: starting Spark quietly, and what its faults mean in one sentence
- rows, shapes, reading, writing: rows of items in a Spark data frame, whatever they come from
- frequent, fp_growth, grouping, suppress: what `discreet.channels` asks of rows (see `discreet.channels.row_source`)
- hide, check: these jobs, for Spark

Rows stay where they are. What comes back to the caller's machine are patterns, and groups of few rows; from there on
the code is that of the local engine. Nothing here runs Python on a row.
"""

from __future__ import annotations

from discreet.spark.rows import SparkRows

__all__ = ["SparkRows"]
