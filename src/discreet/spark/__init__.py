"""The same jobs on Apache Spark, for rows that outgrow one machine, with byte-identical answers.

- spark_session, failures: start Spark quietly, and explain its errors in one sentence
- rows, shapes, reading, writing: rows of items in a Spark data frame, whatever they come from
- frequent, fp_growth, grouping, suppress: what `discreet.channels` needs from rows (see `discreet.channels.row_source`)
- hide, check: these jobs, for Spark

Rows stay where they are. Only patterns and small groups of rows come to the caller's machine; from there on the code is
that of the local engine. No Python code runs on a row.
"""

from __future__ import annotations

from discreet.spark.rows import SparkRows

__all__ = ["SparkRows"]
