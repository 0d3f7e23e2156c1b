"""The growth curves are measured once, small, and the page about them shows every one."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from benchmarks.growth import CURVES, SHOPPING, Measured, grow

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Measured]]:
    """Return a folder with the pictures, and their points."""
    folder = tmp_path_factory.mktemp("growth") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SHOPPING, "rows", 500)
        return folder, grow(folder, small=True)


def test_every_curve_is_drawn_and_its_points_are_written(drawn: tuple[Path, list[Measured]]):
    folder, points = drawn
    with (folder / "points.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(points)
    for name, curve in CURVES.items():
        assert {line["series"] for line in lines if line["curve"] == name} == set(curve.jobs)
        svg = (folder / f"growth-{name}.svg").read_text()
        assert svg.startswith("<svg")
        assert curve.title in svg


def test_work_takes_time(drawn: tuple[Path, list[Measured]]):
    _, points = drawn
    assert all(point.seconds > 0 and point.megabytes >= 0 for point in points)


def test_the_page_shows_every_curve_as_it_was_measured():
    page = (DOCS / "growth.md").read_text(encoding="utf-8")
    with (DOCS / "growth" / "points.csv").open(newline="") as file:
        kept = {(line["curve"], line["series"]) for line in csv.DictReader(file)}
    assert kept == {(name, series) for name, curve in CURVES.items() for series in curve.jobs}
    for name, curve in CURVES.items():
        assert f"](growth/growth-{name}.svg)" in page
        assert (DOCS / "growth" / f"growth-{name}.svg").read_text(encoding="utf-8").count(curve.title)
