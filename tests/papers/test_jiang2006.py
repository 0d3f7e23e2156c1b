"""jiang2006 (Secure Distributed k-Anonymous Pattern Mining): its tables, examples and figures, in the paper's order."""

from __future__ import annotations

import pytest

import discreet
from discreet.patterns.mining import mine
from discreet.twoparty.dka_sapm import anonymize_half
from discreet.twoparty.estimate import ENCRYPTIONS_PER_SECOND, encryptions_of_paper
from tests import twoparty_twin
from tests.conftest import ROOT
from tests.twoparty_pair import columns_of, dealt, found, mine_together, withheld

TABLE_1A = [frozenset(line.split()) for line in (ROOT / "tests/data/running-example.dat").read_text().splitlines()]
TABLE_2 = columns_of(TABLE_1A, "abcd"), columns_of(TABLE_1A, "efgh")


@pytest.fixture(scope="module")
def mushroom(data_folder):
    return discreet.read(data_folder / "mushroom.dat.gz")


def as_set(text: str) -> frozenset[str]:
    return frozenset(text)


@pytest.mark.parametrize("plaintext", [True, False], ids=["plaintext", "transfers"])
def test_running_example_split_as_in_table_2(*, plaintext: bool) -> None:
    """Sigma 8, k 3 (golden): a9 b8 c9 are released, everything else in F is withheld."""
    result = mine_together(TABLE_2, min_support=8, k=3, plaintext=plaintext)
    assert found(result) == {as_set("a"): 9, as_set("b"): 8, as_set("c"): 9}
    assert withheld(result) == {as_set(x) for x in ("d", "e", "ab", "ae", "cd", "ce", "de", "cde")}


@pytest.mark.parametrize("first", ["", "a", "ce", "abcdefg", "bdfh", "abcdefgh"])
def test_the_split_does_not_change_the_result(first: str) -> None:
    halves = columns_of(TABLE_1A, first), columns_of(TABLE_1A, set("abcdefgh") - set(first))
    assert set(found(mine_together(halves, min_support=8, k=3, plaintext=True))) == {as_set(x) for x in "abc"}


def test_section_2_3_support_of_abf() -> None:
    """Two parties share the support of abf, 3, where the minimum support is 2."""
    result = mine_together(TABLE_2, min_support=2, k=2, plaintext=True)
    assert twoparty_twin.frequent(TABLE_1A, 2)[as_set("abf")] == 3
    assert as_set("abf") in set(found(result)) | withheld(result)


def test_example_4_get_kanon() -> None:
    """Get_Kanon(T, 2) = {t5, t6}: t3 holds h, which Table 1(a) has lost in our copy; no other number changes."""
    with_h = [row | {"h"} if number == 3 else row for number, row in enumerate(TABLE_1A, start=1)]
    twice = [f"t{number}" for number, row in enumerate(with_h, start=1) if with_h.count(row) >= 2]
    assert twice == ["t5", "t6"]
    assert twoparty_twin.frequent(with_h, 8) == twoparty_twin.frequent(TABLE_1A, 8)


def test_example_4_supp_first_z() -> None:
    """Supp_First_2 of Table 1(a) gives t1 = t2 = 11111010."""
    rows = discreet.Transactions.from_rows(TABLE_1A[:2])
    assert list(anonymize_half(rows, min_support=1, size=2)) == [as_set("abcdeg")] * 2


def test_example_6_d_and_e_are_channels_of_one_item() -> None:
    """Get_ICh(Ch_1, 3) = {d, e}: of the single items, these two are withheld, the number of rows being known."""
    result = mine_together(TABLE_2, min_support=8, k=3, plaintext=True)
    assert {itemset for itemset in withheld(result) if len(itemset) == 1} == {as_set("d"), as_set("e")}


@pytest.mark.parametrize(("share", "k"), [("60%", 10), ("50%", 2), ("40%", 25), ("35%", 2)])
def test_ic_sapm_on_mushroom(mushroom, share: str, k: int) -> None:
    """Frequent columns dealt alternately (section 5); what is released has no channel and is all that has none."""
    everything = mine(mushroom, min_support=share, target="all")
    result = mine_together(dealt(mushroom, everything.min_support), min_support=everything.min_support, k=k)
    supports = dict(everything)
    assert set(found(result)) | withheld(result) == set(supports)
    assert all(supports[itemset] == count for itemset, count in found(result).items())
    released, rows = set(found(result)), list(mushroom)
    maximal = {x for x in released if not any(x < y for y in released)}
    assert not any(twoparty_twin.singles_out(rows, x, k) for x in maximal)
    minimal = {x for x in withheld(result) if not any(y < x for y in withheld(result))}
    assert all(twoparty_twin.singles_out(rows, x, k) for x in minimal)
    assert len(released) == {"60%": 31, "50%": 153, "40%": 235, "35%": 1189}[share]


def the_join(halves, min_support: int, k: int) -> list[frozenset[str]]:
    """Join the anonymized halves; rows in joint groups of fewer than k are without items."""
    parts = [list(anonymize_half(half, min_support=min_support, size=k)) for half in halves]
    cleared = twoparty_twin.cleared_rows(*parts, k)
    return [frozenset() if place in cleared else row for place, row in enumerate(twoparty_twin.joined(*parts))]


@pytest.mark.parametrize(
    ("share", "k", "lost"), [("60%", 50, 4), ("55%", 50, 12), ("50%", 25, 0), ("40%", 10, 6), ("35%", 10, 354)]
)
def test_figure_1a_dka_sapm_on_mushroom(mushroom, share: str, k: int, lost: int) -> None:
    """Itemsets lost: the paper shows under 10 % of F for 55 %, k 50; 12 of 99 are, and the join is k-anonymous."""
    everything = mine(mushroom, min_support=share, target="all")
    sigma = everything.min_support
    halves = dealt(mushroom, sigma)
    result = mine_together(halves, min_support=sigma, k=k, protocol="dka-sapm", plaintext=True)
    assert len(everything) - len(result.patterns) == lost
    join = the_join(halves, sigma, k)
    assert twoparty_twin.is_anonymous(join, k)
    assert found(result) == dict(mine(discreet.Transactions.from_rows(join), min_support=sigma, target="all"))
    assert discreet.audit(result.patterns, k=k, border=False).safe


@pytest.mark.parametrize(
    ("share", "k", "lost", "left"),
    [
        ("55%", 50, 12, [124, 0]),
        ("50%", 25, 0, [64, 0]),
        ("40%", 10, 4, [48, 0]),
        ("35%", 10, 128, [884, 732, 208, 0]),
    ],
)
def test_section_3_2_2_rounds_on_mushroom(mushroom, share: str, k: int, lost: int, left: list[int]) -> None:
    """What is already k-anonymous is removed before the next round; alpha is the sum of squares of what goes in."""
    everything = mine(mushroom, min_support=share, target="all")
    sigma = everything.min_support
    halves = dealt(mushroom, sigma)
    wanted = {"min_support": sigma, "k": k, "protocol": "dka-sapm", "plaintext": True}
    result = mine_together(halves, iterate=True, **wanted)
    assert len(everything) - len(result.patterns) == lost
    assert [len(rows) for rows in result.left] == left
    alpha = 8124**2 + sum(rows**2 for rows in left)
    assert result.encryptions == alpha + 8124 * sum(result.candidates)
    assert len(result.patterns) >= len(mine_together(halves, **wanted).patterns)
    assert discreet.audit(result.patterns, k=k, border=False).safe


def test_section_5_3_encryptions(mushroom) -> None:
    """Alpha of Mushroom is 8,124 squared: 12 hours at the paper's speed. IC-SAPM: beta + gamma at 35 % is 10.6 million.

    The paper's average for IC-SAPM, 2,477,587, is over settings and a split that it does not give.
    """
    alpha = encryptions_of_paper("dka-sapm", n=mushroom.n, candidates=0, tested=0)
    assert alpha == 65_999_376
    assert round(alpha / ENCRYPTIONS_PER_SECOND / 3600) == 12
    sigma = 2844
    result = mine_together(dealt(mushroom, sigma), min_support=sigma, k=2, plaintext=True)
    assert sum(result.candidates) == 1157
    assert result.encryptions == 8124 * 1157 + 1189 * 1024


def test_figure_2_fewer_calls_of_secure_com_where_k_is_larger(mushroom) -> None:
    """Gamma falls as k grows (section 5.3): pruning leaves fewer itemsets to be tested."""
    everything = mine(mushroom, min_support="40%", target="all")
    sigma = everything.min_support
    tested = {}
    for k in (2, 10, 25, 50, 100):
        result = mine_together(dealt(mushroom, sigma), min_support=sigma, k=k, plaintext=True)
        released, frequent = set(found(result)) | {frozenset()}, set(found(result)) | withheld(result)
        tested[k] = sum(all(x - {each} in released for each in x) for x in frequent)
        assert result.tested == tested[k]
        assert result.encryptions == 8124 * sum(result.candidates) + tested[k] * 1024
    assert tested[2] == len(everything)
    assert list(tested.values()) == sorted(tested.values(), reverse=True)
    assert len(set(tested.values())) == 5
