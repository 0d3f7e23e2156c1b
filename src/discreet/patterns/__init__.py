"""Mined itemsets and rules: finding them, holding them, asking them, and other tools' files of them."""
