"""Answers as values: what a result says, before a terminal, a page or the workbench shows it."""
