"""That `local` was taken because it loses least does not tell from whom it took something out."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from discreet import Transactions, anonymize
from tests.strategies import seeds

ROWS = ["", "", "bdx", "ax", "a", "bx", "abc"]
HOW = {"local": {"method": "local"}, "allow-local": {"method": "best", "allow_local": True}}


def publish(rows: tuple[str, ...], how: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the method that was taken, and the rows in their order."""
    given = Transactions.from_rows([list(row) for row in rows])
    done = anonymize(given, rho="0.5", sensitive=["x"], keep_order=True, ignore_unknown=True, **how)
    return done.method, ["".join(sorted(row)) for row in done.rows]


def certain(rows: tuple[str, ...], how: dict[str, Any]) -> list[str]:
    """Return the parts of rows, as far as they are published, that all rows with x had in all inputs that fit."""
    made = publish(rows, how)
    choices = [[row] if "x" in row else [row, row + "x"] for row in made[1]]
    fits = [world for world in product(*choices) if publish(world, how) == made]
    assert tuple("".join(sorted(row)) for row in rows) in {
        tuple("".join(sorted(row)) for row in world) for world in fits
    }
    parts = [frozenset(row) for row in made[1] if "x" not in row]
    return ["".join(part) for part in parts if all("x" in row for world in fits for row in world if part <= {*row})]


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_a_reader_who_knows_part_of_a_row_is_not_certain(how: dict[str, Any]):
    assert publish(tuple(ROWS), how) == ("local", ["", "", "bd", "ax", "a", "b", "abc"])
    assert certain(tuple(ROWS), how) == []


@pytest.mark.parametrize("seed", seeds(12))
def test_nobody_is_certain_whatever_method_won(seed: int):
    luck = random.Random(seed)
    rows = tuple("".join(x for x in "abcdx" if luck.random() < 0.4) for _ in range(luck.randint(5, 6)))
    done, _ = publish(rows, HOW["allow-local"])
    if done == "local":
        assert certain(rows, HOW["allow-local"]) == []


def test_what_is_safe_as_it_is_stays_and_is_called_what_local_promises():
    rows = ("ab", "ab", "abx", "c", "c", "cx")
    assert publish(rows, HOW["allow-local"]) == ("local", list(rows))
