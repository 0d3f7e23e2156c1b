"""The losses of methods are measured once, on a few rows, so that the script does not rot."""

from __future__ import annotations

from benchmarks.uncertainty_losses import METHODS, Loss, measure, table
from discreet.transactions.generate import skewed


def test_no_draw_loses_more_where_single_rows_may_change():
    sets = {"few": lambda: skewed(rows=120, items=14, mean_length=3, max_length=6, seed=1)}
    found = list(measure(sets, [*METHODS, "suppress", "lower-bound"], draws=2))
    of = {(loss.draw, loss.method): loss.loss for loss in found}
    tried = {"simple", "best", "local", "rare-rows", "allow-local", "suppress", "lower-bound"}
    assert {method for _, method in of} == tried
    for draw in (1, 2):
        assert of[draw, "allow-local"] == min(of[draw, each] for each in ("best", "local", "rare-rows"))
        assert of[draw, "lower-bound"] <= of[draw, "best"] <= of[draw, "simple"]
    assert not list(measure(sets, list(METHODS), draws=2, known=found))


def test_the_table_has_ranges():
    losses = [Loss("few", 1, "simple", 0.4, 0), Loss("few", 1, "local", 0.1, 0)]
    losses += [Loss("few", 2, "simple", 0.5, 0), Loss("few", 2, "local", 0.3, 0)]
    assert table(losses).splitlines()[2] == "| few | 2 | 40.0 to 50.0 % | 10.0 to 30.0 % | 0.25 to 0.60 |"
