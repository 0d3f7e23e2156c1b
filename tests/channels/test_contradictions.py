"""Supports that no rows can have are named, by their lines where they were read."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _kernel
from discreet.channels.audit import audit
from discreet.errors import DataError
from discreet.itemsets import Itemsets
from discreet.patterns.patternset import PatternSet
from discreet.patterns.reading import read_patterns, read_rules
from tests.patience import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
from dataclasses import replace
from discreet import DataError, Transactions, audit, mine

rows = Transactions.from_rows(["abcd"] * 5 + ["ab"] * 5 + ["cd"] * 5 + ["ef"] * 9)
patterns = mine(rows, min_support=5, target="all")
for _ in range(3000):
    try:
        audit(replace(patterns, n=10), k=2, border=False)
    except DataError:
        continue
    raise SystemExit("not noticed")
"""


def test_a_contradiction_ends_all_threads_every_time():
    """A thread that was about to wait for work used to miss the signal, once in some thousand times."""
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=PATIENCE)


ITEMSETS = st.dictionaries(st.frozensets(st.integers(0, 6), min_size=1), st.integers(1, 9), max_size=14)


@given(ITEMSETS, st.integers(0, 2))
def test_a_contradiction_is_found_wherever_a_superset_has_more_rows(supports: dict[frozenset[int], int], doubt: int):
    sets = sorted(supports, key=lambda itemset: (len(itemset), sorted(itemset)))
    lows = np.array([supports[itemset] for itemset in sets], np.int64)
    wrong = {
        (larger, smaller)
        for larger, one in enumerate(sets)
        for smaller, other in enumerate(sets)
        if other < one and lows[larger] > lows[smaller] + doubt
    }
    found = _kernel.find_contradiction(Itemsets.of(map(sorted, sets)), lows, lows + doubt, 7)
    assert found in wrong if wrong else found is None


@pytest.mark.parametrize("header", ["", "# n: 10\n# min_support: 3\n# target: closed\n"])
def test_a_superset_above_its_subset_is_named_by_its_line_whatever_lies_between_is_missing(tmp_path: Path, header: str):
    path = tmp_path / "found.csv"
    path.write_text(header + 'items,support\n"[""a""]",3\n"[""a"",""b"",""c""]",5\n')
    with pytest.raises(DataError, match=r"row 2: the support is above that of a subset, in .*row 1"):
        read_patterns(path, n=10)


def test_a_pattern_set_made_by_hand_is_looked_at_too():
    patterns = PatternSet.from_itemsets([("a", 3), ("abc", 5)], n=10, min_support=3, target="maximal")
    with pytest.raises(DataError, match="an itemset of 3 items has more rows than one of its subsets"):
        audit(patterns, k=2)


def test_rules_whose_figures_cannot_all_be_right_are_refused(tmp_path: Path):
    path = tmp_path / "rules.txt"
    path.write_text("1 ==> 3 #SUP: 80 #CONF: 0.8\n1 3 4 ==> 5 #SUP: 85 #CONF: 1.0\n")
    with pytest.raises(DataError, match="the rules contradict each other"):
        audit(read_rules(path, n=100), k=2)


def test_a_confidence_that_no_number_of_rows_gives_is_named_by_its_line(tmp_path: Path):
    path = tmp_path / "rules.txt"
    path.write_text("9 ==> 8 #SUP: 80 #CONF: 0.001\n1 ==> 3 #SUP: 80 #CONF: 0.8\n")
    with pytest.raises(DataError, match="line 1: no number of rows gives this confidence"):
        read_rules(path, n=100)
