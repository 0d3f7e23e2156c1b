"""The inverted file: rows turned round and back, and every Boolean query answered as the rows themselves would."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import DataError, InvertedFile, ParameterError, Transactions, _kernel, query, read
from discreet.hiding.saved_index import open_index, save_index
from discreet.itemsets import Itemsets
from discreet.patterns.expression_parser import parse_expression
from tests.patterns.expression_twin import expressions, holds
from tests.strategies import rows_of_labels

if TYPE_CHECKING:
    from pathlib import Path


@given(rows_of_labels())
def test_turned_round_twice_rows_are_themselves(rows: list[list[str]]):
    data = Transactions.from_rows(rows)
    index = InvertedFile.build(data)
    assert index.transactions() == data
    assert np.array_equal(index.supports, data.item_supports())


@given(rows_of_labels(max_rows=30), expressions())
def test_queries_find_the_rows_that_the_definition_gives(rows: list[list[str]], expression):
    index = InvertedFile.build(Transactions.from_rows(rows))
    wanted = [place for place, row in enumerate(rows, 1) if holds(expression, row)]
    found = query(index, expression, ignore_unknown=True)
    assert found.rows.tolist() == wanted
    assert (found.count, found.n) == (len(wanted), len(rows))


sorted_lists = st.lists(st.integers(0, 300), unique=True, max_size=80).map(lambda x: np.array(sorted(x), np.int32))


@given(sorted_lists, sorted_lists)
def test_lists_are_combined_as_sets_are(one, other):
    a, b = set(one.tolist()), set(other.tolist())
    assert _kernel.in_both(one, other).tolist() == sorted(a & b)
    assert _kernel.in_either(one, other).tolist() == sorted(a | b)
    assert _kernel.in_first_alone(one, other).tolist() == sorted(a - b)


@given(st.lists(st.integers(0, 9000), unique=True, max_size=12), st.integers(1, 9))
def test_a_short_list_is_looked_up_in_a_long_one(few, step):
    short, long = np.array(sorted(few), np.int32), np.arange(0, 9000, step, dtype=np.int32)
    wanted = sorted(set(few) & set(long.tolist()))
    assert _kernel.in_both(short, long).tolist() == wanted
    assert _kernel.in_both(long, short).tolist() == wanted


@pytest.mark.parametrize("seed", range(30))
def test_holders_of_many_itemsets_at_once(seed: int):
    draw = random.Random(seed)
    rows = [
        {x for x in range(9) if draw.random() < draw.choice([0.05, 0.5, 0.95])} for _ in range(draw.randint(0, 300))
    ]
    index = InvertedFile.build(Transactions.from_rows([*rows, range(9)]))
    itemsets = [sorted(draw.sample(range(9), draw.randint(1, 5))) for _ in range(20)]
    found = index.holders_of(Itemsets.of(itemsets))
    for place, itemset in enumerate(itemsets):
        wanted = [at for at, row in enumerate([*rows, set(range(9))]) if row.issuperset(itemset)]
        assert found[place].tolist() == wanted


def test_the_smallest_list_comes_first_and_nothing_more_is_looked_at(monkeypatch: pytest.MonkeyPatch):
    index = InvertedFile.build(Transactions.from_rows(["abc"] * 50 + ["ad"] * 3 + ["b"]))
    seen = []
    whole = InvertedFile.holders
    monkeypatch.setattr(
        InvertedFile, "holders", lambda self, item: seen.append(self.vocabulary[item]) or whole(self, item)
    )
    assert query(index, "a AND b AND d AND c").count == 0
    assert seen == ["d", "c"]  # d has 3 rows, c 50, and no row has both
    seen.clear()
    assert query(index, "a AND (b OR c) AND NOT d").count == 50
    assert seen == ["d", "a", "b", "c"]  # at most 51 rows have no d, 53 have a, 54 have b or c


def test_unknown_labels_are_refused_or_in_no_row():
    index = InvertedFile.build(Transactions.from_rows(["ab", "b"]))
    with pytest.raises(ParameterError, match="the query names the label 'x'"):
        query(index, "a OR x")
    with pytest.raises(ParameterError, match="leave it out for rows"):
        query(index, "a", target="all")
    assert query(index, "b AND NOT x", ignore_unknown=True).count == 2
    assert index.matching_rows(parse_expression("NOT a")).tolist() == [1]


def test_arrays_that_do_not_hold_together_are_refused():
    index = InvertedFile.build(Transactions.from_rows(["ab", "b"]))
    with pytest.raises(DataError, match="one list of rows for each"):
        InvertedFile(lists=Itemsets.none(), vocabulary=index.vocabulary, n=2)
    with pytest.raises(ValueError, match="items of the vocabulary"):
        InvertedFile(lists=index.lists, vocabulary=index.vocabulary, n=1)


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("rows.dat", "a b\n\nb c\n", {}),
        ("rows.csv", "who,a,b\n1,x,y\n2,,é\n", {"format": "table", "id_column": "who"}),
        ("rows.csv", "a;b\n1;0\n0;0\n", {"format": "onehot", "delimiter": ";"}),
    ],
)
def test_saved_and_opened_it_is_the_same(tmp_path: Path, name: str, text: str, options: dict[str, str]):
    (tmp_path / name).write_text(text)
    rows = read(tmp_path / name, **options)
    index = InvertedFile.build(rows, source="digest", read_as=("--format", "x"))
    save_index(index, tmp_path / "rows.index")
    opened = open_index(tmp_path / "rows.index")
    assert opened.transactions() == rows
    assert opened.layout == rows.layout
    assert (opened.ids and list(opened.ids)) == (rows.ids and list(rows.ids))
    assert (opened.source, opened.read_as, opened.n) == ("digest", ("--format", "x"), len(rows))


def test_an_index_of_another_version_is_told_apart(tmp_path: Path):
    save_index(InvertedFile.build(Transactions.from_rows(["a"])), tmp_path / "rows.index")
    data = (tmp_path / "rows.index").read_bytes()
    (tmp_path / "rows.index").write_bytes(data.replace(b"version 1\n", b"version 9\n"))
    with pytest.raises(DataError, match="another version"):
        open_index(tmp_path / "rows.index")
    with pytest.raises(DataError, match="No such file"):
        open_index(tmp_path / "nothing.index")
