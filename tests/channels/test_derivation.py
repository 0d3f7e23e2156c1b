"""Sums as people write them: differences in brackets, fractions, and what is too long to be spelled out."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest

from discreet.channels.derivation import Bound, Deduction, Figure, bounds_of, fraction_text, parts_of, sum_text


def figure(times: str | int, items: str | None, value: int) -> Figure:
    return Figure(Fraction(times), None if items is None else tuple(items), value)


HIP = [
    figure(-1, "h", 595), figure(1, "he", 560), figure(1, "hm", 438),
    figure(-1, "hem", 414), figure(1, "hp", 494), figure(-1, "hep", 480),
]  # fmt: skip


def test_the_hip_fractures_read_as_on_paper():
    assert sum_text(HIP) == "(438 − 414) + (494 − 480) − (595 − 560)"
    assert Bound("at least", 3, tuple(HIP)).text() == "at least (438 − 414) + (494 − 480) − (595 − 560) = 3"
    assert sum_text(HIP, name="".join) == "(hm − hem) + (hp − hep) − (h − he)"


def test_a_sum_that_gives_the_number_stays_in_its_order_and_is_said_once():
    figures = (figure(1, "", 208), figure(-1, "f", 100), figure(-1, "m", 105))
    (bound,) = bounds_of(Deduction(figures, figures), 3, 3)
    assert bound.text() == "208 − 100 − 105 = 3"


def test_a_fraction_of_rows_is_rounded_to_the_safe_side():
    figures = (figure("1/2", "a", 24), figure("1/2", "b", 14), figure("-1/2", "c", 33))
    low, high = bounds_of(Deduction(figures, figures), 3, 2)
    assert low.text() == "at least (24 + 14 − 33) / 2 = 2½, so 3"
    assert high.text() == "at most (24 + 14 − 33) / 2 = 2½, so 2"


def test_different_fractions_have_one_denominator():
    assert sum_text([figure("1/2", "a", 9), figure("-2/3", "b", 2)]) == "(3 × 9 − 4 × 2) / 6"
    assert sum_text([figure(2, "a", 1200), figure(-2, None, 4)]) == "2 × 1,200 − 2 × (5 − 1)"


def test_long_sums_are_counted():
    figures = tuple(figure(1, "abcdefghijkl"[place], 1) for place in range(12))
    assert Bound("at most", 12, figures).text() == "at most 12, by a sum of 12 published figures"
    said = Bound("at most", 12, figures).text(elsewhere="--json has it")
    assert said == "at most 12, by a sum of 12 published figures (--json has it)"
    assert Bound("at most", 12, figures).text(most=12).startswith("at most 1 + 1")


def test_what_only_whole_rows_give_says_so():
    low, high = bounds_of(Deduction(None, (figure(1, "a", 2),)), 1, 2)
    assert low.text() == "at least 1: no other number of whole rows fits"
    assert high.text() == "at most 2 = 2"


def test_two_publications_may_list_the_same_itemset():
    figures = [figure(1, "a", 9), figure(-1, "ab", 4), figure(1, "c", 8), figure(-1, "bc", 3), figure(-1, "a", 7)]
    assert sum_text(figures) == "(9 − 4) + (8 − 3) − 7"


@pytest.mark.parametrize("seed", range(50))
def test_every_sum_in_words_is_the_sum(seed: int):
    """What is written comes to what it should, whichever figures are drawn together."""
    draw = random.Random(seed)
    sets = ["".join(some) for size in range(4) for some in combinations("abc", size)]
    chosen = draw.sample(sets, draw.randint(1, len(sets)))
    halves = draw.choice([(-1, 1), (-2, -1, 1, 3), ("-1/2", "1/2", 1), ("2/3", "-1/2", -2)])
    figures = [figure(draw.choice(halves), each, draw.randint(0, 2000)) for each in chosen]
    if draw.random() < 0.5:
        figures.append(figure(draw.choice(halves), None, 4))
    expected = sum((each.times * each.value for each in figures), Fraction(0))
    for differences in (True, False):
        text = sum_text(figures, differences=differences).replace(",", "").replace("−", "-").replace("×", "*")
        top, _, below = text.rpartition(" / ") if " / " in text else (text, "", "1")
        assert Fraction(eval(top), int(below)) == expected  # noqa: S307 - digits, brackets and signs
        parts = parts_of(figures, differences=differences)
        assert sum(1 if part.less is None else 2 for part in parts) == len(figures)


def test_numbers_as_people_write_them():
    assert [fraction_text(Fraction(one)) for one in ("3", "-7/2", "2/3", "12345/7")] == ["3", "−3½", "⅔", "1,763 4/7"]
