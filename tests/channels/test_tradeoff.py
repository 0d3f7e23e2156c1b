"""Channels against support for several k: the numbers of an audit at every point, from one mining."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.channels.advice import lowest_safe_support
from discreet.channels.audit import audit
from discreet.channels.threshold_lists import parse_ks, parse_supports
from discreet.channels.tradeoff import Tradeoff, tradeoff
from discreet.errors import DataError, ParameterError
from discreet.patterns.mining import mine
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from tests.laws.test_channels import random_data

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.patterns.patternset import PatternSet

ROWS = Transactions.from_rows(["abc", "abc", "ab", "c", "c"])


def audited(rows: Transactions, supports: list[int], ks: list[int]) -> list[dict[str, int]]:
    """Return the points as one audit after another gives them."""
    points = []
    for support in supports:
        for k in ks:
            found = audit(rows, k=k, min_support=support, border=False)
            points.append(
                {"min_support": support, "k": k, "closed": found.closed_count, "channels": len(found.channels)}
            )
    return points


@pytest.mark.parametrize("search_in", ["closed itemsets", "source"])
@pytest.mark.parametrize("start", range(0, 60, 20))
def test_every_point_is_that_of_an_audit_on_60_random_data_sets(
    monkeypatch: pytest.MonkeyPatch, start: int, search_in: str
):
    if search_in == "source":  # as where there are too many closed itemsets to search the lowest support in
        monkeypatch.setitem(tradeoff.__globals__, "_FEW", 0)
    for seed in range(start, start + 20):
        lists, sigma, k = random_data(seed)
        rows = Transactions.from_rows(lists)
        draw = random.Random(seed)
        supports = sorted({sigma, *(draw.randint(sigma, len(lists) + 2) for _ in range(4))})
        ks = sorted({2, k, draw.randint(2, 12)})
        expected = audited(rows, supports, ks)
        lowest = {k: lowest_safe_support(rows, k=k, min_support=supports[0], border=False) for k in ks}
        patterns = [mine(rows, min_support=sigma, target=target) for target in ("all", "closed")]
        for source in (rows, rows.fold(), *patterns):
            found = tradeoff(source, min_support=supports, k=ks)
            assert found.to_dict()["points"] == expected, f"seed {seed}, {source}"
            assert found.lowest == lowest, f"seed {seed}, {source}"


@pytest.mark.parametrize(
    ("name", "supports"), [("mushroom", "10%,15%,25%,40%,70%,80%,98%"), ("retail", "0.2%,0.5%,1%,2.5%")]
)
def test_every_point_is_that_of_an_audit_on_public_data(data_folder: Path, name: str, supports: str):
    rows = read(data_folder / f"{name}.dat.gz")
    found = tradeoff(rows, min_support=supports, k="10,50")
    assert found.to_dict()["points"] == audited(rows, found.min_supports.tolist(), [10, 50])
    for k, support in found.lowest.items():
        assert support == lowest_safe_support(rows, k=k, min_support=int(found.min_supports[0]), border=False)


def test_mushroom_at_60_percent_has_3_channels_and_the_lowest_support_with_none_is_7907(data_folder: Path):
    """The paper's Example 12 (52 itemsets with the empty one), and section 6.1's best trade-off for k = 10."""
    rows = read(data_folder / "mushroom.dat.gz")
    found = tradeoff(rows, min_support="60%", k=10)
    assert found.to_dict()["points"] == [{"min_support": 4875, "k": 10, "closed": 19, "channels": 3}]
    assert len(mine(rows, min_support="60%", target="all")) == 52 - 1
    assert found.lowest == {10: 7907}
    assert found.sentences == ["The lowest support with no channel for k = 10 is 97.3 % (7,907 rows)"]


def test_the_number_of_maximal_channels_may_rise_with_the_support(data_folder: Path):
    """No law: one maximal itemset breaks up into several. That there is none does stay true."""
    rows = read(data_folder / "mushroom.dat.gz")
    found = tradeoff(rows, min_support=["75%", "80%", "97.4%", "99%"], k=[10])
    assert found.channels.ravel().tolist() == [1, 2, 0, 0]


def test_there_is_one_mining_at_the_lowest_support(monkeypatch: pytest.MonkeyPatch):
    mined = []

    def counting(rows: Transactions, *, min_support: int) -> PatternSet:
        mined.append(min_support)
        return mine(rows, min_support=min_support)

    monkeypatch.setitem(tradeoff.__globals__, "mine", counting)
    tradeoff(ROWS, min_support=[4, 2, 3], k=[2, 3, 4])
    assert mined == [2]


def test_order_and_repetition_of_the_thresholds_mean_nothing():
    one = tradeoff(ROWS, min_support=[2, 3, 4], k=[2, 3]).to_dict()
    assert tradeoff(ROWS, min_support=["80%", 2, "0.6", 3, 2], k=[3, 2, 3]).to_dict() == one
    assert tradeoff(ROWS, min_support="2,3,4,2", k="3,2,2").to_dict() == one
    assert tradeoff(ROWS, min_support="2..4:3", k=(2, np.int64(3))).to_dict() == one


def test_lists_may_stand_in_files(tmp_path: Path):
    (tmp_path / "supports.txt").write_text("2\n\n60%\n")
    (tmp_path / "ks.txt").write_text("3\n2\n")
    expected = tradeoff(ROWS, min_support=[2, "60%"], k=[2, 3]).to_dict()
    assert tradeoff(ROWS, min_support=tmp_path / "supports.txt", k=f"@{tmp_path / 'ks.txt'}").to_dict() == expected


def test_a_range_is_exact():
    def values(text):
        return [support.value for support in parse_supports(text)]

    assert values("10%..40%:4") == [Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(2, 5)]
    assert values("0.1..0.2:3") == [Fraction(1, 10), Fraction(3, 20), Fraction(1, 5)]
    assert values("40%..10%:2") == [Fraction(2, 5), Fraction(1, 10)]
    assert values("10..11:3") == [10, 11, 11]


@pytest.mark.parametrize(
    "supports", [[], "", ",", 0, "0", "0.0", "150%", [10, 0], "1..3", "1..3:1", "1..3:1001", "1..50%:3", "0..3:3", True]
)
def test_supports_that_mean_nothing_are_refused(supports):
    with pytest.raises(ParameterError) as refused:
        tradeoff(ROWS, min_support=supports, k=[2])
    assert refused.value.parameter == "min_support"


@pytest.mark.parametrize("ks", [[], "", "2,", 1, "1", [2, 1], "2.5", [2.0], "x", True, "-3"])
def test_values_of_k_that_protect_nothing_are_refused(ks):
    with pytest.raises(ParameterError) as refused:
        parse_ks(ks)
    assert refused.value.parameter == "k"


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(ParameterError, match=r"k: cannot read .*nothing.txt: No such file"):
        parse_ks(tmp_path / "nothing.txt")


def test_quasi_identifiers_alone_are_looked_at():
    names = ["a", "c"]
    expected = [
        (support, k, len(audit(ROWS, k=k, min_support=support, border=False, quasi_identifiers=names).channels))
        for support in (2, 3)
        for k in (2, 3)
    ]
    for source in (ROWS, mine(ROWS, min_support=2)):
        found = tradeoff(source, min_support=[2, 3], k=[2, 3], quasi_identifiers=names)
        points = found.to_dict()["points"]
        assert [(point["min_support"], point["k"], point["channels"]) for point in points] == expected
        every = tradeoff(source, min_support=[2, 3], k=[2, 3])
        assert (found.closed.tolist(), found.highest) == (every.closed.tolist(), every.highest), "all are published"
    with pytest.raises(ParameterError, match="names the label 'x', which is neither an item nor a column"):
        tradeoff(ROWS, min_support=2, k=2, quasi_identifiers="x")


def test_patterns_must_reach_down_to_the_lowest_support():
    with pytest.raises(ParameterError, match="the patterns go down to 3 only"):
        tradeoff(mine(ROWS, min_support=3), min_support=[2, 3], k=[2])
    with pytest.raises(DataError, match="incomplete"):
        tradeoff(mine(ROWS, min_support=2, target="maximal"), min_support=[2], k=[2])


def test_no_rows_and_too_few_rows():
    empty = tradeoff(Transactions.from_rows([]), min_support="10%", k=[2])
    assert (empty.n, empty.channels.tolist(), empty.lowest) == (0, [[0]], {2: None})
    few = tradeoff(ROWS, min_support=[2, 6], k=[5, 6])
    assert few.channels[1].tolist() == [0, 1]  # at 6 rows nothing is left but all 5 rows together
    assert few.lowest[6] is None
    assert few.sentences[-1] == "Every support has a channel for k = 6: all 5 rows together are fewer"


def test_the_sentence_says_where_the_answer_is_a_bound_or_nothing_is_left():
    rows = Transactions.from_rows(["ab"] * 6 + ["a"] * 3 + [""] * 3)
    found = tradeoff(rows, min_support=[1, 2], k=[2, 3, 4])
    assert found.lowest == {2: 1, 3: 1, 4: 10}
    assert found.sentences == [
        "There is no channel for k = 2 and 3 from 8.33 % (1 row) up, the lowest support looked at",
        "There is no support at which an itemset is left, and no channel, for k = 4",
    ]


def test_shares_are_never_rounded_to_all_or_nothing():
    rows = Transactions.from_rows([["a"]] * 19_999 + [["a", "b"]])
    assert tradeoff(rows, min_support=[1], k=[2, 3]).sentences == [
        "The lowest support with no channel for k = 3 is 0.01 % (2 rows), also for k = 2"
    ]
    rows = Transactions.from_rows([["a"]] * 39_999 + [["a", "b"]])
    assert "is under 0.01 % (2 rows)" in tradeoff(rows, min_support=[1], k=[2]).sentences[0]
    rows = Transactions.from_rows([["a"]] * 5 + [["a", "b"]] * 19_995)
    assert "is over 99.9 % (19,996 rows)" in tradeoff(rows, min_support=["50%"], k=[10]).sentences[0]


def test_tables_hold_the_points():
    found = tradeoff(ROWS, min_support=[2, 3], k=[2, 3])
    points = found.to_dict()["points"]
    assert found.to_arrow().to_pylist() == points
    assert found.to_pandas().to_dict("records") == points
    assert found.to_polars().to_dicts() == points
    assert list(points[0]) == ["min_support", "k", "closed", "channels"]
    assert [(point["min_support"], point["k"]) for point in points] == [(2, 2), (2, 3), (3, 2), (3, 3)]


def test_the_result_is_frozen_and_shows_itself():
    found = tradeoff(ROWS, min_support=[2, 3], k=[2, 3])
    assert isinstance(found, Tradeoff)
    with pytest.raises(ValueError, match="read-only"):
        found.channels[0, 0] = 7
    assert repr(found) == "<Tradeoff: 2 supports by 2 k, n 5>"
    assert found._repr_html_().count("<tr>") == 3
