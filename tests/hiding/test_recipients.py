"""One copy for several recipients: it hides all lists, and the figures of separate copies are those of hide."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

import discreet
from discreet.errors import ParameterError
from discreet.hiding.recipients import HiddenForAll
from discreet.transactions.transactions import Transactions

LISTS = {"supplier": ["A B D"], "partner": ["A C D", "B D"], "press": ["B => C @ 0.5"]}
ROWS = Transactions.from_rows(["ABCD", "ABC", "ABD", "ACD", "ABC", "BD"])


def random_case(seed: int) -> tuple[list[frozenset[str]], dict[str, list[str]]]:
    """Draw rows and a list of itemsets for each of two to four recipients; an itemset may be in several."""
    draw = random.Random(seed)
    labels = "abcdef"
    rows = [frozenset(x for x in labels if draw.random() < 0.6) for _ in range(draw.randint(3, 15))]
    sets = [" ".join(each) for size in (1, 2, 3) for each in combinations(labels, size)]
    return rows, {f"r{number}": draw.sample(sets, draw.randint(1, 3)) for number in range(draw.randint(2, 4))}


def held(rows: list[frozenset[str]], itemset: str) -> int:
    return sum(frozenset(itemset.split()) <= row for row in rows)


@pytest.mark.parametrize("method", ["naive", "minfia", "maxfia", "iga", "rowwise"])
def test_nobody_mines_any_list_from_the_shared_copy_and_separate_ones_are_as_told(method: str) -> None:
    for seed in range(30):
        listed, lists = random_case(seed)
        rows = Transactions.from_rows(listed)
        asked = {"method": method, "ignore_unknown": True, "min_support": 2}
        done = discreet.hide_for(rows, recipients=lists, **asked)
        copy = list(done.rows)
        every = {*(itemset for each in lists.values() for itemset in each)}
        assert not any(held(copy, itemset) for itemset in every)
        assert all(now <= before for now, before in zip(copy, listed, strict=True))
        copies = {}
        for each in done.recipients:
            alone = discreet.hide(rows, restrict=lists[each.name], **asked)
            assert list(each.own.rows) == list(alone.rows)
            assert each.to_dict()["own"]["misses_cost"] == float(alone.side_effects.misses_cost)
            assert each.seen_less == len(every - {*lists[each.name]})
            copies[each.name] = list(alone.rows)
        assert [pair.names for pair in done.pairs] == list(combinations(lists, 2))
        for pair in done.pairs:
            united = [one | other for one, other in zip(*(copies[name] for name in pair.names), strict=True)]
            back = tuple(sum(held(united, itemset) > 0 for itemset in {*lists[name]}) for name in pair.names)
            assert pair.restored == back
            assert pair.safe == (not any(back))


def test_rules_and_thresholds_are_shared_too() -> None:
    done = discreet.hide_for(ROWS, recipients=LISTS, method="iga")
    assert isinstance(done, HiddenForAll)
    copy = list(done.rows)
    assert held(copy, "B C") < 0.5 * held(copy, "B")
    assert done.pairs[0].restored == (0, 2)  # the supplier's copy has what the partner must not see
    strict = discreet.hide_for(ROWS, recipients={"one": ["A B @ 0.5"], "other": ["A B"]}, method="iga")
    assert held(list(strict.rows), "A B") == 0  # the strictest of several thresholds holds
    document = done.to_dict()
    assert [each["name"] for each in document["recipients"]] == list(LISTS)
    assert document["pairs"][0]["between"] == ["supplier", "partner"]
    assert document["verdict"] == "hidden"


def test_equal_lists_give_equal_copies() -> None:
    done = discreet.hide_for(ROWS, recipients={"one": ["A B D"], "other": ["A B D"]}, method="minfia")
    assert done.pairs[0].safe
    assert done.pairs[0].restored_items == 0


def test_an_index_does_as_well_as_the_rows() -> None:
    index = discreet.InvertedFile.build(ROWS)
    one, other = (discreet.hide_for(each, recipients=LISTS, method="maxfia") for each in (ROWS, index))
    assert one.to_dict() == other.to_dict()


def test_below_a_support_the_shared_copy_hides_all_lists() -> None:
    done = discreet.hide_for(ROWS, recipients={"supplier": ["A B"], "partner": ["C"]}, below=3)
    copy = list(done.rows)
    assert held(copy, "A B") < 3 > held(copy, "C")
    assert all(each.own.below == 3 for each in done.recipients)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ParameterError, match="recipients must name 1 to 20 recipients"):
        discreet.hide_for(ROWS, recipients={}, method="iga")
    with pytest.raises(ParameterError, match="hide_for takes a list for each recipient"):
        discreet.hide(ROWS, restrict=LISTS, method="iga")
    with pytest.raises(ParameterError, match="cannot be spared"):
        discreet.hide_for(ROWS, recipients=LISTS, method="iga", protect=["A B C D"])
