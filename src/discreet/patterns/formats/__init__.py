"""Patterns and rules in files and data frames: ours, and those of other tools.

reading, writing      the front door: by the name of the file and the names of its columns
ours, spmf, mlxtend, spark, arules, pami      what each tool's columns and lines mean, and how to write them
given                 what was read: exact counts, and what the source says about itself
tables, json_tables, text_blocks        CSV, Parquet, data frames, JSON and text as columns, a batch at a time
list_columns, cells   columns of itemsets as sets of label numbers
printed               counts, shares and confidences as printed
written               itemsets and rules as text, from arrays
"""

from __future__ import annotations

from discreet.patterns.formats.given import GivenPatterns, GivenRules
from discreet.patterns.formats.ours import json_blocks
from discreet.patterns.formats.reading import read_patterns, read_rules
from discreet.patterns.formats.writing import check_pattern_file, write_patterns, write_rules

__all__ = [
    "GivenPatterns",
    "GivenRules",
    "check_pattern_file",
    "json_blocks",
    "read_patterns",
    "read_rules",
    "write_patterns",
    "write_rules",
]
