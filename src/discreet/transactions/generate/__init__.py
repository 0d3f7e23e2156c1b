"""Synthetic data sets: the same parameters and seed give the same rows.

For measuring       `quest`: baskets with planted patterns, Agrawal and Srikant's generator of 1994.
                    `skewed`: a few items in most rows and most items in few, long and short rows, clusters.
For showing         `hospital`: invented hospital stays with readable labels.

All three return `Transactions` without empty rows. Unused labels are not in the vocabulary, so that a data set that is
written to a file and read back is the same.
"""

from __future__ import annotations

from discreet.transactions.generate.hospital import hospital
from discreet.transactions.generate.quest import quest
from discreet.transactions.generate.skewed import skewed

__all__ = ["hospital", "quest", "skewed"]
