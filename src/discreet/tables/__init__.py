"""Tables of named columns: how bytes become columns, and columns bytes. What the columns mean is said above.

In:
- byte_source: the bytes of a file or of standard input, unpacked, in chunks
- containers: the containers, each with its suffixes, how it is opened and how it is written: a new one is added there
- csv: CSV and TSV text
- duckdb: Parquet, JSON and SQL, through DuckDB (its only door)
- frames: data frames, through Arrow
- table: what all of them become, named columns, a batch of rows at a time
- text_blocks: lines of text that are no table

Out: writers (CSV, JSON and Parquet), and whole (files and folders that appear whole or not at all).

Both ways: arrow_arrays, between numpy and Arrow.
"""
