"""What a reader who knows the method and its decisions learns about rare rows: nothing."""

from __future__ import annotations

import random
from collections import Counter
from itertools import chain, combinations

import pytest

from discreet import Transactions, anonymize
from discreet.uncertainty.rare_rows import RareRows
from tests.attacks.rare_rows_reader import inputs, publish
from tests.strategies import seeds


def drawn(seed: int) -> list[frozenset[str]]:
    luck = random.Random(seed)
    kinds = [frozenset(x for x in "abc" if luck.random() < 0.5) for _ in range(2)]
    rows = [luck.choice(kinds) for _ in range(5)] + [frozenset("abc"[: luck.randint(1, 3)])]
    return [row | frozenset(x for x in "xy" if luck.random() < 0.3) for row in rows]


@pytest.mark.parametrize("seed", seeds(60))
def test_every_secret_of_a_rare_row_is_as_possible_as_any_other(seed: int):
    """For each row by itself and all rare rows together: the published rows fit all their sensitive items."""
    rows = drawn(seed)
    given = Transactions.from_rows([sorted(row) for row in rows])
    done = anonymize(given, rho="0.6", sensitive=["x", "y"], method="rare-rows", keep_order=True, ignore_unknown=True)
    if not isinstance(done.recoding, RareRows):
        assert done.publication is not None  # nothing is rare: items left all rows or none
        return
    dropped, below = {*done.suppressed["sensitive"]}, done.recoding.below
    others = [frozenset(done.generalized.get(x, x) for x in row - {*"xy"}) for row in rows]
    published = list(done.rows)
    dropped |= (
        {x for x in "xy" if done.recoding.publication.dropped()[given.vocabulary.positions[x]]} if dropped else set()
    )
    assert publish(others, [row & {*"xy"} for row in rows], dropped, below) == published
    rare = [place for place, is_common in enumerate(done.recoding.common.tolist()) if not is_common]
    assert rare
    possible = Counter(
        tuple(secrets[place] for place in rare) for secrets in inputs(others, published, "xy", dropped, below)
    )
    assert len(possible) == 4 ** len(rare)
    assert len({*possible.values()}) == 1


def test_some_of_these_have_rare_rows():
    found = 0
    for seed in seeds(60):
        given = Transactions.from_rows([sorted(row) for row in drawn(seed)])
        done = anonymize(given, rho="0.6", sensitive=["x", "y"], method="rare-rows", ignore_unknown=True)
        found += isinstance(done.recoding, RareRows)
    assert found >= 5


def test_nothing_follows_in_rows_that_are_not_rare():
    """By every part of every row that is not rare, counted among these alone."""
    for seed in seeds(60):
        given = Transactions.from_rows([sorted(row) for row in drawn(seed)])
        done = anonymize(
            given, rho="0.6", sensitive=["x", "y"], method="rare-rows", keep_order=True, ignore_unknown=True
        )
        rows = list(done.rows)
        if isinstance(done.recoding, RareRows):
            rows = [row for row, is_common in zip(rows, done.recoding.common.tolist(), strict=True) if is_common]
        held = Counter(part for row in rows for part in _parts(row))
        for row in rows:
            for part in _parts(row):
                for secret in (row - part) & {*"xy"}:
                    assert held[part | {secret}] * 5 < held[part] * 3


def _parts(row: frozenset[str]) -> list[frozenset[str]]:
    every = chain.from_iterable(combinations(sorted(row), size) for size in range(len(row) + 1))
    return [frozenset(part) for part in every]
