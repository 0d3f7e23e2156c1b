"""Work that lasts, in processes of its own: `process` runs it, `patterns` and `rows` say what is to be done."""
