"""Every benchmark case runs once, small, so that none of them rots."""

from __future__ import annotations

import pytest

from benchmarks.all_cases import ALL
from benchmarks.cases import Case, Outcome, run
from benchmarks.memory import peak

CASES = [case for cases in ALL for case in cases(small=True)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case_runs(case: Case):
    outcome = run(case, repeats=1)
    assert outcome.ours > 0
    assert case.name in outcome.line()


def test_memory_is_measured(tmp_path):
    path = tmp_path / "rows.dat"
    path.write_text("1 2 3\n1 2\n" * 1000)
    figures = peak(path, "10%")
    assert figures["patterns"] > 0
    assert figures["rows"] > 0


def test_what_fell_behind_by_more_than_a_fifth_is_marked():
    case = Case("a", lambda: (print, None), goal=4, goal_seconds=1)
    now = Outcome(case, ours=1.0, peer=3.0)
    assert not now.fell_behind(None)
    assert not now.fell_behind({"seconds": 0.1, "ratio": 3.5})
    assert now.fell_behind({"seconds": 1.0, "ratio": 3.7})
    assert now.line({"seconds": 0.5, "ratio": 3.7}) == (
        "| a | 1,000.0 ms |  3,000.0 ms | 3.0× |  | 4× missed; 1 s | 500.0 ms, 3.7× | fell behind |"
    )
    alone = Outcome(case, ours=1.0, peer=None)
    assert alone.fell_behind({"seconds": 0.8})
    assert not alone.fell_behind({"seconds": 0.9})
    assert now.kept() == {"seconds": 1.0, "ratio": 3.0}
