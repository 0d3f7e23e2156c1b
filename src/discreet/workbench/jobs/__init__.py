"""Long-running work, in processes of its own: `process` runs it, the other modules define the jobs, one for each kind."""
