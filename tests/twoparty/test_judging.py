"""The look before anything is written: what it refuses, what it withholds, and how often it looks."""

from __future__ import annotations

import pytest

from discreet.channels.exclusive import Exclusive
from discreet.twoparty import judging
from discreet.twoparty.judging import judge
from tests.twoparty_pair import columns_of, mine_together


def halves(rows: list[str]) -> tuple:
    return columns_of(rows, "ab"), columns_of(rows, "cd")


@pytest.mark.parametrize("protocol", ["ic-sapm", "dka-sapm"])
def test_an_attacker_who_saw_everything_is_not_asked_again(monkeypatch: pytest.MonkeyPatch, protocol: str) -> None:
    found = mine_together(halves(["abcd", "abc", "abd", "cd", ""] * 4), min_support=6, k=3, protocol=protocol)
    steps, plain = [], judging.audit

    def counting(*given, **wanted):
        steps.append(wanted["attack_steps"])
        return plain(*given, **wanted)

    monkeypatch.setattr(judging, "audit", counting)
    result, seen = judge(found, Exclusive())
    assert len(result.patterns) > 4
    assert seen.attack.complete
    assert steps == [1000]


def test_what_is_withheld_is_looked_at_again_until_nothing_is_left_out() -> None:
    rows = ["abd", "bcd", "abd", "cd", "ac", "abcd", "abc", "acd", "cd", "b", "c", "bd"]
    found = mine_together(halves(rows), min_support=2, k=2)
    result, seen = judge(found, Exclusive())
    assert result.withheld_after == (("b", "c"),)
    assert seen.safe
    assert seen.attack.complete
