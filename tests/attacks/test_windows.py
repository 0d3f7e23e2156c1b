"""Overlapping windows: each is safe by itself, and their difference is a few people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.errors import UnsafeTogether

if TYPE_CHECKING:
    from pathlib import Path

K = 10
WEEKS = [[["flu"]] * 40 + [["flu", "rash"]] * rash + [[]] * 30 for rash in (13, 12, 12, 12, 10)]


def window(first: int) -> discreet.Transactions:
    """Return the rows of four weeks."""
    return discreet.Transactions.from_rows([row for week in WEEKS[first : first + 4] for row in week])


def test_what_an_attacker_subtracts() -> None:
    one, two = (dict(discreet.mine(window(first), min_support=20)) for first in (0, 1))
    assert 0 < one[frozenset({"flu", "rash"})] - two[frozenset({"flu", "rash"})] < K


@pytest.mark.parametrize("said", [{}, {"rows_left": True}, {"rows_added": True}])
def test_the_second_window_is_refused_whatever_is_said_about_rows(tmp_path: Path, said: dict[str, bool]) -> None:
    options = {"k": K, "min_support": 20, "method": "none", "ledger": tmp_path / "ledger"}
    discreet.release(window(0), output=tmp_path / "one", new_ledger=True, **options)
    discreet.release(window(1), output=tmp_path / "alone", **(options | {"ledger": None}))  # safe by itself
    with pytest.raises(UnsafeTogether):
        discreet.release(window(1), output=tmp_path / "two", **options, **said)
    assert not (tmp_path / "two").exists()
    with discreet.open_ledger(tmp_path / "ledger") as book:
        assert len(book.entries) == 1
