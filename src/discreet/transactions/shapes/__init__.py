"""What the lines and columns of a file of rows mean, one module per shape.

- fimi: FIMI and SPMF lines, parsed and written by the kernel
- basket, long, onehot, table, lists: from cells to items
- cell_rules: bins, maps and missing cells of a table, and how they are written as options
- row_columns: from items back to columns
"""
