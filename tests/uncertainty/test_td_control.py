"""TDControl against Algorithm 3 in plain loops, stopped early, and on public rows."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.transactions.reading import read
from discreet.uncertainty.check import check, check_items
from discreet.uncertainty.hierarchy import fanout_hierarchy
from discreet.uncertainty.sensitive_items import draw_sensitive, sensitive_codes
from discreet.uncertainty.td_control import td_control
from discreet.uncertainty.time_budget import Interrupted, TimeBudget
from tests import uncertainty_twin as twin
from tests.uncertainty.settings import Setting, random_setting

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.uncertainty.publication import Publication


def published_as(setting: Setting, publication: Publication) -> dict[str, frozenset[str]]:
    """Return for every item that is kept the items it cannot be told from."""
    hierarchy = setting.hierarchy
    below: list[frozenset[str]] = [frozenset([label]) for label in hierarchy.labels[: hierarchy.leaf_count]]
    for node in range(hierarchy.leaf_count, len(hierarchy.labels)):
        children = np.flatnonzero(hierarchy.parent == node).tolist()
        below.append(frozenset().union(*(below[child] for child in children)))
    dropped = publication.dropped()
    return {
        label: frozenset([label]) if publication.node_of[item] < 0 else below[publication.node_of[item]]
        for item, label in enumerate(setting.rows.vocabulary)
        if not dropped[item]
    }


@pytest.mark.parametrize("seed", range(500))
def test_agrees_with_the_printed_algorithm(seed: int) -> None:
    setting = random_setting(seed)
    done = td_control(setting.rows, rho=setting.rho, sensitive=setting.codes, hierarchy=setting.hierarchy)
    printed = twin.td_control(setting.listed, setting.sensitive, setting.tree, setting.rho)
    assert done.finished
    assert [setting.rows.vocabulary[choice.code] for choice in done.start] == printed.start
    scale = len(setting.leaves)
    assert [Fraction(split.net, scale) for split in done.splits] == [nets[node] for node, nets, _ in printed.steps]
    stands_for = {
        leaf: frozenset(setting.tree.leaves(node)) for node in printed.cut for leaf in setting.tree.leaves(node)
    }
    expected = {
        label: stands_for.get(label, frozenset([label]))
        for label in setting.rows.vocabulary
        if label not in printed.dropped
    }
    assert published_as(setting, done.publication) == expected
    assert done.publication.information_loss(setting.rows) == twin.average_loss(
        setting.listed, setting.tree, printed.cut, printed.dropped
    )
    assert check(
        done.publication.apply(setting.rows), rho=setting.rho, sensitive=setting.sensitive, ignore_unknown=True
    ).safe


@pytest.mark.parametrize("seed", range(60))
def test_explaining_evaluates_every_node_and_changes_nothing(seed: int) -> None:
    setting = random_setting(seed)
    arguments = {"rho": setting.rho, "sensitive": setting.codes, "hierarchy": setting.hierarchy}
    plain, explained = td_control(setting.rows, **arguments), td_control(setting.rows, **arguments, explain=True)
    assert plain.splits == explained.splits
    printed = twin.td_control(setting.listed, setting.sensitive, setting.tree, setting.rho)
    held = frozenset().union(*setting.listed)
    for considered, (_, nets, _) in zip(explained.considered, printed.steps, strict=True):
        scale = len(setting.leaves)
        occurring = [net for node, net in nets.items() if held & frozenset(setting.tree.leaves(node))]
        assert sorted(Fraction(split.net, scale) for split in considered) == sorted(occurring)


@pytest.mark.parametrize("seed", range(40))
def test_every_state_on_the_way_is_safe(seed: int) -> None:
    setting = random_setting(seed)
    whole = td_control(setting.rows, rho=setting.rho, sensitive=setting.codes, hierarchy=setting.hierarchy)

    class Steps(TimeBudget):
        def goes_on(self, done: float, steps: int) -> bool:
            assert 0 <= done <= 1
            return steps < allowed

    for allowed in range(len(whole.splits) + 1):
        part = td_control(
            setting.rows, rho=setting.rho, sensitive=setting.codes, hierarchy=setting.hierarchy, budget=Steps()
        )
        assert part.splits == whole.splits[:allowed]
        assert not part.finished
        assert check(
            part.publication.apply(setting.rows), rho=setting.rho, sensitive=setting.sensitive, ignore_unknown=True
        ).safe


def test_ctrl_c_hands_over_the_state_reached() -> None:
    setting = next(s for s in map(random_setting, range(100)) if len(_splits(s)) > 1)

    class Interrupting(TimeBudget):
        def goes_on(self, done: float, steps: int) -> bool:
            if steps == 1:
                raise KeyboardInterrupt
            return super().goes_on(done, steps)

    with pytest.raises(Interrupted) as caught:
        td_control(
            setting.rows, rho=setting.rho, sensitive=setting.codes, hierarchy=setting.hierarchy, budget=Interrupting()
        )
    published = caught.value.so_far.apply(setting.rows)  # type: ignore[attr-defined]
    assert check(published, rho=setting.rho, sensitive=setting.sensitive, ignore_unknown=True).safe


def _splits(setting: Setting) -> tuple[object, ...]:
    return td_control(setting.rows, rho=setting.rho, sensitive=setting.codes, hierarchy=setting.hierarchy).splits


@pytest.mark.parametrize("name", ["BMS-WebView-1.dat.gz", "groceries.dat.gz"])
@pytest.mark.parametrize("rho", [Fraction(3, 10), Fraction(9, 10)])
def test_public_rows_at_full_length_are_safe_after_it(data_folder: Path, name: str, rho: Fraction) -> None:
    rows = read(data_folder / name)
    sensitive = draw_sensitive(rows.vocabulary, "40%", seed=1)
    tree = fanout_hierarchy(label for label in rows.vocabulary if label not in set(sensitive))
    codes = sensitive_codes(sensitive, rows.vocabulary)
    done = td_control(rows, rho=rho, sensitive=codes, hierarchy=tree)
    published = done.publication.apply(rows)
    left = np.array([i for i, label in enumerate(published.vocabulary) if label in set(sensitive)], np.int32)
    assert check_items(published, rho=rho, sensitive=left).safe
    gained = sum(split.net for split in done.splits)
    assert gained > 0
