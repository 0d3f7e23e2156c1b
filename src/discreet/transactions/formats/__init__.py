"""How rows of items stand in files and data frames, one module per format or per step on the way.

In:
- opening: bytes of a file or of standard input, unpacked, in chunks
- text_lines: FIMI and SPMF, parsed by the kernel
- delimited: CSV and TSV text cut into cells
- duck: Parquet, JSON and SQL, through DuckDB (its only door)
- frames: data frames, through Arrow
- sheets: what the last three have in common: named columns, a batch of rows at a time
- basket, long, onehot, table, lists: what the cells mean; from cells to items
- cell_rules: bins, maps and missing cells of a table, and how they are written as options
- assembling: items of many batches put together into Transactions

Out:
- written_text: FIMI and SPMF lines
- written_columns: rows laid out in columns, for
- written_cells and written_parquet: CSV and JSON text, and Parquet

Both ways: arrow_arrays, between numpy and Arrow.
"""
