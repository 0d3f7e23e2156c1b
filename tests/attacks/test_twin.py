"""The three ways to find entailed groups agree with each other, with golden answers and with sums done by hand."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from tests.attacks import twin
from tests.attacks.twin import Publication, entailed_by_enumeration, entailed_by_lp, entailed_by_milp, outside

GOLDEN = json.loads((Path(__file__).parent.parent / "data" / "entailed.json").read_text(encoding="utf-8"))
NAMES = [example["name"] for example in GOLDEN]


def sets(text: str) -> list[frozenset[str]]:
    """Return itemsets written as words of one-letter items."""
    return [frozenset(word) for word in text.split()]


def group(present: str, absent: str = "") -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(present), frozenset(absent)


def published(example: dict) -> Publication:
    supports = {frozenset(itemset["items"]): itemset["support"] for itemset in example["itemsets"]}
    exclusive = tuple(frozenset(together) for together in example["exclusive"])
    return Publication(example["n"], supports, example["min_support"], exclusive)


def wanted(example: dict) -> dict:
    return {
        (frozenset(one["present"]), frozenset(one["absent"])): (one["low"], one["high"]) for one in example["entailed"]
    }


def mined(rows: list[frozenset[str]], sigma: int, exclusive: tuple[frozenset[str], ...] = ()) -> Publication:
    """Return all frequent itemsets of the rows."""
    supports = {}
    for itemset in twin.subsets(frozenset().union(*rows)):
        support = sum(itemset <= row for row in rows)
        if itemset and support >= sigma:
            supports[itemset] = support
    return Publication(len(rows), supports, sigma, exclusive)


def random_rows(luck: random.Random, labels: str, exclusive: tuple[frozenset[str], ...]) -> list[frozenset[str]]:
    """Return 5 to 10 rows; of exclusive items a row keeps the first."""
    share = luck.choice([0.4, 0.6, 0.75])
    rows = []
    for _ in range(luck.randint(5, 10)):
        row = {item for item in labels if luck.random() < share}
        for together in exclusive:
            row -= set(sorted(row & together)[1:])
        rows.append(frozenset(row))
    return rows


def random_publication(seed: int) -> tuple[Publication, list[frozenset[str]], int]:
    """Return a complete publication, its rows and k. Every fourth has two items that exclude each other."""
    luck = random.Random(seed)
    exclusive = (frozenset("ab"),) if seed % 4 == 0 else ()
    rows = random_rows(luck, luck.choice(["abc", "abcd"]), exclusive)
    return mined(rows, luck.randint(2, 4), exclusive), rows, luck.randint(2, 3)


def check_the_three_agree(publication: Publication, rows: list[frozenset[str]], k: int) -> None:
    exact = entailed_by_enumeration(publication, k)
    assert entailed_by_milp(publication, k) == exact
    linear = entailed_by_lp(publication, k)
    for one, (low, high) in linear.items():
        assert low <= exact[one][0] <= exact[one][1] <= high
    for (present, absent), (low, high) in exact.items():
        assert low <= sum(present <= row and not absent & row for row in rows) <= high


# ---------------------------------------------------------------------------------------------------- golden answers


@pytest.mark.parametrize("example", GOLDEN, ids=NAMES)
def test_linear_programs_give_the_golden_answers(example):
    publication = published(example)
    assert outside(publication, entailed_by_lp(publication, example["k"])) == wanted(example)
    assert outside(publication, twin.entailed(publication, example["k"])) == wanted(example)


@pytest.mark.parametrize("example", GOLDEN, ids=NAMES)
def test_whole_rows_give_the_golden_answers(example):
    publication = published(example)
    assert outside(publication, entailed_by_milp(publication, example["k"])) == wanted(example)


@pytest.mark.parametrize(
    "example", [example for example in GOLDEN if not example["name"].startswith("running")], ids=lambda one: one["name"]
)
def test_enumeration_gives_the_golden_answers_where_items_are_few(example):
    publication = published(example)
    assert outside(publication, entailed_by_enumeration(publication, example["k"])) == wanted(example)


def test_without_the_knowledge_of_columns_nothing_follows():
    example = next(example for example in GOLDEN if example["exclusive"])
    publication = published(example | {"exclusive": []})
    assert outside(publication, entailed_by_lp(publication, example["k"])) == {}


def test_over_fewer_items_nothing_follows():
    example = GOLDEN[NAMES.index("other items' patterns")]
    assert entailed_by_lp(published(example), example["k"], items="ab") == {}


# ---------------------------------------------------------------------------------------------------- by hand


def test_an_unlisted_support_pinned_from_both_sides():
    # abc is at least ab + ac - a = 3; the rows with a, b or c are 14 + 14 + 13 - 9 - 8 - 5 + abc, at most 22.
    supports = dict(zip(sets("a b c ab ac bc"), [14, 14, 13, 9, 8, 5], strict=True))
    publication = Publication(22, supports, 5)
    for found in (
        entailed_by_lp(publication, 3),
        entailed_by_milp(publication, 3),
        entailed_by_enumeration(publication, 3),
    ):
        assert found[group("bc", "a")] == (2, 2)
        assert group("abc") not in found  # it has 3 rows, which is not below k
    assert entailed_by_enumeration(publication, 4)[group("abc")] == (3, 3)


def test_listed_groups_are_found_and_can_be_left_out():
    publication = Publication(10, dict(zip(sets("a b ab"), [8, 9, 7], strict=True)), 7)
    sizes = {
        group("", "a"): (2, 2),
        group("", "b"): (1, 1),
        group("a", "b"): (1, 1),
        group("b", "a"): (2, 2),
    }
    assert entailed_by_lp(publication, 3) == entailed_by_milp(publication, 3) == sizes
    assert entailed_by_enumeration(publication, 3) == sizes
    assert outside(publication, sizes) == {}


def test_an_incomplete_collection_says_nothing_of_what_it_does_not_list():
    # Three rows hold two a and two b, so one row has both, or two have.
    supports = dict(zip(sets("a b"), [2, 2], strict=True))
    incomplete, complete = Publication(3, supports, None), Publication(3, supports, 2)
    for way in (entailed_by_lp, entailed_by_milp, entailed_by_enumeration):
        assert way(incomplete, 3)[group("ab")] == (1, 2)
        assert group("ab") not in way(incomplete, 2)
        assert way(complete, 2)[group("ab")] == (1, 1)  # two rows would have been listed


def test_an_item_of_which_a_window_knows_only_that_it_excludes_another():
    publication = Publication(9, dict(zip(sets("ab c"), [4, 2], strict=True)), None, (frozenset("ac"),))
    exact = entailed_by_enumeration(publication, 3)
    found = entailed_by_lp(publication, 3, items="ac")
    assert found[group("c", "a")] == (2, 2)
    assert found.items() <= exact.items()


def test_parts_of_rows_hide_what_whole_rows_show():
    # Pairs alone, of 7 rows. Only three data sets fit, each with one row that has a, b and d. With parts of rows
    # there may be none.
    supports = dict(zip(sets("a b c d ab ac ad bc bd cd"), [4, 3, 3, 5, 1, 2, 3, 1, 2, 2], strict=True))
    publication = Publication(7, supports, None)
    assert len(list(twin.fitting_data_sets(publication))) == 3
    exact = entailed_by_enumeration(publication, 2)
    assert exact[group("abd")] == (1, 1)
    assert entailed_by_milp(publication, 2) == exact
    linear = entailed_by_lp(publication, 2)
    assert group("abd") not in linear
    assert linear.items() < exact.items()


def test_closed_itemsets_stand_for_their_parts():
    closed = dict(zip([frozenset(), *sets("a e ab ae de cde")], [12, 9, 11, 8, 8, 10, 9], strict=True))
    assert twin.expand_closed(closed) == dict(
        zip(sets("a b c d e ab ae cd ce de cde"), [9, 8, 9, 10, 11, 8, 8, 9, 9, 10, 9], strict=True)
    )


def test_sizes_of_groups_are_counts_of_rows():
    rows = random_rows(random.Random(5), "abcd", ())
    items = tuple("abcd")
    sizes = twin.group_sizes(items, Counter(rows))
    groups = list(twin.all_groups(items))
    assert len(set(groups)) == 3**4 - 1
    for present, absent in groups:
        place = twin.place_of(items, (present, absent))
        assert twin.group_at(items, place) == (present, absent)
        assert sizes[place] == sum(present <= row and not absent & row for row in rows)


def test_memberships_are_sums_over_groups():
    publication, items = Publication(9, dict.fromkeys(sets("a b c"), 4), None), tuple("abc")
    program = twin.Program(publication, items)
    groups = random.Random(6).sample(list(twin.all_groups(items)), 9)
    chosen = twin.group_sizes(items, {}) > 0
    for one in groups:
        chosen[twin.place_of(items, one)] = True
    belongs = twin.memberships(items, chosen, program.cells).tolist()
    assert belongs == sum(program.members(one) for one in groups).tolist()


# ---------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("way", [entailed_by_lp, entailed_by_milp, entailed_by_enumeration])
def test_a_publication_that_nothing_fits_is_refused(way):
    supports = dict(zip(sets("a b"), [3, 3], strict=True))
    with pytest.raises(ValueError, match="no data set fits"):
        way(Publication(5, supports, None, (frozenset("ab"),)), 3)


def test_rows_that_do_not_fit_are_refused():
    publication = Publication(3, dict(zip(sets("a b"), [2, 2], strict=True)), 2)
    entailed_by_lp(publication, 2, rows=Counter(sets("ab a bx")))
    for rows in ("ab a", "ab ab x", "a a b", "ab ab c"):
        with pytest.raises(ValueError, match="rows do not fit"):
            entailed_by_lp(publication, 2, rows=Counter(sets(rows)))


def test_too_many_items_holes_and_unknown_items_are_refused():
    many = Publication(3, dict.fromkeys(sets("a b c d e"), 2), None)
    with pytest.raises(ValueError, match="too many"):
        entailed_by_enumeration(many, 2)
    with pytest.raises(ValueError, match=r"\['a', 'b'\] is listed, \['[ab]'\] is not"):
        Publication(3, dict.fromkeys(sets("ab"), 2), 2)
    with pytest.raises(ValueError, match="empty itemset"):
        Publication(3, {frozenset(): 2})
    with pytest.raises(ValueError, match="published items"):
        entailed_by_lp(many, 2, items="ax")


# ---------------------------------------------------------------------------------------------------- windows


def test_few_items_are_one_window():
    publication = Publication(9, dict.fromkeys(sets(" ".join("abcdefghijk")), 5), 5)
    assert twin.windows(publication) == [frozenset("abcdefghijk")]


def test_many_items_are_seen_through_unions_of_two_maximal_itemsets():
    # The maximal ones have 5, 5, 3 and 2 items; the union of the first two is too large.
    supports = twin.expand_closed(dict.fromkeys(sets("abcde fghij klm al"), 5))
    assert twin.windows(Publication(9, supports, 5)) == maximal_first("abcdeklm fghijklm abcdel afghijl aklm")


def maximal_first(text: str) -> list[frozenset[str]]:
    """Return these itemsets without those that are in others, larger ones first."""
    kept = [one for one in sets(text) if not any(one < other for other in sets(text))]
    return sorted(kept, key=lambda one: (-len(one), sorted(one)))


def test_windows_find_the_smallest_case_among_many_items():
    example = GOLDEN[NAMES.index("smallest")]
    rows = sets("bdefghijkl ab c acdefghijkl bc bc")  # its rows, two of them with nine more items
    publication = mined(rows, example["min_support"])
    assert twin.windows(publication) == sets("abc")
    assert outside(publication, twin.entailed(publication, example["k"])) == wanted(example)
    assert outside(publication, twin.entailed(publication, example["k"], Counter(rows))) == wanted(example)


def test_what_windows_find_is_true_of_the_rows():
    luck = random.Random(8)
    rows = [frozenset(item for item in "abcdefghijkl" if luck.random() < 0.8) for _ in range(30)]
    publication = mined(rows, 21)
    assert len(publication.items) > twin.FEW_ITEMS
    found = outside(publication, twin.entailed(publication, 2, Counter(rows)))
    assert found
    for (present, absent), (low, high) in found.items():
        assert low <= sum(present <= row and not absent & row for row in rows) <= high


# ---------------------------------------------------------------------------------------------------- random data


@pytest.mark.parametrize("seed", range(60))
def test_the_three_agree_on_random_rows(seed):
    publication, rows, k = random_publication(seed)
    check_the_three_agree(publication, rows, k)


@pytest.mark.parametrize("seed", range(0, 60, 10))
def test_known_rows_change_no_answer(seed):
    publication, rows, k = random_publication(seed + 1)
    assert entailed_by_lp(publication, k, rows=Counter(rows)) == entailed_by_lp(publication, k)
    assert entailed_by_milp(publication, k, rows=Counter(rows)) == entailed_by_milp(publication, k)


@pytest.mark.parametrize("seed", range(20))
def test_the_three_agree_on_incomplete_collections(seed):
    luck = random.Random(seed)
    rows = random_rows(luck, "abc", ())
    supports = {itemset: support for itemset, support in mined(rows, 1).supports.items() if luck.random() < 0.7}
    check_the_three_agree(Publication(len(rows), supports, None), rows, luck.randint(2, 3))


def test_random_rows_entail_groups_that_are_not_listed():
    # The comparisons above would show little if hardly anything were entailed.
    found = [
        outside(publication, entailed_by_enumeration(publication, k))
        for publication, _, k in map(random_publication, range(60))
    ]
    assert sum(map(bool, found)) >= 15
