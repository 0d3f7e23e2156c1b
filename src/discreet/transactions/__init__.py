"""Rows of items, stored exactly.

- transactions, vocabulary: the types that every job starts from
- reading, writing: files of every format, in and out (`shapes/` defines what lines and columns mean)
- options: how a file is read
- layout: the format of a file, to write rows back the same way
- generate: synthetic data
"""
