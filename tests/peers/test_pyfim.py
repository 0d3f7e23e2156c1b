"""Agreement, set by set, with Borgelt's pyfim.

pyfim drops every set that all rows hold, so it is given one empty row more: then no set is in all rows.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import fim
import pytest

from discreet.patterns.mining import mine
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.laws.test_mining import random_rows
from tests.strategies import DRAWS, seeds

if TYPE_CHECKING:
    from pathlib import Path

LETTERS = {"all": "s", "closed": "c", "maximal": "m"}


def peer(rows: list[list[str]], min_support: int, target: str) -> dict[frozenset[str], int]:
    """Return what pyfim finds."""
    found = fim.fpgrowth([*rows, []], target=LETTERS[target], supp=-min_support, zmin=1, report="a")
    return {frozenset(items): support for items, support in found}


PUBLIC = [
    *[("mushroom", "25%"), ("chess", "80%"), ("retail", "0.5%"), ("T10I4D100K", "0.5%")],
    *[("mushroom", "10%"), ("chess", "70%"), ("retail", "0.1%"), ("T10I4D100K", "0.1%")],
]
"""Data sets and supports, the quick ones first."""


@pytest.mark.parametrize("target", LETTERS)
@pytest.mark.parametrize(("name", "share"), PUBLIC if DRAWS > 1 else PUBLIC[:4])
def test_same_itemsets_on_public_data(data_folder: Path, name: str, share: str, target: str):
    transactions = read(data_folder / f"{name}.dat.gz")
    found = mine(transactions, min_support=share, target=target)
    labels = transactions.vocabulary.labels
    bounds = transactions.offsets.tolist()
    items = transactions.items.tolist()
    rows = [[labels[item] for item in items[a:b]] for a, b in pairwise(bounds)]
    assert len(found) > 0
    assert dict(found) == peer(rows, found.min_support, target)


@pytest.mark.parametrize("target", LETTERS)
def test_same_itemsets_on_random_data_sets(target: str):
    for seed in seeds(50):
        rows, min_support = random_rows(seed)
        found = dict(mine(Transactions.from_rows(rows), min_support=min_support, target=target))
        assert found == peer(rows, min_support, target), f"seed {seed}"
