"""Long-running work, in processes of its own: `process` runs it, `patterns` and `rows` define the jobs."""
