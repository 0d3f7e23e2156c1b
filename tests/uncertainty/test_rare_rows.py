"""Rows of which the rare ones lose all sensitive items: by the definition, and as promised."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet import Transactions
from discreet.itemsets import Itemsets
from discreet.uncertainty.check import check_items
from discreet.uncertainty.hierarchy import hierarchy_for
from discreet.uncertainty.limits import Limits
from discreet.uncertainty.rare_rows import RareRows, RowKinds, common_rows, rare_rows
from discreet.uncertainty.sensitive_items import sensitive_codes
from tests.attacks.rare_rows_reader import slow_common
from tests.strategies import rows_of_labels

if TYPE_CHECKING:
    from pathlib import Path


def made(rows: Transactions, private: list[str], rho: Fraction, fanout: int = 2) -> RareRows:
    codes = sensitive_codes(private, rows.vocabulary)
    tree = hierarchy_for(rows, codes, None, fanout)
    return rare_rows(rows, limits=Limits(rho), sensitive=codes, hierarchy=tree)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Transactions, list[str], Fraction]:
    """Draw rows that occur several times, sensitive items and rho."""
    kinds = draw(rows_of_labels(max_rows=6))
    rows = [row for row in [*kinds, ["z"]] for _ in range(draw(st.integers(1, 5)))]
    labels = sorted({label for row in rows for label in row})
    private = draw(st.lists(st.sampled_from(labels), min_size=1, unique=True))
    return (
        Transactions.from_rows(rows),
        private,
        draw(st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(4, 5)])),
    )


@given(rows_of_labels(), st.integers(1, 5), st.booleans())
def test_common_rows_are_the_largest_set_of_the_definition(rows: list[list[str]], below: int, weighted: bool):
    read = Transactions.from_rows(rows)
    weights = np.arange(len(rows), dtype=np.int64) % 3 + 1 if weighted else None
    found = common_rows(read.itemsets, weights, below=below, labels=len(read.vocabulary))
    times = [1] * len(rows) if weights is None else weights.tolist()
    assert found.tolist() == slow_common([frozenset(row) for row in rows], times, below)


@given(rows_of_labels(), st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_what_was_asked_before_changes_no_answer(rows: list[list[str]], asked: list[int]):
    read = Transactions.from_rows(rows)
    kinds = RowKinds(read.itemsets, None, len(read.vocabulary))
    for below in asked:
        right = slow_common([frozenset(row) for row in rows], [1] * len(rows), below)
        assert not (np.array(right, bool) & ~kinds.common_at_most(below)).any()
        assert kinds.common(below).tolist() == right


@given(cases())
def test_both_checks_pass_and_no_more_is_lost_than_without(case: tuple[Transactions, list[str], Fraction]):
    rows, private, rho = case
    done = made(rows, private, rho)
    kept = [item for label in private if (item := done.rows.vocabulary.item(label)) is not None]
    codes = np.array(sorted(kept), np.int32)
    common = done.rows.select(np.flatnonzero(done.common))
    assert check_items(common, rho, codes).safe
    assert check_items(done.rows, rho, codes).safe
    simple = discreet.anonymize(rows, rho=rho, sensitive=private, method="simple", fanout=2)
    assert done.information_loss <= simple.information_loss
    rare = [row for row, is_common in zip(done.rows, done.common.tolist(), strict=True) if not is_common]
    assert not any(row & {*private} for row in rare)
    assert done.rare == len(rare)
    others = [
        frozenset(row) - {*private} for row in done.publication.apply(rows)
    ]  # as published; no other item is dropped
    assert done.common.tolist() == slow_common(others, [1] * len(others), done.below)


@given(cases())
def test_the_loss_and_the_counts_are_those_of_the_definition(case: tuple[Transactions, list[str], Fraction]):
    rows, private, rho = case
    done = made(rows, private, rho)
    tree, before = done.publication.hierarchy, list(rows)
    lost = Fraction(0)
    dropped = {rows.vocabulary[item] for item in done.publication.suppressed.tolist()}
    assert dropped <= {*private}
    for row, is_common in zip(before, done.common.tolist(), strict=True):
        for label in row:
            item = rows.vocabulary.positions[label]
            if label in private:
                lost += label in dropped or not is_common
            else:
                lost += Fraction(int(tree.leaves_below[done.publication.node_of[item]]), max(1, tree.leaf_count))
    total = sum(map(len, before))
    assert done.information_loss == (lost / total if total else 0)
    left = sum(len(row & {*private}) for row in done.rows)
    assert done.entries == (
        sum(len(row & {*private}) for row in before),
        sum(len(row & {*private}) for row in before) - left,
    )


def test_sensitive_items_have_no_say_in_who_is_rare():
    """With c and the cut fixed, rows are rare by their other items alone."""
    others = Itemsets.of([[0], [0, 1], [0, 1], [2]])
    with_more = Itemsets.of([[0, 3], [0, 1, 4], [0, 1], [2, 3, 4]])
    without = with_more.keeping(with_more.items < 3)
    assert without == others
    assert common_rows(others, None, below=2, labels=5).tolist() == [True, True, True, False]


def table(tmp_path: Path) -> Transactions:
    lines = [f"{'hiv' if number % 5 == 0 else 'flu'},{number % 7},{number}" for number in range(40)]
    (tmp_path / "t.csv").write_text("\n".join(["ill,age,ward", *lines]) + "\n")
    return discreet.read(tmp_path / "t.csv", format="table")


def test_nothing_is_rare_in_a_table(tmp_path: Path):
    done = discreet.anonymize(
        table(tmp_path), rho="0.5", sensitive=["ill=hiv"], method="rare-rows", allow_identifiers="ward"
    )
    assert (done.recoding, done.verdict) == (None, "protected")
    assert discreet.check(done.rows, rho="0.5", sensitive=["ill=hiv"], ignore_unknown=True).safe


ROWS = [["tea"]] * 30 + [["tea", "test"]] * 10 + [["milk", "test"], ["milk", "pill"], ["water", "pill", "test"]]


def test_it_is_protected_and_says_what_left_whom():
    rows = Transactions.from_rows(ROWS)
    done = discreet.anonymize(rows, rho="0.5", sensitive=["test", "pill"], method="rare-rows")
    told = json.loads(json.dumps(done.to_dict()))
    assert (told["method"], told["verdict"], told["safe"]) == ("rare-rows", "protected", True)
    assert told["rare_rows"]["rare_rows"] == 3
    assert told["rare_rows"]["sensitive_entries"] - told["rare_rows"]["removed"] == 10
    assert told["suppressed"] == {"sensitive": ["pill"], "other": []}
    assert done.information_loss < done.simple_loss
    assert sorted(map(sorted, done.rows)) == sorted(
        [["tea"]] * 30 + [["tea", "test"]] * 10 + [["milk"]] * 2 + [["water"]]
    )


def test_best_with_allow_local_says_what_each_candidate_promises():
    rows = Transactions.from_rows(ROWS)
    done = discreet.anonymize(rows, rho="0.5", sensitive=["test", "pill"], allow_local=True)
    promises = {method: verdict for method, _, verdict in done.candidates}
    assert promises == {"best": "protected", "rare-rows": "protected", "local": "face-value"}
    assert done.information_loss == min(loss for _, loss, _ in done.candidates)
    assert done.verdict == "face-value"
    alone = discreet.anonymize(rows, rho="0.5", sensitive=["test", "pill"])
    assert (alone.method, alone.candidates) == ("best", ())


@pytest.mark.parametrize("fanout", [2, 3])
def test_the_same_rows_in_any_order_give_the_same_bytes(fanout: int):
    one, other = Transactions.from_rows(ROWS), Transactions.from_rows(ROWS[::-1])
    found = [
        discreet.anonymize(rows, rho="0.5", sensitive=["test", "pill"], method="rare-rows", fanout=fanout)
        for rows in (one, other)
    ]
    assert found[0].rows == found[1].rows
