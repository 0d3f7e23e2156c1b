"""The four pages of the workbench, and what they share."""
