"""Long-running work, in processes of its own: `process` runs it, each of the other modules defines a kind of job."""
