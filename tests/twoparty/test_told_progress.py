"""Whoever waits for a session hears its stages, and how much of each is done: the same on both sides, so no secret."""

from __future__ import annotations

import sys
from collections import deque
from contextvars import copy_context
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from discreet.cli import progress
from discreet.cli.main import main
from discreet.stages import heard_by
from discreet.transactions.transactions import Transactions
from discreet.twoparty.alignment import Intersection
from discreet.twoparty.judging import Judgement
from tests.test_stages import Heard, shares_grow
from tests.twoparty_pair import columns_of, sessions

if TYPE_CHECKING:
    from discreet.twoparty.steps import Conversation

OWN = ("mining this side's own columns", "making this side's own rows alike")


def hear(*machines: Conversation[Any]) -> list[Heard]:
    """Let two machines talk; what each tells, as if it ran alone."""
    heard: list[Heard] = [[], []]
    contexts = [copy_context(), copy_context()]
    listeners = [heard_by(lambda stage, done, told=told: told.append((stage, done))) for told in heard]
    for context, listener in zip(contexts, listeners, strict=True):
        context.run(listener.__enter__)
    waiting = [deque(contexts[1].run(machines[1].start)), deque(contexts[0].run(machines[0].start))]
    while any(waiting):
        for which in (0, 1):
            while waiting[which]:
                waiting[1 - which].extend(contexts[which].run(machines[which].receive, waiting[which].popleft()))
    for context, listener in zip(contexts, listeners, strict=True):
        context.run(listener.__exit__, None, None, None)
    return heard


def people(seed: int = 3) -> list[list[str]]:
    held = np.random.default_rng(seed).random((120, 8)) < 0.6
    rows = [[label for label, has in zip("abcdefgh", row, strict=True) if has] for row in held]
    return rows[:40] * 3


@pytest.mark.parametrize(
    ("given", "stages"),
    [
        ({"dual": True}, ["binding both sides", "counting the itemsets", "counting", "looking for small"]),
        ({}, ["counting", "looking for small"]),
        ({"protocol": "dka-sapm"}, ["sharing which rows", "trying the items", "counting"]),
        ({"protocol": "dka-sapm", "iterate": True}, ["looking for joint groups", "counting"]),
        ({"labels": list("abcdefgh")}, ["counting", "looking for small"]),
    ],
    ids=["computed twice", "computed once", "dka-sapm", "dka-sapm in rounds", "different people"],
)
def test_both_sides_hear_the_same_of_what_they_do_together(monkeypatch, given: dict[str, Any], stages) -> None:
    monkeypatch.setattr("discreet.twoparty.dot_products._BATCH", 1 << 12)
    monkeypatch.setattr("discreet.twoparty.dual_engine._BATCH", 1 << 14)
    monkeypatch.setattr("discreet.twoparty.key_pairs.ROWS_AT_ONCE", 32)
    monkeypatch.setattr("discreet.twoparty.ic_sapm._GROUPS_AT_ONCE", 1 << 5)
    halves = columns_of(people(), "aceg"), columns_of(people(4), "bdfh")
    if "labels" in given:
        halves = Transactions.from_rows(people()), Transactions.from_rows(people(4))
    heard = hear(*sessions(halves, min_support=30, k=3, **given))
    together = [[each for each in told if not each[0].startswith(OWN)] for told in heard]
    assert together[0] == together[1]
    for told in heard:
        assert shares_grow(told)
    shared = [stage for stage, done in together[0] if done is not None and 0 < done < 1]
    for stage in stages if "labels" not in given else stages[1:]:  # different people count alone
        assert any(each.startswith(stage) for each in shared), stage
    said = [stage for stage, _ in groupby(together[0], key=lambda each: each[0])]
    assert "setting up oblivious transfers" in said


def test_the_search_for_common_people_says_its_share(monkeypatch) -> None:
    monkeypatch.setattr("discreet.twoparty.alignment._TOLD", 8)
    monkeypatch.setattr("discreet.twoparty.alignment.BATCH", 8)
    ids = [[f"P{number}" for number in range(start, start + 30)] for start in (0, 10)]
    heard = hear(Intersection(ids[0], first=True), Intersection(ids[1], first=False))
    for told in heard:
        assert shares_grow(told)
        assert len({done for _, done in told}) > 6
        assert told[-1][1] == pytest.approx((30 + 30 + 24) / 90)


def test_the_look_before_writing_says_its_stage() -> None:
    pair = sessions((columns_of(people(), "aceg"), columns_of(people(4), "bdfh")), min_support=30, k=3)
    hear(*pair)
    rows = Transactions.from_rows(people())
    heard = hear(*(Judgement(each.result, rows) for each in pair))
    assert any(stage.startswith("looking at what may be published") for stage, _ in heard[0])


def test_the_command_shows_stages_and_shares(tmp_path, monkeypatch, capfd) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr("discreet.twoparty.dot_products._BATCH", 1 << 10)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    data = tmp_path / "rows.dat"
    data.write_text("".join(" ".join(row) + "\n" for row in people()))
    assert main(["party", "--rehearse", "--data", str(data), "-s", "30", "-k", "3", "--no-dual"]) == 0
    shown = capfd.readouterr().err
    assert "Rehearsing: Waiting for the partner" in shown
    assert "Rehearsing: counting" in shown
    assert " %" in shown
