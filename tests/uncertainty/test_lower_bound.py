"""What no recoding that is the same in all rows can lose less than, against brute force from the definitions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest

import discreet
from discreet.transactions.transactions import Transactions
from discreet.uncertainty import lower_bound as module
from tests.laws.test_uncertainty import small_case
from tests.uncertainty_twin import fanout_tree, optimum, violating


def bound(rows, sensitive, rho="0.5", method="simple", **options) -> Fraction:
    given = rows if isinstance(rows, Transactions) else Transactions.from_rows(rows)
    return discreet.anonymize(
        given, rho=rho, sensitive=sensitive, method=method, ignore_unknown=True, **options
    ).lower_bound


def least_loss(rows, sensitive, limits) -> Fraction:
    """Return the least loss if other items cost nothing: over all choices of the sensitive items that stay."""
    held = sum(map(len, rows))
    losses = []
    for size in range(len(sensitive) + 1):
        for kept in combinations(sensitive, size):
            stays = [row & frozenset(kept) for row in rows]
            if not violating(stays, kept, limits):
                losses.append(sum(len(row & frozenset(sensitive) - frozenset(kept)) for row in rows))
    return Fraction(min(losses), held) if held else Fraction(0)


def test_it_is_never_above_the_optimum_of_all_recodings() -> None:
    tight = 0
    for seed in range(60):
        rows, sensitive, rho, fanout = small_case(seed)
        others = sorted(frozenset().union(*rows) - frozenset(sensitive))[:4]
        rows = [row & frozenset([*others, *sensitive]) for row in rows]
        if not others or not any(rows):
            continue
        best = optimum(rows, sensitive, fanout_tree(others, fanout), rho)
        found = bound(rows, sensitive, rho)
        assert found <= best, seed
        tight += 0 < found == best
    assert tight > 10


def long_case(seed: int) -> tuple[list[frozenset[str]], list[str]]:
    draw = random.Random(seed)
    sensitive = list("stuvwx"[: draw.randint(3, 6)])
    chances = {item: draw.choice([0.1, 0.3, 0.5, 0.8]) for item in sensitive}
    rows = [frozenset(item for item in sensitive if draw.random() < chances[item]) for _ in range(draw.randint(4, 18))]
    return rows + [frozenset("a")] * draw.choice([0, 30, 60]), sensitive


def test_it_holds_for_sensitive_items_alone_and_limits_of_their_own() -> None:
    tight = 0
    for seed in range(60):
        rows, sensitive = long_case(seed)
        draw = random.Random(-seed)
        limits = {item: Fraction(draw.randint(2, 9), 10) for item in sensitive}
        named = [f"{item} @ {float(limit)}" for item, limit in limits.items()]
        best = least_loss(rows, sensitive, limits)
        found = bound(rows, named, "0.9")
        assert found <= best, seed
        tight += 0 < found == best
    assert tight > 20


@pytest.mark.parametrize(
    ("budget", "steps"), [("_MOST_SETS", 12), ("_MOST_LOOKS", 0), ("_MOST_PIVOTS", 0), ("_MOST_GROUPS", 1)]
)
def test_a_bound_that_is_cut_short_still_holds_and_says_so(
    monkeypatch: pytest.MonkeyPatch, budget: str, steps: int
) -> None:
    whole = [cut_short(seed) for seed in range(20)]
    assert not any(short for _, short in whole)
    monkeypatch.setattr(module, budget, steps)
    shorts = 0
    for seed, (found, _) in enumerate(whole):
        rows, sensitive = long_case(seed)
        weaker, short = cut_short(seed)
        assert weaker <= least_loss(rows, sensitive, Fraction(1, 2)), seed
        assert short or weaker == found, seed
        assert (weaker, short) == cut_short(seed)  # steps, not seconds
        shorts += short
    assert shorts > 5


def cut_short(seed: int) -> tuple[Fraction, bool]:
    rows, sensitive = long_case(seed)
    done = discreet.anonymize(
        Transactions.from_rows(rows), rho="0.5", sensitive=sensitive, method="simple", ignore_unknown=True
    )
    assert done.bounded is not None
    assert done.to_dict().get("lower_bound_cut_short", False) is done.bounded().cut_short
    return done.bounded().loss, done.bounded().cut_short


def test_without_the_linear_program_it_still_is_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "pack", lambda *_, **__: None)
    for seed in range(20):
        rows, sensitive = long_case(seed)
        assert bound(rows, sensitive) <= least_loss(rows, sensitive, Fraction(1, 2)), seed


def test_weights_that_do_not_fit_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ["xy"] * 2 + ["a"] * 8
    expected = bound(rows, ["x", "y"])
    monkeypatch.setattr(module, "pack", lambda _starts, _items, worths, _limits, **_: worths * 1000)
    assert bound(rows, ["x", "y"]) == expected == Fraction(2, 12)


def test_of_a_row_of_its_own_all_but_two_items_go() -> None:
    """Each pair is in two rows, and a third item only in the one row of all five."""
    items = "stuvw"
    rows = ["stuvw"] + ["".join(pair) for pair in combinations(items, 2)] + list(items) * 4 + ["a"] * 100
    found = bound(rows, list(items))
    assert found == least_loss([frozenset(row) for row in rows], list(items), Fraction(1, 2))
    assert found == Fraction(3 * 9, 5 + 20 + 20 + 100)  # of five items in nine rows each, three


def test_folded_rows_give_the_same() -> None:
    for seed in range(10):
        rows, sensitive = long_case(seed)
        given = Transactions.from_rows(rows)
        assert bound(given.fold(), sensitive) == bound(given, sensitive)


@pytest.mark.parametrize("method", ["best", "tdcontrol", "suppress", "simple"])
def test_no_method_that_is_the_same_in_all_rows_goes_below(method: str) -> None:
    rows, sensitive = long_case(7)
    done = discreet.anonymize(Transactions.from_rows(rows), rho="0.5", sensitive=sensitive, method=method)
    assert 0 < done.lower_bound <= done.information_loss
    assert done.to_dict()["lower_bound"] == float(done.lower_bound)


@pytest.mark.parametrize("method", ["local", "rare-rows"])
def test_methods_that_change_single_rows_show_the_bound_of_the_others(method: str) -> None:
    rows, sensitive = long_case(7)
    made = {
        each: discreet.anonymize(Transactions.from_rows(rows), rho="0.5", sensitive=sensitive, method=each)
        for each in (method, "simple")
    }
    assert made[method].lower_bound == made["simple"].lower_bound > 0
    assert made[method].to_dict()["lower_bound"] == float(made["simple"].lower_bound)


def test_randomized_rows_have_none() -> None:
    rows, sensitive = long_case(7)
    done = discreet.anonymize(Transactions.from_rows(rows), rho="0.5", sensitive=sensitive, method="perturb")
    assert done.lower_bound is None
    assert done.optimum is None
    assert done.to_dict()["lower_bound"] is None


@pytest.mark.parametrize("seed", range(6))
def test_where_all_recodings_can_be_tried_the_least_loss_is_between_the_bound_and_every_method(seed: int) -> None:
    draw = random.Random(seed)
    rows = [[item for item in "abcdxy" if draw.random() < 0.4] for _ in range(15)]
    made = [
        discreet.anonymize(
            Transactions.from_rows(rows), rho="0.5", sensitive=["x", "y"], method=method, ignore_unknown=True
        )
        for method in ("best", "tdcontrol", "suppress", "simple")
    ]
    optimum = made[0].optimum
    assert optimum is not None
    assert made[0].lower_bound <= optimum <= min(done.information_loss for done in made)
    assert {done.optimum for done in made} == {optimum}
    assert made[0].to_dict()["optimum"] == float(optimum)


def test_where_there_are_too_many_recodings_none_is_tried() -> None:
    rows = Transactions.from_rows([[f"item{number}" for number in range(20)], ["x"]])
    done = discreet.anonymize(rows, rho="0.5", sensitive=["x"])
    assert done.optimum is None
    assert "optimum" not in done.to_dict()


def test_rows_without_sensitive_items_need_lose_nothing() -> None:
    assert bound(["ab", "b"], ["x"]) == 0
