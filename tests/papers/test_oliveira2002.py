"""Oliveira, Zaïane: the example that the paper works through (Figure 3, section 4), and what its text says of IGA."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from discreet import hide, read
from discreet.hiding.inverted_file import InvertedFile
from discreet.hiding.sensitive_rows import find_sensitive_rows
from discreet.hiding.victims import RestrictivePatterns, iga

EXAMPLE = Path(__file__).parent.parent / "data" / "hiding-example.dat"
RESTRICTIVE = ["A B D", "A C D"]
A, B, C, D = range(4)


def spelled(rows) -> list[str]:
    return ["".join(sorted(row)) for row in rows]


def test_figure_3_the_inverted_file():
    index = InvertedFile.build(read(EXAMPLE))
    lists = {label: (index.holders(item) + 1).tolist() for item, label in enumerate(index.vocabulary)}
    assert lists == {"A": [1, 2, 3, 4, 5], "B": [1, 2, 3, 5, 6], "C": [1, 2, 4, 5], "D": [1, 3, 4, 6]}
    assert index.supports.tolist() == [5, 5, 4, 4]


def test_section_4_sensitive_rows_and_degrees_of_conflict():
    sensitive = find_sensitive_rows(InvertedFile.build(read(EXAMPLE)), [(A, B, D), (A, C, D)])
    assert [(sensitive.holders[pattern] + 1).tolist() for pattern in range(2)] == [[1, 3], [1, 4]]
    degrees = np.bincount(sensitive.holders.items)
    assert (np.flatnonzero(degrees) + 1).tolist() == [1, 3, 4]
    assert degrees[degrees > 0].tolist() == [2, 1, 1]


@pytest.mark.parametrize(
    ("method", "removed", "rows"),
    [
        ("naive", 7, ["C", "ABC", "A", "A", "ABC", "BD"]),
        ("minfia", 3, ["ABC", "ABC", "AB", "AD", "ABC", "BD"]),
        ("maxfia", 3, ["BCD", "ABC", "BD", "CD", "ABC", "BD"]),
        ("iga", 3, ["ABC", "ABC", "AB", "AC", "ABC", "BD"]),
    ],
)
def test_the_example_sanitized(method, removed, rows):
    done = hide(read(EXAMPLE), restrict=RESTRICTIVE, method=method)
    assert spelled(done.rows) == rows
    assert done.removed_items == removed
    assert (done.n, done.sensitive_rows, done.changed_rows) == (6, 3, 3)
    assert done.dissimilarity == Fraction(removed, 18)
    assert [(pattern.before, pattern.after) for pattern in done.restrictive] == [(2, 0), (2, 0)]


@pytest.mark.parametrize("method", ["naive", "minfia", "maxfia", "iga"])
def test_section_2_3_a_threshold_of_100_per_cent_restricts_nothing(method):
    done = hide(read(EXAMPLE), restrict=RESTRICTIVE, method=method, disclosure="100%", min_support=1)
    assert done.rows == read(EXAMPLE)
    assert done.removed_items == 0
    assert (done.side_effects.hiding_failure, done.side_effects.misses_cost) == (1, 0)


@pytest.mark.parametrize(("method", "rows"), [("minfia", ["ABCD", "AB", "AD"]), ("iga", ["ABC", "ABD", "ACD"])])
def test_section_4_3_conflicting_rows_come_last_but_with_iga_first(method, rows):
    """Half of two rows is one: MinFIA takes T3 and T4, IGA takes T1 for both patterns."""
    done = hide(read(EXAMPLE), restrict=RESTRICTIVE, method=method, disclosure=0.5)
    assert [spelled(done.rows)[place] for place in (0, 2, 3)] == rows


def test_section_4_3_patterns_that_share_items_are_labelled_by_the_rarer_one():
    """ABC and ABD "would be in the same group labeled either A or B (depending on support of A and B)"."""
    patterns = ((A, B, C), (A, B, D))
    assert iga(RestrictivePatterns(patterns, {A: 9, B: 5, C: 1, D: 1})).items == ((B,), (B,))
    assert iga(RestrictivePatterns(patterns, {A: 5, B: 9, C: 1, D: 1})).items == ((A,), (A,))


def test_section_4_3_overlaps_favour_larger_groups_then_more_frequent_labels():
    """AB is in the group of A (with AC, AD) and in that of B (with BE): the larger one keeps it."""
    a, b, c, d, e = range(5)
    larger = RestrictivePatterns(((a, b), (a, c), (a, d), (b, e)), dict.fromkeys(range(5), 7))
    assert iga(larger).items[0] == (a,)
    for frequent, rare in ((a, b), (b, a)):
        equal = RestrictivePatterns(((a, b), (a, c), (b, e)), {frequent: 9, rare: 8, c: 10, d: 10, e: 10})
        assert iga(equal).items[0] == (frequent,)


def test_an_item_that_is_restrictive_by_itself_never_stays():
    rows = read(EXAMPLE)
    done = hide(rows, restrict=["A", "A B D", "B D"], method="naive")
    assert spelled(done.rows) == ["C", "BC", "B", "CD", "BC", "B"]
    done = hide(rows, restrict=["B", "D"], method="naive")
    assert spelled(done.rows)[5] == ""
    assert len(done.rows) == 6
