"""The four tasks of the workbench, independent of the web framework: what is chosen, and the results."""
