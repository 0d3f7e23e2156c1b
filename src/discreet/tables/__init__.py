"""Tables of named columns: how bytes become columns, and columns bytes. What the columns mean is said above.

In:
- byte_source: the bytes of a file or of standard input, unpacked, in chunks
- containers: what the bytes are, by the name of the file
- csv: CSV and TSV text cut into cells
- duckdb: Parquet, JSON and SQL, through DuckDB (its only door)
- json, pattern_tables: records and columns that keep the digits they were printed with
- frames: data frames, through Arrow
- table: named columns, a batch of rows at a time

Out: writers (CSV, JSON and Parquet), and whole (files and folders that appear whole or not at all).

Both ways: arrow_arrays, between numpy and Arrow.
"""
