"""Closed itemsets that are counted and not listed: the same number, the same patterns, the same audit."""

from __future__ import annotations

import random
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet import _kernel
from discreet.channels import border
from discreet.channels.collection import Collection
from discreet.channels.kinds import kinds_of
from discreet.channels.knowledge import Knowledge
from discreet.errors import TooManyPatterns
from discreet.patterns import counted_patterns
from discreet.patterns.counted_patterns import CountedPatterns, mine_or_count
from discreet.patterns.mining import count_closed, mine
from discreet.patterns.patternset import PatternSet
from discreet.transactions.transactions import Transactions
from tests.slow_twin import mined
from tests.strategies import parts, rows_of_labels


def dense_rows(seed: int) -> tuple[Transactions, int]:
    """Draw rows that lack few items, where most unions are closed: those are what is counted at once."""
    draw = random.Random(seed)
    labels = [f"i{number}" for number in range(draw.randint(2, 11))]
    rare = [draw.choice([0.02, 0.1, 0.3]) for _ in labels]
    rows = [[x for x, p in zip(labels, rare, strict=True) if draw.random() > p] for _ in range(draw.choice([20, 300]))]
    if draw.random() < 0.3:  # the first item is only where the second is, so that some unions are not closed
        rows = [row if labels[1] in row else [x for x in row if x != labels[0]] for row in rows]
    rows = Transactions.from_rows(rows)
    return (rows.fold() if draw.random() < 0.5 else rows), draw.randint(1, max(1, rows.n // 2))


def counted_on(layout: str, rows: Transactions, **options) -> int | None:
    whole = _kernel.count_closed
    with mock.patch.object(_kernel, "count_closed", lambda *a, **words: whole(*a, **words | {"layout": layout})):
        return count_closed(rows, **options)


@pytest.mark.parametrize("layout", ["auto", "bitmaps", "lists"])
@pytest.mark.parametrize("some", parts(120, 2))
def test_as_many_are_counted_as_there_are(some: range, layout: str):
    for seed in some:
        rows, least = dense_rows(seed)
        expected = len(mined([list(row) for row in rows.unfold()], least, "closed"))
        for threads in (1, 3):
            assert counted_on(layout, rows, min_support=least, threads=threads) == expected, seed


@given(rows_of_labels(max_rows=40), st.integers(1, 6), st.sampled_from(["auto", "bitmaps", "lists"]))
def test_any_rows_are_counted_as_they_are_mined(rows, min_support, layout):
    transactions = Transactions.from_rows(rows)
    assert counted_on(layout, transactions, min_support=min_support) == len(mine(transactions, min_support=min_support))


def test_unions_are_counted_at_once():
    rows = Transactions.from_rows([[f"i{x}" for x in range(14) if x != left] for left in range(14)] * 50 + [[]])
    assert count_closed(rows, min_support=1, most_singly=200) == 2**14 - 2
    assert count_closed(rows, min_support=1, max_patterns=2**14 - 2) == 2**14 - 2
    with pytest.raises(TooManyPatterns, match="the limit of 16,381"):
        count_closed(rows, min_support=1, max_patterns=2**14 - 3)


def test_counting_is_given_up_where_it_is_no_faster():
    draw = random.Random(5)
    rows = Transactions.from_rows([draw.sample(range(40), 12) for _ in range(2000)])
    assert count_closed(rows, min_support=2) == len(mine(rows, min_support=2))
    assert count_closed(rows, min_support=2, most_singly=10) is None


def test_what_explodes_is_refused_by_its_count():
    rows = Transactions.from_rows([[f"i{x}" for x in range(26) if x != left] for left in range(26)])
    with pytest.raises(TooManyPatterns, match="more than 20,000,000 closed itemsets occur in at least 1 of 26 rows"):
        discreet.audit(rows, k=2, min_support=1)


@pytest.fixture
def few_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take all closed itemsets for very many."""
    monkeypatch.setattr(counted_patterns, "MOST_LISTED", -1)
    monkeypatch.setattr(border, "MOST_LISTED", -1)


@pytest.mark.usefixtures("few_listed")
def test_counted_patterns_are_those_mined():
    rows, least = dense_rows(3)
    patterns, expected = mine_or_count(rows, min_support=least), mine(rows, min_support=least)
    assert isinstance(patterns, CountedPatterns)
    assert len(patterns) == len(expected)
    assert "itemsets" not in vars(patterns)
    for itemset, support in zip(expected.itemsets, expected.supports.tolist(), strict=True):
        assert patterns.support_in_rows(itemset) == support
    collection = Collection(patterns, "closed", said=True)
    assert collection.maximal == Collection(expected, "closed", said=True).maximal
    assert collection.highest_support == expected.supports.max()
    assert "itemsets" not in vars(patterns)
    assert patterns == expected
    assert type(patterns) is PatternSet


@pytest.mark.usefixtures("few_listed")
@pytest.mark.parametrize("attacker", [False, True])
def test_an_audit_of_counted_patterns_is_the_same(attacker: bool, monkeypatch: pytest.MonkeyPatch):
    for seed in range(30):
        rows, least = dense_rows(seed)
        with monkeypatch.context() as as_usual:
            as_usual.setattr(counted_patterns, "MOST_LISTED", 10**9)
            as_usual.setattr(border, "MOST_LISTED", 10**9)
            expected = discreet.audit(rows, k=3, min_support=least, border=attacker).to_dict()
        with monkeypatch.context() as strict:
            strict.setattr(CountedPatterns, "__getattr__", None)  # nothing may be listed
            found = discreet.audit(rows, k=3, min_support=least, border=attacker).to_dict()
        expected.pop("proved"), found.pop("proved")  # a data set that proves safety is searched for in lists alone
        assert found == expected, seed


@pytest.mark.parametrize("some", parts(60, 2))
def test_rows_say_the_same_in_a_window_as_the_list(some: range):
    for seed in some:
        rows, least = dense_rows(seed)
        collection = Collection(mine(rows, min_support=least), "closed", said=True)
        listed = Knowledge.of(collection)
        with mock.patch.object(PatternSet, "__len__", return_value=1 << 40):  # more than kinds of rows
            of_rows = Knowledge.of(collection, kinds=kinds_of(rows, least))
        assert of_rows.layers[0].of_rows
        assert not listed.layers[0].of_rows
        assert np.array_equal(listed.items, of_rows.items)
        draw = random.Random(seed)
        items = sorted(draw.sample(listed.items.tolist(), min(len(listed.items), draw.randint(1, 6))))
        if items:
            window = np.array(items, np.int32)
            for one, other in zip(
                _kernel.window_program(listed.arrays, window),
                _kernel.window_program(of_rows.arrays, window),
                strict=True,
            ):
                assert np.array_equal(one, other), seed
