"""Which items are sensitive, and which rho makes sense."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.itemsets import Itemsets
from discreet.thresholds import Rho
from discreet.transactions.transactions import Transactions
from discreet.transactions.vocabulary import Vocabulary
from discreet.uncertainty.sensitive_items import absent_labels, draw_sensitive, read_labels, sensitive_codes

if TYPE_CHECKING:
    from pathlib import Path

ROWS = Transactions.from_rows([["a", "b", "ill=flu"], ["c", "ill=cold"]])


def test_labels_come_from_a_list_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "private.txt"
    path.write_text("﻿b\n\n  c  \nb\n", encoding="utf-8")
    assert read_labels(path) == read_labels(str(path)) == read_labels(["b", "c", "b"]) == ("b", "c")
    assert read_labels([7]) == ("7",)  # type: ignore[list-item]


def test_items_are_found_and_absent_labels_told() -> None:
    assert [ROWS.vocabulary[item] for item in sensitive_codes(["c", "z", "a"], ROWS.vocabulary)] == ["a", "c"]
    assert absent_labels(["c", "z", "a"], ROWS) == ("z",)
    assert sensitive_codes(["z"], ROWS.vocabulary).tolist() == []


def test_a_column_means_all_its_values() -> None:
    assert [ROWS.vocabulary[item] for item in sensitive_codes(["ill"], ROWS.vocabulary)] == ["ill=cold", "ill=flu"]


def test_a_label_that_is_known_but_held_by_no_row_is_absent() -> None:
    rows = Transactions.from_codes(Itemsets(ROWS.offsets.copy(), ROWS.items.copy()), [*ROWS.vocabulary, "x"])
    assert absent_labels(["x", "a"], rows) == ("x",)
    assert [rows.vocabulary[item] for item in sensitive_codes(["x", "a"], rows.vocabulary)] == ["a", "x"]


@pytest.mark.parametrize("nothing", [[], ()])
def test_no_sensitive_item_at_all_is_refused(nothing: object) -> None:
    with pytest.raises(ParameterError, match="names no item, so there is nothing to protect"):
        read_labels(nothing)  # type: ignore[arg-type]


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="cannot read the sensitive items"):
        read_labels(tmp_path / "none.txt")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    with pytest.raises(ParameterError, match="not UTF-8"):
        read_labels(tmp_path / "latin.txt")
    (tmp_path / "empty.txt").write_text("\n \n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"empty\.txt names no item"):
        read_labels(tmp_path / "empty.txt")


@pytest.mark.parametrize(
    ("given_rho", "exact"), [("0.5", Fraction(1, 2)), (0.7, Fraction(7, 10)), ("100%", Fraction(1))]
)
def test_rho_is_exact(given_rho: str | float, exact: Fraction) -> None:
    assert Rho.parse(given_rho) == exact


@pytest.mark.parametrize("bad", [0, "0", "0%", 0.0, 1.5, "1.01", -1, "half", float("nan"), True])
def test_a_rho_that_means_nothing_is_refused(bad: object) -> None:
    with pytest.raises(ParameterError, match="rho must be"):
        Rho.parse(bad)  # type: ignore[arg-type]


@given(st.sets(st.integers(0, 500), min_size=1), st.integers(1, 100), st.integers(1, 100), st.integers(0, 9))
def test_a_smaller_share_draws_a_subset(numbers: set[int], one: int, other: int, seed: int) -> None:
    vocabulary = Vocabulary(map(str, numbers))
    few, many = (draw_sensitive(vocabulary, f"{share}%", seed=seed) for share in sorted((one, other)))
    assert set(few) <= set(many)
    assert len(many) == max(1, int(Fraction(max(one, other), 100) * len(vocabulary) + Fraction(1, 2)))


def test_seeds_draw_different_items() -> None:
    vocabulary = Vocabulary(map(str, range(100)))
    assert len({draw_sensitive(vocabulary, "40%", seed=seed) for seed in range(5)}) == 5


@pytest.mark.parametrize(
    ("share", "seed", "named"), [(0, 1, "sensitive_share"), (1.2, 1, "sensitive_share"), (0.5, -1, "seed")]
)
def test_shares_and_seeds_that_mean_nothing_are_refused(share: float, seed: int, named: str) -> None:
    with pytest.raises(ParameterError, match=f"{named} must be"):
        draw_sensitive(ROWS.vocabulary, share, seed=seed)
