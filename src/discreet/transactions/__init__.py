"""READ: rows of items, held exactly.

- transactions, vocabulary: the types that every job starts from
- reading, writing: files of every format, in and out (`shapes/` says what lines and columns mean)
- layout: how rows stood in their file, to write them back the same way
- output: files that appear whole or not at all
- generate: data made on the spot
"""
