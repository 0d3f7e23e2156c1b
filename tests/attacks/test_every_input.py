"""What a reader learns from rows of `local` who has the program: what is promised, and what is said not to be."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import pytest

from tests.attacks.every_input import HOW, Case, Kind, Output, draw, outputs
from tests.strategies import seeds


def given_by(case: Case, *secrets: str) -> Output:
    """Return the output of `local` for these sensitive items."""
    rows = tuple(map(frozenset, secrets))
    return next(output for output in outputs(case, HOW["local"]) if output.gives(rows))


@pytest.mark.parametrize("kind", get_args(Kind))
def test_who_knows_part_of_a_published_row_is_not_certain(kind: Kind):
    changed = 0
    for seed in seeds(4):
        case, _ = draw(seed, kind, most=6)
        for output in outputs(case, HOW["local"]):
            changed += output.changed
            assert not output.read()[1], f"seed {seed}"
    assert changed


def test_who_knows_that_an_item_occurs_can_be_certain_whose_it_was():
    """In each other row y would have stayed, or taken an x along that is still there."""
    others = tuple(map(frozenset, ["", "abd", "ad", "ad", "abd"]))
    output = given_by(Case(others, dict.fromkeys("xy", Fraction(2, 3)), tree=False), "", "y", "x", "x", "y")
    assert [*output.worlds[0].published] == [*map(frozenset, ["", "abd", "adx", "adx", "abd"])]
    assert output.read() == (True, False)
    assert output.read(all_occur=True) == (True, True)


def test_who_knows_the_item_behind_a_generalized_one_can_be_certain():
    case = Case(tuple(map(frozenset, ["b", "bc", "a", "", "", "bc", "d"])), {"x": Fraction(1, 2)}, tree=True)
    output = given_by(case, "", "", "", "", "", "", "x")
    assert output.generalized
    assert not output.read()[1]
    assert output.read(known="items")[1]
