"""The default method: safe, never worse than dropping all that is sensitive, near the optimum, the same every time."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet import _kernel
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.best import _Ground, best
from discreet.uncertainty.check import check, check_items
from discreet.uncertainty.hierarchy import fanout_hierarchy
from discreet.uncertainty.sensitive_items import draw_sensitive, sensitive_codes
from discreet.uncertainty.simple import simple
from discreet.uncertainty.td_control import td_control
from discreet.uncertainty.time_budget import Interrupted, TimeBudget
from tests import uncertainty_twin as twin
from tests.uncertainty.settings import Setting, random_setting

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.uncertainty.publication import Publication


def losses(setting: Setting, publication: Publication) -> tuple[Fraction, Fraction]:
    """Return what the publication loses, and what dropping all sensitive items loses."""
    plain = simple(setting.rows, sensitive=setting.codes, hierarchy=setting.hierarchy)
    return publication.information_loss(setting.rows), plain.information_loss(setting.rows)


@pytest.mark.parametrize("seed", range(300))
def test_is_safe_and_never_worse_than_another_method(seed: int) -> None:
    setting = random_setting(seed)
    asked = {"rho": setting.rho, "sensitive": setting.codes, "hierarchy": setting.hierarchy}
    found = best(setting.rows, **asked)
    assert found.finished
    loss, plain = losses(setting, found.publication)
    assert loss <= plain
    assert loss <= td_control(setting.rows, **asked).publication.information_loss(setting.rows)
    assert check(
        found.publication.apply(setting.rows), rho=setting.rho, sensitive=setting.sensitive, ignore_unknown=True
    ).safe


def test_is_mostly_as_good_as_the_optimum_on_few_items() -> None:
    gaps = []
    for seed in range(60):
        setting = random_setting(seed)
        found = best(setting.rows, rho=setting.rho, sensitive=setting.codes, hierarchy=setting.hierarchy)
        optimum = twin.optimum(setting.listed, setting.sensitive, setting.tree, setting.rho)
        loss = found.publication.information_loss(setting.rows)
        assert loss >= optimum
        gaps.append(loss - optimum)
    assert sum(gap == 0 for gap in gaps) >= 50  # 0.9 of the settings and more
    assert sum(gaps) / len(gaps) < Fraction(1, 100)


def test_the_same_rows_give_the_same_result() -> None:
    setting = random_setting(11)
    one, other = (
        best(setting.rows, rho=setting.rho, sensitive=setting.codes, hierarchy=setting.hierarchy).publication
        for _ in range(2)
    )
    assert np.array_equal(one.suppressed, other.suppressed)
    assert np.array_equal(one.node_of, other.node_of)


@pytest.mark.parametrize("seed", range(100))
def test_at_a_cut_one_sensitive_item_is_kept_just_if_no_rule_gives_it_away(seed: int) -> None:
    setting = random_setting(seed)
    ground = _Ground(setting.rows, setting.rho, setting.codes, setting.hierarchy)
    for split in ground.cuts_of_one_height():
        cut = _kernel.UncertaintyCut(ground.problem, split)
        node_of = dict(zip(setting.hierarchy.labels, setting.hierarchy.climb(ground.cut(split)).tolist(), strict=True))
        published = [frozenset(str(node_of.get(label, label)) for label in row) for row in setting.listed]
        for item in setting.codes.tolist():  # one after another at the same cut, which none of them changes
            order = np.array([item], np.int32)
            _, kept, _ = _kernel.keep_at_cut(
                ground.problem, cut, order=order, most_work=10**9, others_stay=True, watch=None
            )
            label = setting.rows.vocabulary[item]
            alone = [row - (frozenset(setting.sensitive) - {label}) for row in published]
            assert bool(kept[item]) == (not twin.violating(alone, [label], setting.rho))


@pytest.mark.parametrize("work", [1, 40, 200])
def test_what_cannot_be_shown_to_be_safe_in_time_is_dropped(work: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.uncertainty.best._WORK_OF_STEP", work)
    gained = 0
    for seed in range(30):
        setting = random_setting(seed)
        asked = {"rho": setting.rho, "sensitive": setting.codes, "hierarchy": setting.hierarchy}
        found = best(setting.rows, **asked)
        loss, plain = losses(setting, found.publication)
        paper = td_control(setting.rows, **asked).publication.information_loss(setting.rows)
        assert loss <= min(plain, paper)
        assert check(
            found.publication.apply(setting.rows), rho=setting.rho, sensitive=setting.sensitive, ignore_unknown=True
        ).safe
        gained += loss < min(plain, paper)
    assert (gained > 0) == (work > 1)


@pytest.mark.parametrize("labels", ["s", "st"])
def test_nothing_but_sensitive_items(labels: str) -> None:
    rows = Transactions.from_rows([labels, labels[0], "", ""])
    codes = np.arange(len(rows.vocabulary), dtype=np.int32)
    found = best(rows, rho=Fraction(3, 5), sensitive=codes, hierarchy=fanout_hierarchy([]))
    assert check(found.publication.apply(rows), rho="0.6", sensitive=list(labels), ignore_unknown=True).safe
    assert not found.publication.dropped()[0]  # half of the rows, below rho


def test_a_frequent_item_is_kept_by_dropping_a_rare_one_that_gives_it_away() -> None:
    rows = Transactions.from_rows([["s"]] * 9 + [["s", "rare"]] + [["x"]] * 15)
    codes = sensitive_codes(["s"], rows.vocabulary)
    found = best(rows, rho=Fraction(1, 2), sensitive=codes, hierarchy=fanout_hierarchy(["rare", "x"]))
    assert [rows.vocabulary[item] for item in found.publication.suppressed.tolist()] == ["rare"]


def test_where_nothing_is_gained_by_it_no_sensitive_item_is_published() -> None:
    rows = Transactions.from_rows([["s", "rare"], ["x"], ["x"]])
    codes = sensitive_codes(["s"], rows.vocabulary)
    found = best(rows, rho=Fraction(1, 2), sensitive=codes, hierarchy=fanout_hierarchy(["rare", "x"]))
    assert [rows.vocabulary[item] for item in found.publication.suppressed.tolist()] == ["s"]


def _webview(data_folder: Path) -> tuple[Transactions, list[str]]:
    rows = read(data_folder / "BMS-WebView-1.dat.gz")
    short = Transactions.from_rows([row for row in rows if len(row) <= 5])
    return short, list(draw_sensitive(short.vocabulary, "40%", seed=1))


def test_time_runs_out(data_folder: Path) -> None:
    rows, sensitive = _webview(data_folder)
    codes = sensitive_codes(sensitive, rows.vocabulary)
    tree = fanout_hierarchy(label for label in rows.vocabulary if label not in set(sensitive))
    found = best(rows, rho=Fraction(1, 2), sensitive=codes, hierarchy=tree, budget=TimeBudget(0.5))
    assert not found.finished
    plain = simple(rows, sensitive=codes, hierarchy=tree)
    assert found.publication.information_loss(rows) <= plain.information_loss(rows)
    published = found.publication.apply(rows)
    left = np.array([i for i, label in enumerate(published.vocabulary) if label in set(sensitive)], np.int32)
    assert check_items(published, rho=Fraction(1, 2), sensitive=left).safe


def test_ctrl_c_hands_over_the_best_found(data_folder: Path) -> None:
    rows, sensitive = _webview(data_folder)
    codes = sensitive_codes(sensitive, rows.vocabulary)
    tree = fanout_hierarchy(label for label in rows.vocabulary if label not in set(sensitive))

    class Interrupting(TimeBudget):
        def goes_on(self, done: float, steps: int) -> bool:
            assert done >= 0
            if steps > 10:
                raise KeyboardInterrupt
            return super().goes_on(done, steps)

    with pytest.raises(Interrupted) as caught:
        best(rows, rho=Fraction(1, 2), sensitive=codes, hierarchy=tree, budget=Interrupting())
    plain = simple(rows, sensitive=codes, hierarchy=tree)
    assert caught.value.so_far.information_loss(rows) <= plain.information_loss(rows)
