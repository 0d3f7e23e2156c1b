"""The figures are drawn once, small, so that the script does not rot."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from benchmarks.figures import FIGURES, figures

if TYPE_CHECKING:
    from pathlib import Path


def test_every_figure_is_drawn_and_its_points_written(tmp_path: Path):
    points = figures(tmp_path / "out", small=True)
    with (tmp_path / "out" / "points.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(points)
    for number, figure in FIGURES.items():
        assert any(int(line["figure"]) == number for line in lines)
        svg = (tmp_path / "out" / f"figure-{number}.svg").read_text()
        assert svg.startswith("<svg")
        assert figure.title in svg


def test_the_curves_are_in_the_order_that_the_paper_shows(tmp_path: Path):
    points = figures(tmp_path, small=True)
    value = {(p.figure, p.measure, p.series, p.k, p.support): p.value for p in points}
    for (figure, measure, series, k, support), count in value.items():
        if figure == 3 and series == "all":
            assert count >= value[3, measure, "maximal", k, support]
        if figure == 5 and series == "best":
            assert count <= value[5, measure, "paper", k, support] <= value[5, measure, "none", k, support]
    assert any(p.value > 0 for p in points if p.figure == 5)
