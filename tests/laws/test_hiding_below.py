"""`below`: patterns that only become infrequent, by an independent miner; the margin; and what is said about it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from fim import fpgrowth

from discreet import Transactions, hide, read, release_rows
from discreet.errors import NotSafe, ParameterError
from discreet.hiding.copies import compare_copies
from discreet.hiding.request import Below
from tests import hiding_twin as twin
from tests.laws.test_hiding import check_laws, frequent_patterns, random_job
from tests.strategies import parts

if TYPE_CHECKING:
    from pathlib import Path

METHODS = ["naive", "minfia", "maxfia", "iga", "rowwise", "best"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("some", parts(60, 1))
def test_nothing_restricted_is_left_at_the_support(method: str, some: range):
    for seed in some:
        rows, patterns, _ = random_job(seed)
        before, below, margin = Transactions.from_rows(rows), 2 + seed % 6, seed % 2 or None
        done = hide(before, restrict=patterns, method=method, below=below, margin=margin, ignore_unknown=True)
        most = [Fraction(each.allowed, each.before) if each.before else Fraction(0) for each in done.restrictive]
        check_laws(before, done, patterns, most)
        for pattern, said in zip(patterns, done.restrictive, strict=True):
            now = len(twin.holders(list(done.rows), pattern))
            assert now < below - (margin or 0), f"seed {seed}"
            assert said.after == now <= said.allowed
        assert done.verdict == "hidden"
        found = fpgrowth([row for row in map(list, done.rows) if row], target="s", supp=-below, zmin=1)
        assert not any(pattern <= set(items) for items, _ in found for pattern in patterns)


def test_public_data_by_another_miner(data_folder: Path):
    rows = read(data_folder / "retail.dat.gz").select(np.arange(8_000))
    patterns = frequent_patterns(rows, "0.2%", 10, seed=5)
    below = hide(rows, restrict=patterns, below="0.2%")
    whole = hide(rows, restrict=patterns, min_support="0.2%")
    found = fpgrowth([list(row) for row in below.rows], target="s", supp=-below.below, zmin=1)
    assert not any(pattern <= set(items) for items, _ in found for pattern in patterns)
    assert below.side_effects.hiding_failure == 0
    assert below.side_effects.misses_cost <= whole.side_effects.misses_cost
    assert below.removed_items < whole.removed_items
    named = frozenset().union(*patterns)
    assert {rows.vocabulary[item] for item in below.removed.tolist()} <= named


def test_a_margin_spreads_where_patterns_end():
    rows = Transactions.from_rows([row for pair in ("ab", "cd", "ef", "gh", "ij") for row in [pair] * 60])
    asked = ["a b", "c d", "e f", "g h", "i j"]
    plain = hide(rows, restrict=asked, below=40)
    assert {each.after for each in plain.restrictive} == {39}
    spread = [each.after for each in hide(rows, restrict=asked, below=40, margin="25%").restrictive]
    assert all(19 <= after <= 29 for after in spread)
    assert len(set(spread)) > 2


def test_what_is_infrequent_already_stays():
    rows = Transactions.from_rows(["ab", "ab", "a", "b"])
    assert hide(rows, restrict=["a b"], below=3).removed_items == 0


def test_a_line_with_a_share_of_its_own_keeps_it():
    rows = Transactions.from_rows(["ab"] * 10 + ["cd"] * 10)
    done = hide(rows, restrict=["a b @ 0.1", "c d"], below=5)
    assert [(each.after, each.allowed) for each in done.restrictive] == [(1, 1), (4, 4)]


def test_two_copies_together_must_stay_below_too():
    rows = Transactions.from_rows(["ab"] * 6)
    done = hide(rows, restrict=["a b"], below=4, method="minfia")
    assert compare_copies(done, done.rows).safe
    assert not compare_copies(done, rows).safe


def test_contradictions_are_refused():
    rows = Transactions.from_rows(["ab"] * 9)
    for options, words in (
        ({"below": 3, "disclosure": 0.5}, "give one of the two"),
        ({"margin": 3}, "margin belongs to below; give that too"),
        ({"below": 3, "margin": 3}, "margin must be smaller than below, which is 3 rows; got 3"),
        ({"below": 0}, "below must be at least one row"),
    ):
        with pytest.raises(ParameterError, match=words):
            hide(rows, restrict=["a b"], **options)
    assert Below.of("50%", "10%", 200) == Below(100, 10)


def test_it_is_not_released_as_hidden(tmp_path: Path):
    rows = Transactions.from_rows(["ab"] * 9)
    (tmp_path / "private.txt").write_text("a b\n")
    done = hide(rows, restrict=["a b"], below=5)
    with pytest.raises(NotSafe, match="is not hidden in these rows; hide it first \\(discreet hide, without below\\)"):
        release_rows(
            done.rows,
            name="x",
            promise="hidden",
            restrict=tmp_path / "private.txt",
            original=rows,
            output=tmp_path / "out",
        )
    assert not (tmp_path / "out").exists()
