"""The figures on noise are made once, small."""

from __future__ import annotations

import discreet
from benchmarks.noise_figures import figures, table


def test_figures_on_noise():
    rows = discreet.Transactions.from_rows([["a", "b", "c"]] * 40_000 + [["a", "b"]] * 20_000 + [["d"]] * 10_000)
    (half, one) = figures(rows, "made up", [8], runs=2)
    for found in (half, one):
        assert max(found.missed) == 0  # scores are 10,000 apart, and the scale of noise is 80 at most
        assert max(found.error) < 0.05
    assert "| made up | 8 | 0.5 | 0 % (0-0) |" in table([half, one])
