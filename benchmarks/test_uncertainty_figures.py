"""The figures of cao2010 are drawn once, small, so that the script does not rot."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from benchmarks.figures import Point
from benchmarks.uncertainty_figures import FIGURES, LOSS, Claim, _below, _trend, claims, uncertainty_figures

if TYPE_CHECKING:
    from pathlib import Path


def test_every_figure_is_drawn_and_every_claim_decided(tmp_path: Path):
    points = uncertainty_figures(tmp_path, small=True)
    assert {point.figure for point in points} == set(FIGURES)
    assert all(point.low <= point.value <= point.high for point in points)
    assert any(point.low < point.high for point in points if point.measure == LOSS)  # the draws differ
    for number, figure in FIGURES.items():
        assert figure.title in (tmp_path / f"figure-{number}.svg").read_text()
    text = (tmp_path / "claims.md").read_text()
    for claim in claims():
        assert claim.says in text
        assert claim.cases([point for point in points if point.figure == claim.figure]), claim.says
    ours = next(claim for claim in claims() if claim.says.startswith("(ours)"))
    assert ours.found([points]) == "holds"
    assert uncertainty_figures(tmp_path, small=True) == points  # from what it wrote of each draw
    table = (tmp_path / "losses.md").read_text().splitlines()
    assert table[0].startswith("| rows | longest row | `simple` |")
    assert re.fullmatch(
        r"\| BMS-POS, generated \| 3 (\| [0-9.]+ % \([0-9.]+ to [0-9.]+\) ){3}\|  \| [0-2] of 2 \|", table[2]
    )
    assert re.fullmatch(
        r"\| BMS-POS, generated \| 5 (\| [0-9.]+ % \([0-9.]+ to [0-9.]+\) ){4}\| [0-2] of 2 \|", table[3]
    )


@pytest.mark.parametrize(
    ("values", "said"),
    [((1, 2), "holds"), ((3, 2), "fails: 0 of 1 draws, 0 of 1 cases"), ((2, 2), "fails: 0 of 1 draws, 0 of 1 cases")],
)
def test_a_claim_can_fail(values: tuple[float, float], said: str):
    points = [Point(5, "d", LOSS, series, 0, 1, value) for series, value in zip(("a", "b"), values, strict=True)]
    assert Claim(5, "a below b", _below("a", "b")).found([points]) == said


def test_a_trend_holds_in_part():
    points = [Point(6, "d", LOSS, "a", 0, at, value) for at, value in enumerate((1, 2, 1.5))]
    assert (
        Claim(6, "a rises", _trend(1)("a")).found([points, points[:2]]) == "holds in part: 1 of 2 draws, 2 of 3 cases"
    )
