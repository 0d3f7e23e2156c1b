"""The look before writing, at supports that are lies: it ends after a number of steps, and then nothing is released."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

import discreet
from discreet.channels import whole_rows
from discreet.channels.exclusive import Exclusive
from discreet.errors import ProtocolViolation
from discreet.highs import WholeAnswer
from discreet.patterns.patternset import PatternSet
from discreet.transactions.transactions import Transactions
from discreet.twoparty import judging
from discreet.twoparty.joint_patterns import JointPatterns
from discreet.twoparty.judging import Judgement, judge
from tests.twoparty_pair import talk

if TYPE_CHECKING:
    from collections.abc import Callable

N, K, SIGMA = 300, 3, 30


def joint(patterns: PatternSet, protocol: Literal["ic-sapm", "dka-sapm"]) -> JointPatterns:
    return JointPatterns(protocol, False, patterns.n, patterns.min_support, K, patterns, (), (0,))


def lies(seed: int) -> JointPatterns:
    """Make supports of up to two of eight items, those of pairs up to 2k beside those of rows."""
    draw = random.Random(seed)
    kinds = [{item for item in "abcdefgh" if draw.random() < 0.6} for _ in range(20)]
    rows = [draw.choice(kinds) for _ in range(N)]
    supports = {}
    for some in [*combinations("abcdefgh", 1), *combinations("abcdefgh", 2)]:
        support = sum(set(some) <= row for row in rows) + (draw.randint(-2 * K, 2 * K) if len(some) == 2 else 0)
        if support >= SIGMA:
            supports[some] = support
    patterns = PatternSet.from_itemsets(supports.items(), n=N, min_support=SIGMA)
    return joint(replace(patterns, target="selected"), "ic-sapm")


def anonymous(seed: int) -> JointPatterns:
    """Find what is frequent in rows that are in groups of k, as DkA-SAPM makes them."""
    draw = random.Random(seed)
    kinds = [[item for item in "abcdefgh" if draw.random() < 0.5] for _ in range(12)]
    rows = Transactions.from_rows([kind for kind in kinds for _ in range(draw.randint(K, 4 * K))])
    return joint(discreet.mine(rows, min_support="40%", target="all"), "dka-sapm")


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """No whole-number program is ever settled; how many rounds each was given is listed."""
    given: list[int] = []

    def never(program: object, *, nodes: int, rounds: int) -> WholeAnswer:
        del program, nodes
        given.append(rounds)
        return WholeAnswer(None, False, rounds)

    monkeypatch.setattr(whole_rows, "find_whole", never)
    return given


SEEDS = [2, 18, 40, 57]
ANONYMOUS = [3, 16, 114]


@pytest.mark.parametrize(
    "make", [*(partial(lies, seed) for seed in SEEDS), *(partial(anonymous, seed) for seed in ANONYMOUS)]
)
def test_what_the_steps_do_not_settle_is_withheld(programs: list[int], make: Callable[[], JointPatterns]) -> None:
    """A group of a fraction of a row may be a group of whole rows: who cannot tell does not publish it."""
    found = make()
    left, seen = judge(found, Exclusive())
    assert programs
    assert not len(seen.attack.unsettled)
    assert left.withheld_after
    assert {*map(frozenset, left.withheld_after), *(each for each, _ in left.patterns)} == {
        each for each, _ in found.patterns
    }
    again = judge(found, Exclusive())[0]
    assert again.to_dict() == left.to_dict()


def test_both_sides_withhold_the_same(programs: list[int]) -> None:
    found = lies(SEEDS[0])
    sides = [Judgement(found, Transactions.from_rows([[*half]])) for half in ("abcd", "efgh")]
    talk(*sides)
    assert programs
    assert sides[0].result[0].to_dict() == sides[1].result[0].to_dict()
    assert sides[0].result[0].withheld_after


@pytest.mark.parametrize("rounds", [1, 7])
def test_programs_take_no_more_rounds_than_the_steps_allow(monkeypatch: pytest.MonkeyPatch, rounds: int) -> None:
    spent: list[int] = []
    plain = whole_rows.find_whole

    def counted(program, *, nodes: int, rounds: int) -> WholeAnswer:
        answer = plain(program, nodes=nodes, rounds=rounds)
        assert answer.rounds <= rounds + 1  # the one that stops it
        spent.append(answer.rounds)
        return answer

    monkeypatch.setattr(whole_rows, "find_whole", counted)
    monkeypatch.setattr(whole_rows, "STEPS_PER_ROUND", 1000 // rounds)
    patterns = lies(SEEDS[0]).patterns
    answers = [discreet.audit(patterns, k=K, attack_steps=1000) for _ in range(2)]
    assert 0 < sum(spent) <= 2 * (rounds + 1)
    assert answers[0].to_dict() == answers[1].to_dict()
    assert np.array_equal(answers[0].attack.unsettled.items, answers[1].attack.unsettled.items)
    assert answers[0].attack.complete == (not len(answers[0].attack.unsettled))


@pytest.mark.usefixtures("programs")
def test_a_look_that_does_not_come_to_an_end_releases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "MOST_STEPS", 20_000)
    with pytest.raises(ProtocolViolation, match=r"was not settled in 20,000 steps; nothing was kept"):
        judge(lies(SEEDS[0]), Exclusive())
