"""The figures are drawn once, small, so that the script does not rot."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

from benchmarks.figures import FIGURES, GRIDS, QUICK, Figure, Point, draw, figures, ranges

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Point]]:
    """Return a folder with the figures, and their points."""
    folder = tmp_path_factory.mktemp("figures") / "out"
    return folder, figures(folder, small=True)


def test_every_figure_is_drawn_and_its_points_written(drawn: tuple[Path, list[Point]]):
    folder, points = drawn
    with (folder / "points.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(points)
    for number, figure in FIGURES.items():
        assert any(int(line["figure"]) == number for line in lines)
        svg = (folder / f"figure-{number}.svg").read_text()
        assert svg.startswith("<svg")
        assert figure.title in svg


def test_the_curves_are_in_the_order_that_the_paper_shows(drawn: tuple[Path, list[Point]]):
    _, points = drawn
    value = {(p.figure, p.measure, p.series, p.k, p.support): p.value for p in points}
    for (figure, measure, series, k, support), count in value.items():
        if figure == 3 and series == "all":
            assert count >= value[3, measure, "maximal", k, support]
        if figure == 5 and series == "best":
            assert count <= value[5, measure, "paper", k, support] <= value[5, measure, "none", k, support]
    assert any(p.value > 0 for p in points if p.figure == 5)


def test_draws_become_a_median_and_a_range():
    draws = [[Point(5, "d", "loss", "a", 0, 1, value), Point(5, "d", "loss", "b", 0, 1, 1)] for value in (7, 2, 3)]
    assert ranges(draws) == [
        Point(5, "d", "loss", "a", 0, 1, 3, low=2, high=7),
        Point(5, "d", "loss", "b", 0, 1, 1, low=1, high=1),
    ]


def test_draws_are_not_joined_by_lines():
    """They have no order, and there is nothing between two of them."""
    points = [Point(1, "data", "%", "series", 0, draw, 10.0 * draw) for draw in (1, 2)]
    joined, apart = (draw(Figure("", axis="draw", joined=each), points).to_dict() for each in (True, False))
    marks = [
        {layer["mark"]["type"] for layer in chart["vconcat"][0]["hconcat"][0]["layer"]} for chart in (joined, apart)
    ]
    assert marks == [{"line", "point"}, {"point"}]


def test_all_points_include_those_of_a_quick_run():
    """Also the one of Figure 3 where the two algorithms differ most: mushroom at 20 %."""
    for quick, full in zip(QUICK, GRIDS, strict=True):
        assert quick.data == full.data
        assert set(quick.supports) <= set(full.supports)
        assert set(quick.detecting) <= set(full.detecting)
    assert 20 in GRIDS[0].detecting
