"""A partner with changed software where everything is computed twice: no wrong result, and one yes or no at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from discreet.errors import ProtocolViolation
from discreet.twoparty.joint_patterns import JointPatterns
from tests.twoparty.test_cheating import SIDES, crowd, people_and_diagnoses
from tests.twoparty_cheats import against
from tests.twoparty_dual_cheats import (
    AsksAboutOnePerson,
    BringsMixedColumns,
    BringsOnePersonEach,
    CountsOnePersonEach,
    DualCheat,
    EntersOtherNumbers,
    FishesForTheSecret,
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


@pytest.mark.parametrize("has", [False, True], ids=["who has it not", "who has it"])
@SIDES
def test_what_remains_is_one_question_and_the_risk_of_being_found_out(has: bool, first: bool) -> None:
    """The session ends if the person has the item, and otherwise has the right result: that it does is the answer."""
    halves = ours_and_theirs(first, ours="ac", theirs="b")
    ours = halves[1 if first else 0]
    item = ours.vocabulary[0]
    person = next(number for number, row in enumerate(ours) if (item in row) == has)
    kind = type("Asks", (AsksAboutOnePerson,), {"person": person})
    result, _ = against(kind, halves, first=first, dual=True, **WANTED)
    if has:
        assert isinstance(result, ProtocolViolation)
    else:
        assert isinstance(result, JointPatterns)
        assert dict(result.patterns) == dict(mine_together(halves, dual=True, **WANTED).patterns)


def test_a_share_is_not_guessed() -> None:
    """Tags of the same number in two sessions have nothing in common: R is drawn for each, and odd."""
    halves = ours_and_theirs(False, ours="a", theirs="b")
    made = [against(DualCheat, halves, dual=True, **WANTED)[1] for _ in range(2)]
    scales = {int(each._scale) for each in made}  # noqa: SLF001 - looks into the partner's program
    assert len(scales) == 2
    assert all(scale % 2 == 1 for scale in scales)
