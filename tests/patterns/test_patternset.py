"""PatternSet: what it refuses, its order, and its other forms."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, InputError, ParameterError
from discreet.itemsets import Itemsets
from discreet.patterns.patternset import PatternSet
from discreet.transactions.vocabulary import Vocabulary
from tests.patterns.pattern_strategies import pattern_sets

FOUND = [(["a"], 3), (["b"], 4), (["a", "b"], 2)]


def built(**changes) -> PatternSet:
    fields = {
        "offsets": np.array([0, 1, 2, 4]),
        "items": np.array([0, 1, 0, 1], np.int32),
        "supports": np.array([3, 4, 2]),
        "vocabulary": Vocabulary("ab"),
        "n": 5,
        "min_support": 2,
        "target": "all",
    }
    fields |= changes
    return PatternSet(itemsets=Itemsets(fields.pop("offsets"), fields.pop("items")), **fields)


def test_what_is_right_is_taken():
    assert built() == PatternSet.from_itemsets(FOUND, n=5, min_support=2)
    assert built(max_length=2).max_length == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"offsets": np.array([0, 1, 2])}, "one support per itemset"),
        ({"offsets": np.array([0, 2, 1, 4])}, "inconsistent"),
        ({"offsets": np.array([0, 1, 2, 9])}, "inconsistent"),
        ({"items": np.array([0, 1, 1, 0], np.int32)}, "inconsistent"),
        ({"items": np.array([0, 1, 0, 0], np.int32)}, "inconsistent"),
        ({"items": np.array([0, 1, 0, 2], np.int32)}, "inconsistent"),
        ({"items": np.array([1, 0, 0, 1], np.int32)}, "itemset 2 does not come after"),
        ({"items": np.array([0, 0, 0, 1], np.int32)}, "itemset 2 does not come after"),
        (
            {"offsets": np.array([0, 2, 3, 4]), "items": np.array([0, 1, 0, 1], np.int32)},
            "itemset 2 does not come after",
        ),
        ({"offsets": np.array([0, 0, 1, 2]), "items": np.array([0, 1], np.int32)}, "empty itemset"),
        ({"supports": np.array([3, 6, 2])}, "support of itemset 2 is not between min_support, 2, and n, 5"),
        ({"supports": np.array([3, 4, 1])}, "support of itemset 3"),
        ({"supports": np.array([3.0, 4.0, 2.0])}, "whole numbers"),
        ({"max_length": 1}, "longer than max_length"),
        ({"max_length": 0}, "max_length must be"),
        ({"min_support": 0}, "min_support must be"),
        ({"n": -1}, "n must be"),
        ({"n": True}, "n must be"),
        ({"target": "some"}, "target must be"),
    ],
)
def test_what_is_wrong_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        built(**changes)


def test_arrays_cannot_be_changed():
    found = built()
    for array in (found.offsets, found.items, found.supports):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_repeated_itemsets_and_items_are_refused():
    with pytest.raises(DataError, match="itemset 3: the same itemset as in itemset 1"):
        PatternSet.from_itemsets([("ab", 2), ("a", 2), ("ba", 2)], n=3, min_support=1)
    with pytest.raises(DataError, match="itemset 2: an item occurs twice"):
        PatternSet.from_itemsets([("ab", 2), ("aa", 2)], n=3, min_support=1)


def test_numbers_are_labels_and_sort_as_numbers():
    found = PatternSet.from_itemsets([([10, 9], 1), ([9], 2), ([np.int64(10)], 1)], n=2, min_support=1)
    assert [item["items"] for item in found.to_dict()["itemsets"]] == [["9"], ["10"], ["9", "10"]]


def test_a_share_of_rows_is_taken_exactly():
    assert PatternSet.from_itemsets([], n=100, min_support=0.07).min_support == 7
    assert PatternSet.from_itemsets([], n=100, min_support=Fraction(1, 3)).min_support == 34


@given(pattern_sets(), st.randoms())
def test_order_is_by_length_then_by_labels(found, random):
    pairs = list(found)
    random.shuffle(pairs)
    again = PatternSet.from_itemsets(
        pairs, n=found.n, min_support=found.min_support, target=found.target, max_length=found.max_length
    )
    assert again == found
    rows = [found.items[a:b].tolist() for a, b in zip(found.offsets[:-1], found.offsets[1:], strict=True)]
    assert rows == sorted(rows, key=lambda row: (len(row), row))
    assert list(found.vocabulary) == sorted(found.vocabulary) or all(
        label.lstrip("-").isdigit() for label in found.vocabulary
    )


@given(pattern_sets(), st.data())
def test_support_of_finds_each_itemset_and_nothing_else(found, data):
    for itemset, support in found:
        assert found.support_of(itemset) == support
    assert found.support_of([]) == found.n
    some = data.draw(st.frozensets(st.sampled_from([*found.vocabulary, "not there"])))
    assert found.support_of(some) == (dict(found) | {frozenset(): found.n}).get(some)


def test_many_labels_sort_like_few():
    """Items that need many bits are packed few to a key."""
    generator = np.random.default_rng(5)
    labels = [f"{number:07}x" for number in range(300_000)]
    rows = {tuple(sorted(generator.choice(300_000, 5, replace=False).tolist())) for _ in range(200)}
    rows |= {(*row[:4], 299_999) for row in rows}
    shuffled = list(rows)
    generator.shuffle(shuffled)
    found = PatternSet.from_codes(
        Itemsets.of_matrix(np.array(shuffled, np.int32)),
        np.ones(len(shuffled), np.int64),
        Vocabulary.from_canonical(labels),
        n=1,
        min_support=1,
        target="maximal",
    )
    assert found.items.reshape(-1, 5).tolist() == sorted(map(list, rows))


def test_labels_that_no_itemset_holds_make_no_difference():
    """They change the order, too: without "x" the labels are numbers."""
    arrays = {"supports": np.array([1, 1, 1]), "n": 1, "min_support": 1, "target": "all"}
    one = PatternSet(
        itemsets=Itemsets(np.array([0, 1, 2, 4]), np.array([0, 1, 0, 1], np.int32)),
        vocabulary=Vocabulary(["10", "9", "x"]),
        **arrays,
    )
    two = PatternSet.from_itemsets([(["9"], 1), (["10"], 1), (["9", "10"], 1)], n=1, min_support=1)
    assert one == two
    assert one.vocabulary != two.vocabulary
    assert one != PatternSet.from_itemsets([(["9"], 1), (["x"], 1), (["9", "x"], 1)], n=1, min_support=1)


@pytest.mark.parametrize(
    "change", [{"n": 6}, {"min_support": 1}, {"target": "closed"}, {"max_length": 2}, {"supports": np.array([3, 4, 3])}]
)
def test_differences_that_matter(change):
    assert built() != built(**change)


def test_equality_is_not_for_other_things():
    assert built() != "patterns"
    with pytest.raises(TypeError, match="unhashable"):
        hash(built())


@given(pattern_sets())
def test_every_form_tells_the_same(found):
    pairs = list(found)
    document = found.to_dict()
    assert [(frozenset(entry["items"]), entry["support"]) for entry in document["itemsets"]] == pairs
    assert document["count"] == len(found) == len(pairs)
    assert list(document)[:3] == ["n", "min_support", "target"]
    assert ("max_length" in document) == (found.max_length is not None)

    table = found.to_arrow()
    assert table.schema.names == ["items", "support"]
    assert [(frozenset(row["items"]), row["support"]) for row in table.to_pylist()] == pairs
    assert [(frozenset(items), support) for items, support in found.to_polars().iter_rows()] == pairs

    frame = found.to_pandas()
    assert list(frame.columns) == ["support", "itemsets", "count"]
    assert list(zip(frame["itemsets"], frame["count"], strict=True)) == pairs
    assert frame["support"].tolist() == [support / found.n for _, support in pairs]


def test_the_json_form_is_as_documented():
    assert json.loads(json.dumps(built().to_dict())) == {
        "n": 5,
        "min_support": 2,
        "target": "all",
        "count": 3,
        "itemsets": [
            {"items": ["a"], "support": 3},
            {"items": ["b"], "support": 4},
            {"items": ["a", "b"], "support": 2},
        ],
    }


def test_shown_in_one_line_and_as_a_table():
    found = PatternSet.from_itemsets([(["<b>", "&"], 1234)], n=2000, min_support=1000, target="closed", max_length=3)
    assert repr(found) == "<PatternSet: 1 itemsets (closed), n 2,000, min_support 1,000, max_length 3>"
    shown = found._repr_html_()
    assert "&amp;, &lt;b&gt;" in shown
    assert "1,234" in shown
    assert "<b>" not in shown
    long = PatternSet.from_itemsets(
        [([f"{i:02}" for i in range(20)], 1)] + [([f"{i:02}"], 1) for i in range(20)], n=1, min_support=1
    )
    assert long._repr_html_().count("<tr>") == 11


def test_a_label_that_is_no_unicode_has_no_table():
    found = PatternSet.from_itemsets([(["\ud800"], 1)], n=1, min_support=1)
    with pytest.raises(DataError, match="surrogate"):
        found.to_arrow()


def test_a_bad_label_is_refused():
    with pytest.raises(DataError, match="label must be text or a whole number"):
        PatternSet.from_itemsets([([1.5], 1)], n=1, min_support=1)


def test_a_bad_threshold_is_refused():
    with pytest.raises(ParameterError, match="min_support"):
        PatternSet.from_itemsets([], n=5, min_support="150%")
