"""A partner with changed software: what it may still learn is in docs/two-parties.md; a wrong file it does not get."""

from __future__ import annotations

import numpy as np
import pytest

import discreet
from discreet.errors import ProtocolViolation
from discreet.transactions.transactions import Transactions
from discreet.twoparty.joint_patterns import JointPatterns
from tests.twoparty_cheats import (
    Fishing,
    HidesSmallGroups,
    HidesSmallGroupsAfterwards,
    NamesPeople,
    NamesPeopleBoldly,
    against,
)
from tests.twoparty_pair import columns_of

SIDES = pytest.mark.parametrize("first", [False, True], ids=["against the first", "against the second"])
PEOPLE = 300


def crowd() -> list[list[str]]:
    chance = np.random.default_rng(1)
    held = chance.random((PEOPLE, 8)) < chance.choice([0.3, 0.6, 0.9], (PEOPLE, 8))
    return [[label for label, has in zip("abcdefgh", row, strict=True) if has] for row in held]


@pytest.mark.parametrize("kind", [HidesSmallGroups, HidesSmallGroupsAfterwards])
@SIDES
def test_small_groups_that_are_lied_about_are_noticed_before_anything_is_written(kind, first: bool) -> None:
    """Attack B: "small group?" is answered wrongly: blindly, or after our answer."""
    rows = crowd()
    halves = columns_of(rows, "aceg"), columns_of(rows, "bdfh")
    result, cheat = against(kind, halves, first=first, min_support=30, k=5)
    assert isinstance(result, ProtocolViolation)
    if kind is HidesSmallGroups:
        assert "fewer than 5 people" in str(result)
        assert cheat.learned  # the supports, after the last opening
    else:
        assert "something else than it had committed to" in str(result)
        assert not cheat.learned


def people_and_diagnoses() -> tuple[Transactions, Transactions, np.ndarray]:
    diagnoses = np.random.default_rng(2).random((PEOPLE, 6)) < 0.6
    ours = Transactions.from_rows([[f"d{each}" for each in np.flatnonzero(row)] for row in diagnoses])
    return ours, Transactions.from_rows([[f"p{row // 60}"] for row in range(PEOPLE)]), diagnoses


@SIDES
def test_made_up_supports_that_cannot_be_are_noticed_before_anything_is_written(first: bool) -> None:
    """Attack C: columns of one person each are called frequent, and their supports are made up."""
    ours, theirs, _ = people_and_diagnoses()
    halves = (theirs, ours) if first else (ours, theirs)
    result, _ = against(NamesPeopleBoldly, halves, first=first, min_support=30, k=5)
    assert isinstance(result, ProtocolViolation)


def test_what_a_partner_that_lies_about_its_rows_still_learns() -> None:
    """Attack C with supports that some other rows of the partner would have: this remains, as the documents say.

    What is withheld tells the partner whether each person it named has each diagnosis. The file is one that the partner
    could have got with other rows, and it is safe for the public.
    """
    ours, theirs, diagnoses = people_and_diagnoses()
    result, _ = against(NamesPeople, (ours, theirs), min_support=30, k=5)
    assert isinstance(result, JointPatterns)
    small = {frozenset(names) for names in result.withheld}
    seen = [[frozenset((f"p{p}", f"d{d}")) in small for d in range(6)] for p in range(5)]
    assert seen == diagnoses[:5].tolist()
    assert discreet.audit(result.patterns, k=5).verdict == "incomplete"


def one_half_each(columns: int, name: str, seed: int) -> Transactions:
    """Make columns that half of 64 people have, any two of them too rarely to be frequent."""
    chance = np.random.default_rng(seed)
    held = np.array([chance.permutation(np.arange(64) % 2) for _ in range(columns)])
    return Transactions.from_rows([[f"{name}{each}" for each in np.flatnonzero(row)] for row in held.T])


@pytest.mark.parametrize("checked", [False, True], ids=["without the check", "with the check"])
def test_the_secret_of_transfers_cannot_be_fished_for(monkeypatch: pytest.MonkeyPatch, checked: bool) -> None:
    """Attack A: without the check of extensions, every cell of our columns is the partner's."""
    if not checked:
        monkeypatch.setattr(
            "discreet.twoparty.oblivious_transfer._hashes", lambda columns, _: np.zeros((len(columns), 16), np.uint8)
        )
    ours, theirs = one_half_each(64, "d", 1), one_half_each(64, "p", 2)
    result, cheat = against(Fishing, (ours, theirs), min_support=30, k=2)
    if checked:
        assert isinstance(result, ProtocolViolation)
        assert "transfers contradict each other" in str(result)
        assert not cheat.learned
    else:
        cells = np.array([[label in row for label in ours.vocabulary] for row in ours])
        assert (cheat.learned[0] == cells).all()
