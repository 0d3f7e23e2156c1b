"""Guessing how many itemsets there will be: the hopeless is refused early, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import TooManyPatterns
from discreet.patterns.expected_count import STAGES, Stage, Watcher, expected_count
from discreet.patterns.mining import mine
from discreet.transactions.transactions import Transactions


def test_growth_is_continued_to_the_support_asked_for() -> None:
    def count(support: int) -> int:
        return 10**8 // support**2

    guess = expected_count(count, 10, 1000)
    assert guess is not None
    expected, support, found = guess
    assert (support, found) == (20, 250_000)
    assert 0.9e6 < expected < 1.1e6


def test_counts_beyond_the_limit_are_not_relied_on() -> None:
    guess = expected_count(lambda support: None if support < 500 else 10**8 // support, 10, 1000)
    assert guess is not None
    assert guess[1:] == (500, 200_000)


def test_without_two_counts_there_is_no_guess() -> None:
    assert expected_count(lambda _: 3, 10, 1000) is None
    assert expected_count(lambda _: None, 10, 1000) is None
    assert expected_count(lambda _: 1000, 990, 1000) is None


def test_a_guess_is_made_at_every_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("discreet.patterns.expected_count.time.monotonic", lambda: now[0])
    guesses, reports = [], []
    watcher = Watcher(
        lambda stage: guesses.append((now[0], stage)), lambda share, found: reports.append((share, found))
    )
    for now[0] in (0.2, 0.3, 0.4, 2.9, 3.0, 9.0):
        watcher(0.1, 7)
    assert guesses == [(0.3, STAGES[0]), (3.0, STAGES[1])]
    assert reports == [(0.1, 7)] * 6


def test_mining_that_is_well_on_its_way_is_left_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("discreet.patterns.expected_count.time.monotonic", lambda: now[0])
    guesses: list[Stage] = []
    watcher = Watcher(guesses.append, None)
    for now[0], share in ((0.2, 0.1), (0.4, 0.3), (3.1, 0.9)):
        watcher(share, 7)
    assert guesses == []


def test_an_early_guess_must_be_surer() -> None:
    early, late = STAGES
    assert early.margin > late.margin
    assert early.most_probed < late.most_probed


def dense(seed: int) -> Transactions:
    there = np.random.default_rng(seed).random((400, 60)) < 0.8
    return Transactions.from_rows([np.flatnonzero(row).tolist() for row in there])


def test_hopeless_mining_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.patterns.expected_count.STAGES", (Stage(0.0, 1_000_000, 100),))
    with pytest.raises(TooManyPatterns, match="are to be expected in at least 4 of 400 rows"):
        mine(dense(1), min_support="1%")


def test_an_own_limit_is_taken_at_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.patterns.expected_count.STAGES", (Stage(0.0, 1_000_000, 100),))
    with pytest.raises(TooManyPatterns, match="beyond the limit of 300,000, and mining was stopped"):
        mine(dense(1), min_support="1%", max_patterns=300_000)
