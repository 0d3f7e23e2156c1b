"""Drop every sensitive item and change nothing else: the baseline that a method has to beat.

Problem      rows from which no sensitive item can be inferred.
Method       cao2010, section 6, Simple: all sensitive items are dropped.
Promises     no sensitive item is published, so nobody can infer one from the publication.
Cost         negligible.
Reference    cao2010   (docs/papers/cao2010.md, tests/papers/test_cao2010.py)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.uncertainty.hierarchy import leaf_of_items
from discreet.uncertainty.publication import Publication

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.transactions.transactions import Transactions
    from discreet.uncertainty.hierarchy import Hierarchy

__all__ = ["simple"]


def simple(rows: Transactions, *, sensitive: NDArray[np.int32], hierarchy: Hierarchy) -> Publication:
    """Return the publication that drops every sensitive item and changes nothing else."""
    return Publication(
        vocabulary=rows.vocabulary,
        hierarchy=hierarchy,
        suppressed=sensitive,
        node_of=leaf_of_items(hierarchy, rows.vocabulary, sensitive),
    )
