"""What holds for every method of anonymizing rows, on whatever data."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from discreet.itemsets import Itemsets
from discreet.transactions.generate import hospital, skewed
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.anonymize import anonymize
from discreet.uncertainty.check import check
from discreet.uncertainty.sensitive_items import draw_sensitive
from tests.uncertainty_twin import fanout_tree, highest_confidence, support, violating

SAFE_METHODS = ("best", "tdcontrol", "suppress", "simple")
GOLDEN = Path(__file__).parent.parent / "data"


def small_case(seed: int) -> tuple[list[frozenset[str]], list[str], Fraction, int]:
    """Draw rows (some empty, some equal), sensitive items, rho and a fan-out."""
    draw = random.Random(seed)
    items, sensitive = "abcdefg"[: draw.randint(0, 7)], "wxyz"[: draw.randint(1, 4)]
    density = draw.choice([0.15, 0.3, 0.5])
    rows = [frozenset(x for x in items + sensitive if draw.random() < density) for _ in range(draw.randint(1, 14))]
    rows += draw.choices(rows, k=draw.randint(0, 6))
    return rows, list(sensitive), Fraction(draw.randint(1, 10), 10), draw.randint(2, 4)


@pytest.mark.parametrize("method", SAFE_METHODS)
def test_what_a_method_publishes_passes_brute_force_over_all_antecedents(method: str) -> None:
    for seed in range(100):
        rows, sensitive, rho, fanout = small_case(seed)
        given = Transactions.from_rows(rows)
        done = anonymize(given, rho=rho, sensitive=sensitive, fanout=fanout, method=method, ignore_unknown=True)
        published = list(done.rows)
        assert not violating(published, sensitive, rho), seed
        worst = highest_confidence(published, sensitive)
        assert (None if done.worst_rule is None else done.worst_rule.confidence) == worst, seed


@pytest.mark.parametrize("method", SAFE_METHODS)
def test_items_are_changed_in_all_rows_or_in_none(method: str) -> None:
    for seed in range(60):
        rows, sensitive, rho, fanout = small_case(seed)
        done = anonymize(
            Transactions.from_rows(rows),
            rho=rho,
            sensitive=sensitive,
            fanout=fanout,
            method=method,
            ignore_unknown=True,
            keep_order=True,
        )
        gone = {*done.suppressed["sensitive"], *done.suppressed["other"]}
        name = done.generalized
        assert not set(name) & set(sensitive), "a sensitive item is never generalized"
        assert [frozenset(name.get(x, x) for x in row - gone) for row in rows] == list(done.rows)
        if method != "best":  # best may choose its own hierarchy
            assert set(done.generalized) <= set("abcdefg")


@pytest.mark.parametrize("method", SAFE_METHODS)
def test_the_loss_is_what_the_paper_defines(method: str) -> None:
    for seed in range(60):
        rows, sensitive, rho, fanout = small_case(seed)
        done = anonymize(
            Transactions.from_rows(rows),
            rho=rho,
            sensitive=sensitive,
            fanout=fanout,
            method=method,
            ignore_unknown=True,
        )
        items = frozenset().union(*rows)
        held = {item: support(rows, frozenset([item])) for item in items}
        tree = fanout_tree(items - set(sensitive), fanout)
        nodes: dict[str, int] = {}
        for label in done.generalized.values():
            nodes[label] = nodes.get(label, 0) + 1
        lost = Fraction(0)
        for item in items:
            if item in {*done.suppressed["sensitive"], *done.suppressed["other"]}:
                lost += held[item]
            elif item in done.generalized:
                lost += held[item] * Fraction(nodes[done.generalized[item]], len(tree.leaves(tree.root)))
        total = sum(held.values())
        assert done.information_loss == (lost / total if total else 0), seed


def test_best_never_loses_more_than_simple_on_small_data() -> None:
    for seed in range(150):
        rows, sensitive, rho, fanout = small_case(seed)
        done = anonymize(Transactions.from_rows(rows), rho=rho, sensitive=sensitive, fanout=fanout, ignore_unknown=True)
        assert done.information_loss <= done.simple_loss, seed


# ---------------------------------------------------------------------------------------------------- 30 settings


@cache
def data_set(name: str, folder: Path) -> Transactions:
    """Return at most 2,500 rows of a public or a generated data set."""
    if name == "skewed":
        rows = skewed(rows=2500, items=300, mean_length=5, max_length=60, seed=3)
    elif name == "hospital":
        rows = hospital(rows=2500, seed=3)
    else:
        rows = read(folder / f"{name}.dat.gz")
    step = max(1, len(rows) // 2500)
    return _chosen(rows, np.arange(0, len(rows), step)[:2500])


def _chosen(rows: Transactions, places: np.ndarray) -> Transactions:
    chosen = rows.itemsets.select(places)
    used = Transactions(chosen, vocabulary=rows.vocabulary)
    held = np.flatnonzero(used.item_supports())
    number = np.full(len(rows.vocabulary), -1, np.int32)
    number[held] = np.arange(len(held))
    return Transactions.from_codes(
        Itemsets(chosen.offsets.copy(), number[chosen.items]), [rows.vocabulary[item] for item in held.tolist()]
    )


SETTINGS = [
    (name, cap, seed, rho, share)
    for number, (name, cap) in enumerate(
        (name, cap)
        for name in ("BMS-WebView-1", "BMS-WebView-2_spmf", "retail", "msweb", "skewed")
        for cap in (5, None)
    )
    for seed, rho, share in (
        (number % 4 + 1, "0.3", ("10%", "60%")[number % 2]),
        (number % 3 + 2, ("0.5", "0.6", "0.7")[number % 3], "40%"),
        (number % 5 + 1, "0.9", ("20%", "30%", "50%")[number % 3]),
    )
]


@pytest.mark.parametrize(("name", "cap", "seed", "rho", "share"), SETTINGS)
def test_best_never_loses_more_than_simple(
    data_folder: Path, name: str, cap: int | None, seed: int, rho: str, share: str
) -> None:
    rows = data_set(name, data_folder)
    if cap is not None:
        rows = _chosen(rows, np.flatnonzero(rows.itemsets.lengths <= cap))
    sensitive = draw_sensitive(rows.vocabulary, share, seed=seed)
    done = anonymize(
        rows, rho=rho, sensitive=sensitive, time_limit=0.3, ignore_unknown=True
    )  # it holds however long the search may take
    assert done.information_loss <= done.simple_loss
    assert check(done.rows, rho=rho, sensitive=sensitive, ignore_unknown=True).safe


def test_there_are_thirty_settings() -> None:
    assert len(set(SETTINGS)) == 30


@pytest.mark.parametrize("method", SAFE_METHODS)
@pytest.mark.parametrize("rows", ["uncertainty-example", "running-example", "pmicd-example", "hospital"])
def test_every_data_set_of_the_tests_passes_the_check(rows: str, method: str) -> None:
    given = hospital(rows=800, seed=1) if rows == "hospital" else read(GOLDEN / f"{rows}.dat")
    sensitive = draw_sensitive(given.vocabulary, "30%", seed=1)
    for rho in ("0.2", "0.5", "0.8", "1"):
        done = anonymize(given, rho=rho, sensitive=sensitive, method=method, ignore_unknown=True)
        assert check(done.rows, rho=rho, sensitive=sensitive, ignore_unknown=True).safe
