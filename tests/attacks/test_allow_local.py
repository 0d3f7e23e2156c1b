"""That a method was taken because it loses least does not tell from whom it took something out."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from discreet import Transactions, anonymize
from tests.attacks.every_input import Case, Kind, draw, outputs
from tests.strategies import seeds

ROWS = ["", "", "bdx", "ax", "a", "bx", "abc"]
HOW = {"local": {"method": "local"}, "allow-local": {"method": "best", "allow_local": True}}


def publish(rows: tuple[str, ...], how: dict[str, Any]) -> tuple[str, list[str]]:
    """Return what is said about the rows, and the rows in their order."""
    given = Transactions.from_rows([list(row) for row in rows])
    done = anonymize(given, rho="0.5", sensitive=["x"], keep_order=True, ignore_unknown=True, **how)
    return done.verdict, ["".join(sorted(row)) for row in done.rows]


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
    assert publish(tuple(ROWS), how) == ("face-value", ["", "", "bd", "ax", "a", "b", "abc"])
    assert certain(tuple(ROWS), how) == []


@pytest.mark.parametrize("seed", seeds(12))
def test_nobody_is_certain_whatever_method_won(seed: int):
    luck = random.Random(seed)
    rows = tuple("".join(x for x in "abcdx" if luck.random() < 0.4) for _ in range(luck.randint(5, 6)))
    said, made = publish(rows, HOW["allow-local"])
    assert said == "face-value"
    if all({*row} - {"x"} == {*now} - {"x"} for row, now in zip(rows, made, strict=True)):  # as `certain` assumes
        assert certain(rows, HOW["allow-local"]) == []


@pytest.mark.parametrize("kind", ["plain", "tree"])
def test_nobody_is_certain_where_other_items_are_generalized_either(kind: Kind):
    """Once the least loss won, whatever it did to other items, and one of ten readers was certain."""
    changed = 0
    for seed in seeds(2):
        case, _ = draw(seed, kind, most=6)
        for output in outputs(case, HOW["allow-local"]):
            changed += not output.as_they_were
            assert not output.read()[1], f"seed {seed}"
    assert changed or kind == "plain"


def test_what_is_safe_as_it_is_stays_and_is_called_what_local_promises():
    rows = ("ab", "ab", "abx", "c", "c", "cx")
    assert publish(rows, HOW["allow-local"]) == ("face-value", list(rows))


def test_which_method_won_would_tell_and_the_verdict_does_not_say_it():
    """It was PROTECTED once, as `rare-rows` promises by itself: then a had x in all inputs that fit."""
    case = Case(tuple(map(frozenset, ["a", "", "", ""])), {"x": Fraction(1, 2)}, tree=False)
    output = next(each for each in outputs(case, HOW["allow-local"]) if each.gives(secrets("x", "x", "", "")))
    assert output.read() == (True, False)
    winners = output.by_winner
    assert winners.keys() == {"local", "rare-rows"}
    assert winners["rare-rows"].read() == (True, True)
    assert winners["local"].worlds[0].secrets == secrets("", "", "", "x")


def secrets(*held: str) -> tuple[frozenset[str], ...]:
    return tuple(map(frozenset, held))
