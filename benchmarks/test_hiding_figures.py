"""The figures of hiding are drawn once, small, so that the script does not rot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.hiding_figures import FIGURES, hiding_figures

if TYPE_CHECKING:
    from pathlib import Path


def test_every_figure_is_drawn_and_says_what_the_paper_says(tmp_path: Path):
    points = hiding_figures(tmp_path, small=True)
    for number, figure in FIGURES.items():
        assert any(point.figure == number for point in points)
        assert figure.title in (tmp_path / f"figure-{number}.svg").read_text()
    value = {(p.figure, p.data, p.series, p.support): p.value for p in points}
    for name in ("Naïve", "MinFIA", "MaxFIA", "IGA"):
        assert value[5, "hiding failure", name, 0] == 0  # nothing that is restrictive can be mined
        assert value[5, "hiding failure", name, 100] == 100
        assert value[5, "misses cost", name, 100] == value[10, "items removed", name, 100] == 0
        assert value[10, "items removed", "Naïve", 0] >= value[10, "items removed", name, 0]
    patterns = (tmp_path / "patterns.txt").read_text().splitlines()
    assert [len(pattern.split()) for pattern in patterns] == [2, 2, 2, 3, 3, 3, 4, 4, 5, 5]
    table = (tmp_path / "draws.md").read_text().splitlines()
    assert table[0] == "| | Naïve | MinFIA | MaxFIA | IGA |"
    assert len(table) == 2 + 2 * 8  # each measure, for both kinds of patterns and both thresholds
    assert all(line.count("|") == 6 for line in table)
