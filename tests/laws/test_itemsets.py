"""What itemsets as two arrays promise: the same as lists of Python sets, in the canonical order."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _kernel
from discreet.errors import DataError
from discreet.itemsets import Itemsets

LABELS = 9
SETS = st.lists(st.frozensets(st.integers(0, LABELS - 1)), max_size=12)
NAMES = "abcdefghi"


def made(sets: list[frozenset[int]]) -> Itemsets:
    return Itemsets.of(map(sorted, sets))


def listed(itemsets: Itemsets) -> list[frozenset[int]]:
    itemsets.check(LABELS)  # what every operation must keep
    assert itemsets.offsets.dtype == np.int64
    assert itemsets.items.dtype == np.int32
    return [frozenset(items.tolist()) for items in itemsets]


def rank(itemset: frozenset[int]) -> tuple[int, list[int]]:
    return len(itemset), sorted(itemset)


@given(SETS)
def test_they_hold_what_they_were_made_of(sets):
    itemsets = made(sets)
    assert listed(itemsets) == sets
    assert len(itemsets) == len(sets)
    assert itemsets.lengths.tolist() == [len(each) for each in sets]
    assert itemsets.owners.tolist() == [number for number, each in enumerate(sets) for _ in each]
    assert list(itemsets.labels(NAMES)) == [[NAMES[item] for item in sorted(each)] for each in sets]
    assert itemsets.incidence(LABELS).tolist() == [[item in each for item in range(LABELS)] for each in sets]
    assert [frozenset(itemsets[number].tolist()) for number in range(len(sets))] == sets
    assert itemsets == made(sets)
    assert (itemsets == itemsets.with_empty()) is False
    assert itemsets != sets


@given(SETS, st.data())
def test_some_of_them(sets, data):
    itemsets = made(sets)
    chosen = data.draw(st.lists(st.integers(0, len(sets) - 1), max_size=9)) if sets else []
    first = data.draw(st.integers(0, len(sets)))
    last = data.draw(st.integers(first, len(sets)))
    assert listed(itemsets.select(np.array(chosen, np.int64))) == [sets[number] for number in chosen]
    assert listed(itemsets.part(first, last)) == sets[first:last]


@given(SETS, SETS, SETS)
def test_more_of_them(sets, others, third):
    assert listed(made(sets).followed_by(made(others), made(third))) == sets + others + third
    assert listed(made(sets).with_empty()) == [frozenset(), *sets]
    new = [each for number, each in enumerate(sets) if each not in others and each not in sets[:number]]
    assert listed(made(sets).not_in(made(others))) == new


@given(st.lists(st.tuples(*[st.frozensets(st.integers(0, LABELS - 1))] * 2), max_size=12))
def test_other_items_in_each_of_them(pairs):
    one, other = (made([pair[side] for pair in pairs]) for side in (0, 1))
    assert listed(one.joined_with(other)) == [a | b for a, b in pairs]
    assert listed(one.without(other)) == [a - b for a, b in pairs]
    assert listed(one.keeping(one.items % 2 == 0)) == [frozenset(x for x in a if x % 2 == 0) for a, _ in pairs]


@given(SETS, st.lists(st.integers(-1, LABELS - 1), min_size=LABELS, max_size=LABELS))
def test_items_get_other_numbers_and_leave(sets, numbers):
    wanted = [frozenset(numbers[item] for item in each) - {-1} for each in sets]
    assert listed(made(sets).renumbered(np.array(numbers, np.int32))) == wanted


@given(SETS)
def test_their_order(sets):
    itemsets = made(sets)
    order = itemsets.order().tolist()
    assert order == sorted(range(len(sets)), key=lambda number: rank(sets[number]))  # and stable
    assert listed(itemsets.sorted()) == sorted(sets, key=rank)
    distinct = sorted(set(sets), key=rank)
    assert listed(itemsets.distinct()) == distinct
    assert itemsets.ranks().tolist() == [distinct.index(each) + 1 for each in sets]
    out = next((at for at in range(1, len(sets)) if rank(sets[at]) <= rank(sets[at - 1])), None)
    by_length = next((at for at in range(1, len(sets)) if len(sets[at]) < len(sets[at - 1])), None)
    assert itemsets.first_out_of_order() == (out if by_length is None else by_length)
    ordered = [None, *sorted(sets, key=rank)]
    assert itemsets.sorted().is_new().tolist() == [before != after for before, after in pairwise(ordered)]


@given(SETS)
def test_what_was_read_is_put_in_order_or_refused_by_its_place(sets):
    codes = Itemsets.of([*each] for each in sets)  # in any order
    if len(set(sets)) < len(sets):
        with pytest.raises(DataError, match=r"set \d+: the same itemset as in set \d+"):
            codes.in_order(None, lambda number: f"set {number}")
        return
    itemsets, order = codes.in_order(None, str)
    assert listed(itemsets) == sorted(sets, key=rank)
    assert (order is None) == (sets == sorted(sets, key=rank))


def test_a_repeated_item_is_refused_by_its_place():
    with pytest.raises(DataError, match="line 2: an item occurs twice"):
        Itemsets.of([[1], [2, 2]]).in_order(None, lambda number: f"line {number + 1}")


@given(SETS, SETS, st.lists(st.integers(1, 5), min_size=12, max_size=12))
def test_what_others_say_of_them(sets, rows, weights):
    itemsets = made(sets)
    counted = itemsets.count_in(made(rows), np.array(weights[: len(rows)]), LABELS)
    assert counted.tolist() == [sum(w for row, w in zip(rows, weights, strict=False) if each <= row) for each in sets]
    for weighed in (np.array(weights[: len(rows)]), None):  # either way of counting, whichever is taken
        one, other = (_kernel.count_supersets(itemsets, made(rows), weighed, LABELS, way) for way in (True, False))
        assert one.tolist() == other.tolist()
    known = sorted({row for row in rows if row}, key=rank)
    supports = np.arange(1, len(known) + 1)
    found = itemsets.supports_in(made(known), supports, LABELS).tolist()
    assert found == [known.index(each) + 1 if each in known else 0 for each in sets]
    largest = [each for each in known if not any(each < other for other in known)]
    assert listed(made(known).maximal(LABELS)) == largest
    assert listed(made([frozenset(), *known]).maximal(LABELS)) == (largest or [frozenset()])


def test_the_kernel_reads_the_arrays_in_place_and_refuses_what_they_are_not():
    itemsets = made([frozenset({1, 2}), frozenset()])
    itemsets.freeze()
    with pytest.raises(ValueError, match="read-only"):
        itemsets.items[0] = 7
    for wrong in (None, 5, "items", (itemsets.offsets, itemsets.items)):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            _kernel.check_rows(wrong, 3)
    for offsets, items in (([0, 3], [1]), ([1, 1], []), ([0, 2], [2, 1]), ([0, 1], [3])):
        with pytest.raises(ValueError):  # noqa: PT011 - each in its own words
            Itemsets(np.array(offsets, np.int64), np.array(items, np.int32)).check(3)
