"""Random data sets, shared by the property tests."""

from __future__ import annotations

import os

from hypothesis import strategies as st

from discreet.transactions.transactions import Transactions

DRAWS = int(os.environ.get("DISCREET_DRAWS") or 1)
"""How many times as many random data sets as in `make test` are tried; more in `make evidence`."""
LABELS = st.sampled_from("abcdefgh")


def seeds(count: int) -> range:
    """Return the seeds of so many data sets, or of more."""
    return range(count * DRAWS)


def parts(count: int, number: int) -> list[range]:
    """Return the same seeds in a number of parts, for as many tests."""
    every = seeds(count)
    size = -(-len(every) // number)
    return [every[start : start + size] for start in every[::size]]


@st.composite
def rows_of_labels(draw: st.DrawFn, max_rows: int = 12) -> list[list[str]]:
    """Draw rows with empty rows, repeated items and, often, an item that every row holds."""
    rows = draw(st.lists(st.lists(LABELS, max_size=10), max_size=max_rows))
    if draw(st.booleans()):
        rows = [[*row, "z"] for row in rows]
    return rows


def transactions(max_rows: int = 12) -> st.SearchStrategy[Transactions]:
    """Draw Transactions."""
    return rows_of_labels(max_rows).map(Transactions.from_rows)
