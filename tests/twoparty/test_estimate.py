"""The estimate is in sight of what a session really takes."""

from __future__ import annotations

import pytest

import discreet
from discreet.errors import ParameterError
from discreet.twoparty.estimate import encryptions_of_paper, estimate, estimate_for
from tests.twoparty_pair import dealt, sessions, talk


@pytest.mark.parametrize(("share", "dual"), [(0.6, False), (0.4, False), (0.35, False), (0.4, True)])
def test_ic_sapm_is_estimated_within_a_factor_of_two(data_folder, share: float, dual: bool) -> None:
    rows = discreet.read(data_folder / "mushroom.dat.gz")
    sigma = discreet.mine(rows, min_support=share).min_support
    halves = dealt(rows, sigma)
    expected = estimate_for(halves[0], min_support=sigma, k=2, dual=dual)
    first, second = sessions(halves, min_support=sigma, k=2, dual=dual)
    talk(first, second)
    for guess, truth in (
        (expected.candidates, sum(first.result.candidates)),
        (expected.bytes, first.bytes_sent + first.bytes_received),
        (expected.rounds, first.rounds),
        (expected.encryptions, first.result.encryptions),
    ):
        assert truth / 2 < guess < 2 * truth


@pytest.mark.parametrize("k", [1000, 40])
def test_dka_sapm_is_estimated_within_a_factor_of_two(k: int) -> None:
    """Few classes are counted, many are sorted."""
    halves = [
        discreet.Transactions.from_rows([[label] if row % 2 else [label, other] for row in range(4000)])
        for label, other in ("ab", "xy")
    ]
    expected = estimate(n=4000, columns=(2, 2), k=k, protocol="dka-sapm")
    first, second = sessions(halves, min_support=1000, k=k, protocol="dka-sapm")
    talk(first, second)
    for guess, truth in (
        (expected.bytes, first.bytes_sent + first.bytes_received),
        (expected.rounds, first.rounds),
        (expected.encryptions, first.result.encryptions),
    ):
        assert truth / 2 < guess < 2 * truth


def test_different_people_are_estimated_within_a_factor_of_two(data_folder) -> None:
    rows = list(discreet.read(data_folder / "mushroom.dat.gz"))[::4][:2000]
    halves = [discreet.Transactions.from_rows(rows[start::2]) for start in (0, 1)]
    labels = [x for x, count in zip(halves[0].vocabulary, halves[0].item_supports(), strict=True) if count >= 600]
    expected = estimate_for(halves[0], min_support=1200, k=2, horizontal=True)
    assert estimate_for(halves[0], min_support="60%", k=2, horizontal=True) == expected
    first, second = sessions(halves, min_support=1200, k=2, labels=labels)
    talk(first, second)
    assert expected.encryptions is first.result.encryptions is None
    assert expected.n == first.result.n
    for guess, truth in (
        (expected.candidates, sum(first.result.candidates)),
        (expected.bytes, first.bytes_sent + first.bytes_received),
        (expected.rounds, first.rounds),
    ):
        assert truth / 2 < guess < 2 * truth


def test_computing_twice_takes_at_most_twenty_times_the_bytes(data_folder) -> None:
    rows = discreet.read(data_folder / "mushroom.dat.gz")
    halves = dealt(rows, 3250)
    sent = []
    for dual in (False, True):
        first, second = sessions(halves, min_support=3250, k=2, dual=dual)
        talk(first, second)
        sent.append(first.bytes_sent + first.bytes_received)
    assert sent[1] < 20 * sent[0]


def test_an_estimate_of_computing_twice_is_for_ic_sapm() -> None:
    with pytest.raises(ParameterError, match="dual"):
        estimate(n=100, columns=(2, 2), k=2, protocol="dka-sapm", dual=True)


def test_cost_is_linear_in_the_rows() -> None:
    costs = [estimate(n=n, columns=(12, 12), k=2, dual=False) for n in (100_000, 200_000, 800_000)]
    assert costs[0].candidates == costs[2].candidates
    assert costs[2].bytes / costs[1].bytes == pytest.approx(4, rel=0.1)


def test_more_of_anything_costs_more() -> None:
    plain = estimate(n=10_000, columns=(8, 8), k=2)
    assert estimate(n=10_000, columns=(8, 9), k=2).candidates > plain.candidates
    assert estimate(n=10_000, columns=(8, 8), k=2, delay=0.02).seconds > plain.seconds
    assert estimate(n=10_000, columns=(8, 8), k=2, bandwidth=1e7).seconds > plain.seconds


@pytest.mark.parametrize("columns", [(0, 0), (0, 5), (1, 1), (1, 0)])
def test_few_columns_are_no_problem(columns: tuple[int, int]) -> None:
    cost = estimate(n=100, columns=columns, k=2)
    assert cost.candidates == columns[0] * columns[1]
    assert cost.to_dict()["columns"] == list(columns)


def test_rows_without_frequent_items() -> None:
    rows = discreet.Transactions.from_rows([["a"], ["b"]])
    assert estimate_for(rows, min_support=2, k=2).candidates == 0


def test_nonsense_is_refused() -> None:
    with pytest.raises(ParameterError):
        estimate(n=0, columns=(1, 1), k=2)


def test_the_papers_formulas() -> None:
    assert encryptions_of_paper("ic-sapm", n=10, candidates=3, tested=2) == 10 * 3 + 2 * 1024
    assert encryptions_of_paper("dka-sapm", n=10, candidates=3, tested=2) == 100 + 30
