"""Tables of named columns: how bytes become columns, and columns bytes. Higher packages define what columns mean.

In:
- byte_source: the bytes of a file or of standard input, decompressed, in chunks
- containers: the containers, each with its suffixes, its reader and its writer: a new one is added there
- csv: CSV and TSV text
- duckdb: Parquet, JSON and SQL, through DuckDB (the only module that uses it)
- frames: data frames, through Arrow
- table: the common form, named columns in batches of rows
- text_blocks: lines of text that are not a table

Out: writers (CSV, JSON and Parquet), and whole (files and folders that are written atomically).

Both ways: arrow_arrays, between numpy and Arrow; scratch, temporary files that do not outlive their program; ceilings,
what a file may unpack to; system and machine_memory, what differs between Linux, macOS and Windows.
"""
