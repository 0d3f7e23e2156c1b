"""Data sets made on the spot: the same parameters and seed give the same rows.

For measuring       `quest`: baskets with planted patterns, Agrawal and Srikant's generator of 1994.
                    `skewed`: a few items in most rows and most items in few, long rows beside short ones, clusters.
For showing         `hospital`: made-up hospital stays with labels a person can read.

All three return `Transactions` without empty rows. Labels that no row got are not in the vocabulary, so that what is
written to a file and read back is the same data set.
"""

from __future__ import annotations

from discreet.transactions.generate.hospital import hospital
from discreet.transactions.generate.quest import quest
from discreet.transactions.generate.skewed import skewed

__all__ = ["hospital", "quest", "skewed"]
