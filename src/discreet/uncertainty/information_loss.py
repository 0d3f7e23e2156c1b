"""How much is lost of rows when items are generalized and dropped, exactly (cao2010, section 3.2).

Publishing a node in place of an item loses the share of all leaves of the hierarchy that the node stands for, be they
held by a row or not; dropping the item loses all of it. A data set loses the average over all the items that its rows
hold.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.uncertainty.publication import Publication

__all__ = ["average_loss", "item_losses"]


def item_losses(publication: Publication) -> tuple[NDArray[np.int64], int]:
    """Return what is lost of every item, as numerators over one common denominator."""
    whole = max(1, publication.hierarchy.leaf_count)
    lost = np.append(publication.hierarchy.leaves_below, 0)[publication.node_of]
    lost[publication.suppressed] = whole
    return lost, whole


def average_loss(publication: Publication, supports: NDArray[np.int64]) -> Fraction:
    """Return the average loss where `supports` says how many rows held each item; 0 where they held none."""
    lost, whole = item_losses(publication)
    held = int(supports.sum())
    total = sum(map(int.__mul__, supports.tolist(), lost.tolist()))  # Python's integers do not overflow
    return Fraction(total, held * whole) if held else Fraction(0)
