"""Random data sets, shared by the property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from discreet.transactions.transactions import Transactions

LABELS = st.sampled_from("abcdefgh")


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
