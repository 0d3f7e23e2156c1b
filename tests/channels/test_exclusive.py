"""Items that exclude each other: the columns of a table, what the owner names, and what only looks like it."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet.channels import exclusive as module
from discreet.channels.exclusive import (
    Exclusive,
    ExclusiveHint,
    exclusive_in_patterns,
    exclusive_in_rows,
    looks_exclusive,
)
from discreet.channels.exclusive_names import attribute_of, parse_exclusive
from discreet.command_words import one_word
from discreet.errors import ParameterError
from discreet.patterns.mining import mine
from discreet.patterns.patternset import PatternSet, trimmed
from discreet.transactions.layout import Layout
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from tests.strategies import transactions

TABLE = """id,sex,age,city
1,f,60-69,Oslo
2,m,70-79,
3,f,70-79,Bergen
4,m,60-69,Oslo
"""
SEX = ("sex=f", "sex=m")
AGE = ("age=60-69", "age=70-79")
CITY = ("city=Bergen", "city=Oslo")
VISITS = Transactions.from_rows(
    [["age 60-69", "tea"], ["age 70-79", "wine"], ["age 70-79", "beer", "cake"], ["agenda", "age 60-69"], []]
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(TABLE)
    return discreet.read(path, id_column="id")


def holds_two(row, labels) -> bool:
    return len(set(row) & set(labels)) > 1


def refused(call, *args, **options) -> str:
    with pytest.raises(ParameterError) as caught:
        call(*args, **options)
    assert caught.value.parameter == "exclusive"
    return str(caught.value)


# Columns of a table


def test_the_values_of_a_column_exclude_each_other(table):
    found = exclusive_in_rows(table)
    assert found == Exclusive(sets=(SEX, AGE, CITY), columns=("sex", "age", "city"))
    assert found.named == ()


def test_the_ids_are_no_column(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("sex,sex=x,age\n1,p,60\n2,q,70\n")
    found = exclusive_in_rows(discreet.read(path, id_column="sex"))
    assert found.columns == ("sex=x", "age")
    assert found.sets == (("age=60", "age=70"), ("sex=x=p", "sex=x=q"))


def test_a_column_may_have_an_equals_sign_in_its_name(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("a=b,c\nx=y,1\nz,2\n")
    assert exclusive_in_rows(discreet.read(path)).sets == (("a=b=x=y", "a=b=z"), ("c=1", "c=2"))


def test_rows_that_lost_their_layout_take_it_from_elsewhere(table):
    folded = table.fold()
    assert not exclusive_in_rows(folded)
    assert exclusive_in_rows(folded, layout=table.layout) == exclusive_in_rows(table)


def test_only_a_table_has_columns(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("id,item\n1,sex=f\n1,age=60\n2,sex=m\n")
    assert exclusive_in_rows(discreet.read(path, format="long", id_column="id", item_column="item")) == Exclusive()


def test_a_column_of_which_a_row_has_two_values_is_not_exclusive(table):
    merged = Transactions.from_rows([["sex=f", "sex=m", "age=60-69"], ["age=70-79"]])
    assert exclusive_in_rows(merged, layout=table.layout) == Exclusive(sets=(AGE,), columns=("age",))


def test_a_column_with_one_value_is_named_without_a_set(table):
    rows = Transactions.from_rows([["sex=f"], ["sex=f", "tea"]])
    assert exclusive_in_rows(rows, layout=table.layout) == Exclusive(columns=("sex",))


CELLS = st.lists(st.sampled_from(["a=1", "a=2", "a=3", "b=1", "b=2", "b=c=1", "b=c=2", "c=1", "t"]), max_size=4)


@given(st.lists(CELLS, max_size=8), st.sets(st.sampled_from(["a", "b", "b=c", "c"])), st.integers(1, 5))
def test_no_set_is_found_that_a_row_contradicts_and_none_is_missed(listed, columns, block):
    layout = Layout(shape="table", container="csv", columns=tuple(sorted(columns)))
    rows = replace(Transactions.from_rows(listed), layout=layout)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        found = exclusive_in_rows(rows)
    values = {column: set() for column in columns}
    for label in rows.vocabulary:
        if owners := [column for column in columns if label.startswith(f"{column}=")]:
            values[max(owners, key=len)].add(label)
    alone = {
        column: tuple(sorted(labels))
        for column, labels in values.items()
        if labels and not any(holds_two(row, labels) for row in listed)
    }
    assert set(found.columns) == set(alone)
    assert found.sets == tuple(sorted(labels for labels in alone.values() if len(labels) > 1))


# Named sets


@pytest.mark.parametrize(
    ("named", "lists"),
    [
        (None, ()),
        ([], ()),
        ("beer,wine", (("beer", "wine"),)),
        ('beer,"wine, red"', (("beer", "wine, red"),)),
        (["beer", "wine, red"], (("beer", "wine, red"),)),
        ([["beer", "wine"], ["age"]], (("beer", "wine"), ("age",))),
        ([("beer", "wine"), "age,sex"], (("beer", "wine"), ("age", "sex"))),
    ],
)
def test_lists_in_every_form(named, lists):
    assert parse_exclusive(named) == lists


def test_the_command_line_gives_one_list_per_option():
    assert parse_exclusive(["age", "beer,wine"], typed=True) == (("age",), ("beer", "wine"))


def test_a_list_in_a_file(tmp_path):
    path = tmp_path / "drinks.txt"
    path.write_text("beer\nwine, red\n")
    assert parse_exclusive(path) == parse_exclusive(f"@{path}") == (("beer", "wine, red"),)
    assert parse_exclusive([f"@{path}", "age"], typed=True) == (("beer", "wine, red"), ("age",))


@pytest.mark.parametrize(
    "strange", [7, ["beer", 7], [["beer", 0]], [["beer", "beer"]], [[]], [[""]], "a,a", "", ["a", "a"]]
)
def test_what_is_no_list_of_labels_is_refused(strange):
    assert "exclusive" in refused(parse_exclusive, strange)


def test_the_labels_of_one_list_are_one_set_and_those_of_two_are_two():
    assert exclusive_in_rows(VISITS, "beer,tea,wine").sets == (("beer", "tea", "wine"),)
    assert exclusive_in_rows(VISITS, [["tea", "wine"], ["tea", "beer"]]).sets == (("beer", "tea"), ("tea", "wine"))


def test_a_beginning_is_a_set_of_its_own():
    found = exclusive_in_rows(VISITS, [["beer", "age 6", "tea", "age "]], ignore_unknown=True)
    assert found.sets == (("age 60-69", "age 70-79"), ("beer", "tea"))
    assert found.named == found.sets


def test_a_column_goes_before_a_beginning(table):
    rows = Transactions.from_rows([["sex=f", "sexton"], ["sex=m", "sexton"]])
    assert exclusive_in_rows(rows, "sex").sets == (SEX,)
    assert exclusive_in_rows(table, "sex") == exclusive_in_rows(table), "what a column says needs no name"


def test_a_label_goes_before_a_beginning():
    rows = Transactions.from_rows([["age", "age 60"], ["age 70"]])
    assert refused(exclusive_in_rows, rows, "age") == (
        "exclusive names the item 'age' alone; name at least two that exclude each other"
    )


def test_names_that_name_nothing():
    assert refused(exclusive_in_rows, VISITS, "beer,wien") == (
        "entry 2 of exclusive names the label 'wien', which is neither an item, a column nor what items begin with in "
        "the data; check the spelling, or give ignore_unknown=True to accept it"
    )
    assert refused(exclusive_in_rows, VISITS, "win").startswith("only one item begins with 'win'; ")
    assert exclusive_in_rows(VISITS, "beer,wien,win", ignore_unknown=True) == Exclusive()


def test_a_row_that_contradicts_is_cited_by_its_place():
    assert refused(exclusive_in_rows, VISITS, "tea,beer,cake,wine") == (
        "row 3 holds two of the items named in exclusive ('tea', 'beer', 'cake', …); name only items of which each row "
        "has at most one, or correct the row"
    )
    assert refused(exclusive_in_rows, VISITS, "age").startswith(
        "row 4 holds two of the items named in exclusive ('age');"
    )
    assert refused(exclusive_in_rows, VISITS.fold(), "age").startswith("distinct row 4 holds two ")


def test_thousands_of_rows_are_written_as_elsewhere():
    rows = Transactions.from_rows([["a"], ["b"]] * 600 + [["a", "b"]])
    assert refused(exclusive_in_rows, rows, "a,b").startswith("row 1,201 holds two ")


@given(transactions(), st.lists(st.sets(st.sampled_from("abcdefgh"), min_size=2), max_size=3))
def test_named_sets_are_refused_exactly_where_a_row_contradicts(rows, named):
    lists = [sorted(each & set(rows.vocabulary)) for each in named]
    lists = [each for each in lists if len(each) > 1]
    wrong = [number for number, row in enumerate(rows, 1) if any(holds_two(row, each) for each in lists)]
    if wrong:
        assert int(refused(exclusive_in_rows, rows, lists).split()[1]) in wrong
    else:
        found = exclusive_in_rows(rows, lists)
        assert found.sets == found.named == Exclusive(sets=tuple(map(tuple, lists))).sets


# Itemsets without rows

PATTERNS = PatternSet.from_itemsets(
    [(["sex=f"], 3), (["sex=m"], 4), (["tea"], 5), (["wine"], 3), (["sex=m", "tea"], 3)], n=7, min_support=3
)


def test_columns_of_a_certificate():
    assert exclusive_in_patterns(PATTERNS, columns=["sex", "age"]) == Exclusive(sets=(SEX,), columns=("sex",))


def test_an_itemset_that_contradicts_is_cited_by_its_place():
    assert refused(exclusive_in_patterns, PATTERNS, "sex=m,tea") == (
        "itemset 5, by length and then by label, holds two of the items named in exclusive ('sex=m', 'tea'); name only "
        "items that no row has both of"
    )
    wrong = PatternSet.from_itemsets([(["sex=f", "sex=m"], 3)], n=7, min_support=3, target="closed")
    assert refused(exclusive_in_patterns, wrong, columns=["sex"]) == (
        "itemset 1, by length and then by label, holds two values of column 'sex'; leave the column out"
    )


def test_supports_that_add_up_to_more_than_all_rows_contradict():
    assert refused(exclusive_in_patterns, PATTERNS, "tea,wine") == (
        "some row must hold two of the items named in exclusive ('tea', 'wine'), for their supports add up to more "
        "than the 7 rows; name only items that no row has both of"
    )
    assert exclusive_in_patterns(PATTERNS, "sex=f,wine").named == (("sex=f", "wine"),)


@given(transactions(), st.integers(1, 4), st.sampled_from(["all", "closed", "maximal"]), st.data())
def test_what_is_true_of_the_rows_is_never_refused_for_their_itemsets(rows, sigma, target, data):
    pairs = list(combinations(rows.vocabulary, 2))
    apart = [pair for pair in pairs if not any(holds_two(row, pair) for row in rows)]
    named = data.draw(st.lists(st.sampled_from(apart), unique=True, max_size=3)) if apart else []
    patterns = mine(rows, min_support=sigma, target=target)
    told = exclusive_in_rows(rows, named)
    assert exclusive_in_patterns(patterns, named) == told
    published = trimmed(patterns)
    assert exclusive_in_patterns(published, named, ignore_unknown=True) == told.within(published.vocabulary)


# The sets themselves

SETS = st.lists(st.lists(st.sampled_from(["a=1", "a=2", "a=3", "b=1", "b=2", "x", "y", "z"]), max_size=5), max_size=5)
COLUMNS = st.sampled_from([(), ("a",), ("a", "b")])


@given(SETS, SETS, COLUMNS)
def test_sets_are_in_order_and_none_is_within_another(sets, named, columns):
    made = Exclusive(sets=sets, columns=columns, named=named)
    assert list(made.sets) == sorted(made.sets)
    assert all(len(each) > 1 and list(each) == sorted(set(each)) for each in made.sets)
    assert not any(set(one) <= set(two) for one in made.sets for two in made.sets if one != two)
    for each in (*sets, *named):
        assert len(set(each)) < 2 or any(set(each) <= set(one) for one in made.sets)
    assert set(made.named) <= set(made.sets)
    assert bool(made) == (made.sets != ())
    assert Exclusive(sets=made.sets, columns=made.columns, named=made.named) == made


@given(SETS, SETS, st.sets(st.sampled_from(["a=1", "a=2", "b=1", "b=2", "x", "y", "w"])))
def test_itemsets_round_trip(sets, named, labels):
    made = Exclusive(sets=sets, columns=("a", "b"), named=named)
    vocabulary = Vocabulary(labels)
    itemsets = made.itemsets(vocabulary)
    assert itemsets.offsets.dtype == np.int64
    assert itemsets.items.dtype == np.int32
    back = [[vocabulary[item] for item in itemsets[number].tolist()] for number in range(len(itemsets))]
    assert tuple(map(tuple, back)) == made.within(labels).sets
    assert all((np.diff(itemsets[number]) > 0).all() for number in range(len(itemsets)))
    pairs = {pair for each in made.sets for pair in combinations(each, 2) if labels.issuperset(pair)}
    assert pairs == {pair for each in back for pair in combinations(sorted(each), 2)}
    assert set(made.within(labels).columns) == {label[0] for label in labels if "=" in label}


def test_items_ascend_where_labels_are_numbers():
    itemsets = Exclusive(sets=(("10", "9"),)).itemsets(Vocabulary(["9", "10", "11"]))
    assert itemsets[0].tolist() == [0, 1]


def test_a_publication_keeps_the_columns_it_shows(table):
    shown = exclusive_in_rows(table).within(["sex=f", "age=60-69", "age=70-79"])
    assert shown == Exclusive(sets=(AGE,), columns=("sex", "age"))


# What only looks exclusive


@pytest.mark.parametrize(
    ("label", "attribute"),
    [
        ("sex=f", "sex"),
        ("ab=b=c", "ab=b"),
        ("hours=<=20", "hours"),
        ("hours=(20,40]", "hours"),
        ("hours<=20", "hours"),
        ("hours >= 40", "hours"),
        ("icd:E11", "icd:"),
        ("seen at 10:30", "seen at"),
        ("http://example.org", None),
        ("age 60-69", "age"),
        ("age 60 to 69", "age"),
        ("age_60_69", "age"),
        ("age60+", "age"),
        ("age (20,40]", "age"),
        ("Alter 60–69", "Alter"),  # noqa: RUF001 - a range as it is printed
        ("visit 2 age 60-69", "visit 2 age"),
        ("income 10k-20k", "income"),
        ("cola 330 ml can", "cola"),
        ("vitamin b12", None),
        ("1984", None),
        ("60-69", None),
        ("7up", None),
        ("x=1", None),
        ("age=", None),
        ("tea", None),
        ("", None),
        ("age " + "1," * 5000, None),
    ],
)
def test_attributes(label, attribute):
    assert attribute_of(label) == attribute


def test_items_that_never_meet_and_look_like_one_attribute():
    rows = Transactions.from_rows(
        [["age 60-69", "sex=f", "day 1", "day 2"], ["age 70-79", "sex=m"], ["age 70-79", "sex=f", "day 1"], ["1", "2"]]
    )
    ages = ExclusiveHint("age", ("age 60-69", "age 70-79"))
    assert looks_exclusive(rows, 1) == (ages, ExclusiveHint("sex", SEX))
    assert looks_exclusive(rows, 1, Exclusive(sets=((*SEX, "tea"),))) == (ages,)
    assert looks_exclusive(rows, 2) == ()
    assert looks_exclusive(rows, "50%") == ()


def test_where_the_beginning_says_too_much_the_items_are_named():
    rows = Transactions.from_rows([["age 60-69", "agenda"], ["age 70-79"]])
    (look,) = looks_exclusive(rows, 1)
    assert look.name == "age 60-69,age 70-79"
    rare = Transactions.from_rows([["icd:1"], ["icd:2"]] * 2 + [["icd:3", "icd:4"]])
    assert looks_exclusive(rare, 2) == (ExclusiveHint("icd:1,icd:2", ("icd:1", "icd:2")),)


def test_a_list_that_begins_like_a_file_name_is_quoted():
    assert parse_exclusive(one_word(["@home 1", "@home 2"])) == (("@home 1", "@home 2"),)


def test_a_table_leaves_nothing_to_guess(table):
    assert looks_exclusive(table, 1, exclusive_in_rows(table)) == ()
    assert [look.name for look in looks_exclusive(table, 1)] == ["age", "city", "sex"]


def test_itemsets_that_never_meet():
    assert looks_exclusive(PATTERNS) == (ExclusiveHint("sex", SEX),)
    assert looks_exclusive(PATTERNS, 4) == ()
    assert looks_exclusive(PATTERNS, known=Exclusive(sets=(SEX,))) == ()
    alone = PatternSet.from_itemsets([(["sex=f"], 3), (["sex=m"], 4)], n=7, min_support=3)
    assert looks_exclusive(alone) == (), "single items never meet, whatever they are"


LOOKING = st.lists(st.sampled_from(["ab 1", "ab 2", "ab=3", "ab=4", "abc", "@d:1", "@d:2", "e,f=1", "e,f=2", "ab"]))


@given(st.lists(LOOKING.map(lambda row: row[:2]), max_size=8), st.integers(1, 2))
def test_what_looks_exclusive_may_be_named_as_it_says(listed, sigma):
    rows = Transactions.from_rows(listed)
    for look in looks_exclusive(rows, sigma):
        assert not any(holds_two(row, look.labels) for row in listed)
        assert all(sum(label in row for row in listed) >= sigma for label in look.labels)
        told = exclusive_in_rows(rows, look.name)
        assert any(set(look.labels) <= set(each) for each in told.sets)
        assert look not in looks_exclusive(rows, sigma, told)
