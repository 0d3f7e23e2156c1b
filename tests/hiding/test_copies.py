"""Two copies of the same rows, each safe, and what they give back together."""

from __future__ import annotations

import random

import pytest

from discreet import DataError, Transactions, hide
from discreet.hiding.copies import compare_copies
from tests import hiding_twin as twin


@pytest.mark.parametrize("seed", range(40))
def test_a_pair_holds_what_either_holds(seed: int):
    draw = random.Random(seed)
    rows = [[x for x in "abcdef" if draw.random() < 0.6] for _ in range(draw.randint(1, 25))]
    data = Transactions.from_rows([*rows, "abcdef"])
    patterns = [frozenset(draw.sample("abcdef", draw.randint(1, 3))) for _ in range(3)]
    one = hide(data, restrict=patterns, method="minfia")
    other = hide(data, restrict=patterns[:2], method="maxfia", disclosure=draw.choice([0, 0.4]))
    pair = compare_copies(one, other.rows)
    united = [a | b for a, b in zip(one.rows, other.rows, strict=True)]
    copies = (list(one.rows), list(other.rows), united)
    for said, counts in zip(one.restrictive, pair.patterns, strict=True):
        assert counts[:3] == tuple(len(twin.holders(each, said.items)) for each in copies)
    assert pair.restored_items == sum(map(len, united)) - sum(map(len, one.rows))
    assert pair.safe == all(not together for *_, together, _ in pair.patterns)


def test_the_same_job_twice_is_safe_and_different_jobs_are_not():
    data = Transactions.from_rows(["ab", "ab", "b"])
    one = hide(data, restrict=["a b"], method="minfia")
    assert compare_copies(one, hide(data, restrict=["a b"], method="minfia").rows).safe
    assert not compare_copies(one, hide(data, restrict=["a b"], method="maxfia").rows).safe
    assert not compare_copies(one, data).safe


def test_what_is_no_copy_is_refused():
    data = Transactions.from_rows(["ab", "b"])
    one = hide(data, restrict=["a b"], method="minfia")
    for other in (["ab"], ["ab", "bc"], ["ab", "ab"]):
        with pytest.raises(DataError, match="not a copy of these rows"):
            compare_copies(one, Transactions.from_rows(other))
    assert compare_copies(one, Transactions.from_rows(["ab", ""]).fold().unfold()).restored_items == 1
