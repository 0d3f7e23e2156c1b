"""The four tasks of the workbench, without a web framework: what is chosen, and the results."""
