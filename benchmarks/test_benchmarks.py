"""Every benchmark case runs once, small, so that none of them rots."""

from __future__ import annotations

import pytest

from benchmarks.all_cases import ALL
from benchmarks.cases import Case, run
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
