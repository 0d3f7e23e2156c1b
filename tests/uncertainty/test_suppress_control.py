"""SuppressControl against Algorithm 1 in plain loops."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions
from discreet.uncertainty.check import check, check_items
from discreet.uncertainty.hierarchy import fanout_hierarchy
from discreet.uncertainty.sensitive_items import draw_sensitive, sensitive_codes
from discreet.uncertainty.suppress_control import suppress_control
from tests import uncertainty_twin as twin
from tests.uncertainty.settings import random_setting

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("seed", range(500))
def test_agrees_with_the_printed_algorithm(seed: int) -> None:
    setting = random_setting(seed)
    done = suppress_control(setting.rows, rho=setting.rho, sensitive=setting.codes, hierarchy=setting.hierarchy)
    printed = twin.suppress_control(setting.listed, setting.sensitive, setting.rho)
    label = setting.rows.vocabulary
    assert [label[choice.code] for level in done.levels for choice in level.chosen] == printed.dropped
    payoffs = [choice.payoff for level in done.levels for choice in level.chosen]
    assert payoffs == [max(step.values()) for step in printed.payoffs]
    for level, rules in zip(done.levels, printed.levels, strict=False):
        assert level.rules == len(rules)
    assert not any(printed.levels[len(done.levels) :])  # where we stop, nothing is left to do
    assert check(
        done.publication.apply(setting.rows), rho=setting.rho, sensitive=setting.sensitive, ignore_unknown=True
    ).safe


@pytest.mark.parametrize("seed", range(240))
def test_finds_all_rules_of_each_consequent_until_the_first_level_with_any(seed: int) -> None:
    setting = random_setting(seed)
    for code in setting.codes:
        label = setting.rows.vocabulary[code]
        alone = np.array([code], np.int32)
        tree = fanout_hierarchy(other for other in setting.rows.vocabulary if other != label)
        done = suppress_control(setting.rows, rho=setting.rho, sensitive=alone, hierarchy=tree)
        broken = twin.violating(setting.listed, {label}, setting.rho)
        shortest = min((len(antecedent) for antecedent, _ in broken), default=None)
        counts = [level.rules for level in done.levels if shortest is not None and level.size <= shortest]
        expected = sum(len(antecedent) == shortest for antecedent, _ in broken)
        assert counts == ([] if shortest is None else [0] * shortest + [expected])


def test_rows_may_be_weighted() -> None:
    setting = random_setting(7)
    plain = Transactions.from_rows([list(row) for row in setting.listed for _ in range(2)])
    one, other = (
        suppress_control(x, rho=setting.rho, sensitive=setting.codes, hierarchy=setting.hierarchy)
        for x in (plain, plain.fold())
    )
    assert one.levels == other.levels


@pytest.mark.parametrize("name", ["BMS-WebView-1.dat.gz", "groceries.dat.gz"])
@pytest.mark.parametrize("rho", [Fraction(3, 10), Fraction(9, 10)])
def test_public_rows_at_full_length_are_safe_after_it(data_folder: Path, name: str, rho: Fraction) -> None:
    rows = read(data_folder / name)
    sensitive = draw_sensitive(rows.vocabulary, "40%", seed=1)
    codes = sensitive_codes(sensitive, rows.vocabulary)
    tree = fanout_hierarchy(label for label in rows.vocabulary if label not in set(sensitive))
    done = suppress_control(rows, rho=rho, sensitive=codes, hierarchy=tree)
    published = done.publication.apply(rows)
    left = np.array([i for i, label in enumerate(published.vocabulary) if label in set(sensitive)], np.int32)
    assert check_items(published, rho=rho, sensitive=left).safe
