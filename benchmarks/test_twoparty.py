"""The scripts of two parties run once, small, so that they do not rot."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from benchmarks.twoparty_figures import FIGURES, figures
from benchmarks.twoparty_processes import Job, run_pair
from benchmarks.twoparty_ratios import ratios
from discreet.transactions.generate import quest
from discreet.twoparty.identity import keygen

if TYPE_CHECKING:
    from pathlib import Path


def test_figures_1_and_2_are_drawn_and_their_points_written(tmp_path: Path):
    points = figures(tmp_path / "out", small=True)
    with (tmp_path / "out" / "points.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(points)
    for number, figure in FIGURES.items():
        assert figure.title in (tmp_path / "out" / f"figure-{number}.svg").read_text()
    assert all(0 <= point.value <= 100 for point in points if point.figure == 1)
    assert any(point.value > 0 for point in points if point.figure == 1)


def test_two_processes_are_measured(tmp_path: Path):
    for own in ("first", "second"):
        keygen(tmp_path / own)
    rows = quest(rows=200, items=8, mean_length=4, pattern_length=2, patterns=6, seed=1)
    done = run_pair(Job("small", "ic-sapm", "40%", 2), rows, tmp_path)
    assert done["bytes_sent"] > 0
    assert done["memory"] > 1
    assert done["processor"] > 0
    assert 0 <= done["lost"] <= 100


def test_ratios_are_of_one_run_and_the_same_sessions():
    found = list(ratios(small=True, repeats=1))
    assert all(each.full.bytes > each.plain.bytes > 0 for each in found)
    assert [each.full.sides for each in found] == [2, 2, 2, 2, 3]
    assert all(each.line().count("|") == 6 for each in found)
