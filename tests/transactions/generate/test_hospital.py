"""The made-up hospital: readable, plausible, and with people in it who can be computed."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import fim
import numpy as np
import pytest

from discreet.transactions.generate import hospital

if TYPE_CHECKING:
    from discreet.transactions.transactions import Transactions


@pytest.fixture(scope="module")
def stays() -> Transactions:
    return hospital()


@pytest.fixture(scope="module")
def table(stays) -> dict[str, np.ndarray]:
    """Return which stays have each label."""
    row = np.repeat(np.arange(len(stays)), stays.itemsets.lengths)
    held = np.zeros((len(stays.vocabulary), len(stays)), bool)
    held[stays.items, row] = True
    return dict(zip(stays.vocabulary, held, strict=True))


def test_same_seed_same_stays(stays):
    assert hospital() == stays


def test_another_seed_gives_other_stays(stays):
    assert hospital(seed=2) != stays


@pytest.mark.parametrize("kind", ["age", "sex", "area", "ward", "admission", "stay"])
def test_every_stay_has_exactly_one(kind, table):
    assert (np.sum([has for label, has in table.items() if label.startswith(f"{kind} ")], axis=0) == 1).all()


def test_every_stay_has_a_diagnosis(table):
    assert np.any([has for label, has in table.items() if label.startswith("diagnosis ")], axis=0).all()


def test_labels_are_readable_and_fit_every_format(stays):
    kinds = {"age", "sex", "area", "ward", "admission", "stay", "diagnosis", "drug"}
    assert {label.split(" ", 1)[0] for label in stays.vocabulary} == kinds
    assert not any(sign in label for label in stays.vocabulary for sign in ',;"=\t\n')


def test_the_stays_of_the_first_seed_are_the_same_everywhere(table):
    """What texts and demos say about them: no release of NumPy may change it."""
    expected = {"sex female": 2593, "diagnosis type 2 diabetes": 796, "drug metformin": 792, "age 70-79": 992}
    assert {label: table[label].sum() for label in expected} == expected


def test_drugs_follow_diagnoses(table):
    diabetes, statin = table["diagnosis type 2 diabetes"], table["drug atorvastatin"]
    assert not (table["drug insulin"] & ~diabetes).any()
    assert statin[table["diagnosis heart attack"]].mean() > 5 * statin[~table["diagnosis heart attack"]].mean()


def test_age_and_sex_shift_diagnoses(table):
    old, young = table["age 80-89"], table["age 20-29"]
    assert table["diagnosis hip fracture"][old].mean() > 10 * table["diagnosis hip fracture"][young].mean()
    assert not (table["diagnosis childbirth"] & table["sex male"]).any()
    assert table["diagnosis high blood pressure"][table["diagnosis type 2 diabetes"]].mean() > 0.5


def test_rare_diagnoses_occur_in_few_areas(table):
    rare = table["diagnosis Huntington's disease"]
    assert 1 <= rare.sum() <= 9
    assert not (rare & ~table["area N9"]).any()


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("rows", [2000, 5000, 20_000])
def test_small_groups_follow_from_frequent_pairs(rows, seed):
    """At 5 %, several labels A and B are frequent together while 1 to 9 stays have A without B."""
    assert len(_near_implications(hospital(rows=rows, seed=seed), share=20)) >= 3


def test_four_people_have_diabetes_without_metformin(stays):
    assert ("diagnosis type 2 diabetes", "drug metformin", 4) in _near_implications(stays, share=20)


def test_mining_at_five_percent_gives_hundreds_of_closed_itemsets(stays):
    rows = [row.tolist() for row in np.split(stays.items, stays.offsets[1:-1])]
    closed = fim.fpgrowth([*rows, []], target="c", supp=-250, zmin=1)
    assert 300 <= len(closed) <= 3000
    assert sum(len(items) >= 4 for items, _ in closed) >= 50  # and they say more than pairs do


def test_a_hospital_may_be_tiny():
    assert len(hospital(rows=1)) == 1


def _near_implications(stays: Transactions, *, share: int) -> set[tuple[str, str, int]]:
    held = [set() for _ in stays.vocabulary]
    for row, (start, stop) in enumerate(zip(stays.offsets[:-1], stays.offsets[1:], strict=True)):
        for item in stays.items[start:stop]:
            held[item].add(row)
    frequent = [item for item in range(len(held)) if len(held[item]) * share >= len(stays)]
    found = set()
    for one, other in permutations(frequent, 2):
        both = len(held[one] & held[other])
        if both * share >= len(stays) and 1 <= len(held[one]) - both <= 9:
            found.add((stays.vocabulary[one], stays.vocabulary[other], len(held[one]) - both))
    return found
