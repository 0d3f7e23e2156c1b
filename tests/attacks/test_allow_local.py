"""That `local` was taken because it loses least can tell what it took out: the limitations say so, with these rows."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from discreet import Transactions, anonymize

ROWS = ["", "", "bdx", "ax", "a", "bx", "abc"]
HOW = {"local": {"method": "local"}, "allow-local": {"method": "best", "allow_local": True}}


def publish(rows: tuple[str, ...], how: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the method that was taken, and the rows in their order."""
    given = Transactions.from_rows([list(row) for row in rows])
    done = anonymize(given, rho="0.5", sensitive=["x"], keep_order=True, ignore_unknown=True, **how)
    return done.method, ["".join(sorted(row)) for row in done.rows]


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_reader_who_knows_part_of_a_row_is_certain_only_where_methods_competed(how: dict[str, Any]):
    made = publish(tuple(ROWS), how)
    assert made == ("local", ["", "", "bd", "ax", "a", "b", "abc"])
    choices = [[row] if "x" in row else [row, row + "x"] for row in made[1]]
    fits = [rows for rows in product(*choices) if publish(rows, how) == made]
    assert tuple(ROWS) in fits
    certain = all("x" in row for rows in fits for row in rows if {*"bd"} <= {*row})
    assert certain is ("allow_local" in how)
