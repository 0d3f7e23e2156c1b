"""Frequent itemsets and association rules: mining, storing, querying, and the files of other tools."""
