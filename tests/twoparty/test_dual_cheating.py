"""A partner with changed software where everything is computed twice: no wrong result, and guesses alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.errors import ProtocolViolation
from discreet.twoparty.gmw import unpack_bits
from discreet.twoparty.joint_patterns import JointPatterns
from discreet.twoparty.local_itemsets import LocalItemsets
from tests.twoparty.test_cheating import SIDES, crowd, people_and_diagnoses
from tests.twoparty_cheats import against
from tests.twoparty_dual_cheats import (
    BringsMixedColumns,
    BringsOnePersonEach,
    CountsOnePersonEach,
    DualCheat,
    EntersOtherNumbers,
    FishesForTheSecret,
    Guesses,
    HidesSmallGroups,
    OpensOtherNumbers,
)
from tests.twoparty_pair import columns_of, mine_together

if TYPE_CHECKING:
    from discreet.transactions.transactions import Transactions

WANTED = {"min_support": 30, "k": 5}


def ours_and_theirs(first: bool, *, ours: str = "aceg", theirs: str = "bdfh") -> tuple[Transactions, Transactions]:
    rows = crowd()
    halves = columns_of(rows, ours), columns_of(rows, theirs)
    return halves[::-1] if first else halves


@SIDES
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (FishesForTheSecret, "transfers contradict each other"),
        (BringsMixedColumns, "columns are not those of its items"),
        (EntersOtherNumbers, "two computations do not agree"),
        (HidesSmallGroups, "two computations do not agree"),
    ],
    ids=lambda each: each.__name__ if isinstance(each, type) else "",
)
def test_what_is_changed_is_noticed_before_it_tells_anything(kind: type[DualCheat], sentence: str, first: bool) -> None:
    result, cheat = against(kind, ours_and_theirs(first), first=first, dual=True, **WANTED)
    assert isinstance(result, ProtocolViolation)
    assert sentence in str(result)
    assert not cheat.learned


@SIDES
def test_numbers_that_are_opened_wrongly_are_not_believed(first: bool) -> None:
    result, _ = against(OpensOtherNumbers, ours_and_theirs(first), first=first, dual=True, **WANTED)
    assert isinstance(result, ProtocolViolation)
    assert "two computations do not agree" in str(result)


@SIDES
@pytest.mark.parametrize(
    ("kind", "sentence"),
    [(BringsOnePersonEach, "calls frequent is not"), (CountsOnePersonEach, "two computations do not agree")],
    ids=["bound to them", "in one computation"],
)
def test_columns_of_one_person_each_tell_nothing(kind: type[DualCheat], sentence: str, first: bool) -> None:
    """Attack C: where it is bound to such columns they are not frequent; where it is not, the results differ."""
    ours, theirs, _ = people_and_diagnoses()
    halves = (theirs, ours) if first else (ours, theirs)
    result, _ = against(kind, halves, first=first, dual=True, **WANTED)
    assert isinstance(result, ProtocolViolation)
    assert sentence in str(result)


@pytest.mark.parametrize("wrong", [0, 1, 2, None], ids=["the first", "the second", "the third", "none"])
@SIDES
def test_what_remains_is_guesses_until_one_is_wrong(wrong: int | None, first: bool) -> None:
    """Each time that counts are shared, a guess: this person has not that itemset. Who guesses right has the result.

    A wrong guess ends the session, and says itself that it was wrong; later ones are not made.
    """
    halves = ours_and_theirs(first, ours="ace", theirs="b")
    own = LocalItemsets.find(halves[1 if first else 0], WANTED["min_support"])
    cells = unpack_bits(own.columns(np.arange(len(own.names))), len(halves[0])).astype(bool)

    def lacking(guess: int, column: int) -> int:
        return int(np.flatnonzero(cells[column] == (guess == wrong))[0])

    kind = type("Guesses", (Guesses,), {"lacking": staticmethod(lacking), "guessed": 0})
    result, _ = against(kind, halves, first=first, dual=True, **WANTED)
    if wrong is None:
        assert isinstance(result, JointPatterns)
        assert dict(result.patterns) == dict(mine_together(halves, dual=True, **WANTED).patterns)
        assert kind.guessed == 3
    else:
        assert isinstance(result, ProtocolViolation)
        assert "two computations do not agree" in str(result)
        assert kind.guessed == wrong + 1


def test_a_share_is_not_guessed() -> None:
    """Tags of the same number in two sessions have nothing in common: R is drawn for each, and odd."""
    halves = ours_and_theirs(False, ours="a", theirs="b")
    made = [against(DualCheat, halves, dual=True, **WANTED)[1] for _ in range(2)]
    scales = {int(each._scale) for each in made}  # noqa: SLF001 - looks into the partner's program
    assert len(scales) == 2
    assert all(scale % 2 == 1 for scale in scales)
