"""Random rows with sensitive items, a hierarchy and rho: what every algorithm of the folder is tried on."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.transactions.transactions import Transactions
from discreet.uncertainty.hierarchy import Hierarchy, fanout_hierarchy
from tests import uncertainty_twin as twin

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Setting", "random_setting"]


@dataclass(frozen=True)
class Setting:
    """The same for the package and for its slow twin; leaves of the hierarchy may occur in no row."""

    listed: list[frozenset[str]]
    sensitive: list[str]
    rho: Fraction
    tree: twin.Tree
    leaves: list[str]
    rows: Transactions
    codes: NDArray[np.int32]
    hierarchy: Hierarchy


def random_setting(seed: int) -> Setting:
    """Draw one."""
    draw = random.Random(seed)
    labels = "abcdefgh"[: draw.randint(2, 8)]
    density = draw.choice([0.25, 0.4, 0.6])
    listed = [frozenset(x for x in labels if draw.random() < density) for _ in range(draw.randint(1, 12))]
    sensitive = [x for x in labels if draw.random() < 0.35] or [labels[0]]
    leaves = [x for x in labels if x not in sensitive]
    fanout = draw.choice([2, 3, 4])
    rows = Transactions.from_rows(listed)
    return Setting(
        listed=listed,
        sensitive=sensitive,
        rho=Fraction(draw.randint(2, 9), 10),
        tree=twin.fanout_tree(leaves, fanout),
        leaves=leaves,
        rows=rows,
        codes=np.array([rows.vocabulary.positions[x] for x in sensitive if x in rows.vocabulary], np.int32),
        hierarchy=fanout_hierarchy(leaves, fanout),
    )
