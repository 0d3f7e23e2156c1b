"""The mining figures that the papers print, on the data they print them for."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.patterns.mining import mine
from discreet.transactions.reading import read

EXAMPLES = Path(__file__).parent.parent / "data"


def spelled(patterns) -> dict[str, int]:
    """Write one-letter itemsets as words."""
    return {"".join(sorted(items)): support for items, support in patterns}


class TestAtzori2008:
    """Figure 1(a) and the sections that work on it."""

    rows = read(EXAMPLES / "running-example.dat")

    def test_frequent_itemsets_at_8(self):
        found = mine(self.rows, min_support=8, target="all")
        assert found.n == 12
        assert spelled(found) == {
            "a": 9, "b": 8, "c": 9, "d": 10, "e": 11, "ab": 8, "ae": 8, "cd": 9, "ce": 9, "de": 10, "cde": 9,
        }  # fmt: skip

    def test_closed_itemsets_at_8(self):
        found = mine(self.rows, min_support=8, target="closed")
        assert spelled(found) == {"a": 9, "e": 11, "ab": 8, "ae": 8, "de": 10, "cde": 9}

    def test_maximal_itemsets_at_8(self):
        assert spelled(mine(self.rows, min_support=8, target="maximal")) == {"ab": 8, "ae": 8, "cde": 9}

    def test_frequent_itemsets_at_6(self):
        assert len(mine(self.rows, min_support=6, target="all")) == 36 - 1  # the paper counts the empty itemset


class TestWaim2008:
    """Figure 1 of the projection paper."""

    def test_frequent_itemsets_at_4(self):
        assert len(mine(read(EXAMPLES / "pmicd-example.dat"), min_support=4, target="all")) == 29 - 1


@pytest.mark.parametrize(
    ("name", "share", "target", "count"),
    [
        ("mushroom", "60%", "all", 52 - 1),  # Example 12 counts the empty itemset
        ("mushroom", "25%", "all", 5545),
        ("mushroom", "10%", "all", 574431),
        ("mushroom", "10%", "closed", 4885),
        ("mushroom", "15%", "maximal", 321),
        ("chess", "80%", "closed", 5083),
        ("chess", "80%", "maximal", 226),
        ("chess", "75%", "closed", 11525),
    ],
)
def test_counts_on_public_data(data_folder: Path, name: str, share: str, target: str, count: int):
    assert len(mine(read(data_folder / f"{name}.dat.gz"), min_support=share, target=target)) == count


def test_closed_sets_of_mushroom_at_15_percent(data_folder: Path):
    # The paper counts the empty itemset; item 85 is in every row, so here {85} stands in its place.
    assert len(mine(read(data_folder / "mushroom.dat.gz"), min_support="15%", target="closed")) == 2261
