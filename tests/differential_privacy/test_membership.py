"""No attacker finds a larger epsilon than was promised, and every planted fault is found."""

from __future__ import annotations

import pytest

from tests.differential_privacy.membership import FAULTS, TRIALS, certain_epsilon, forget

RUNS = {
    "release": 1500,
    "release, number of rows": 200,
    "release, a row replaced": 200,
    "release, the first": 200,
    "release, found items": 300,
    "threshold": 1200,
    "universe": 200,
    "cut rows": 600,
    "count": 1200,
    "bins": 1200,
    "bases": 1500,
    "place": 4000,
    "top": 5000,
}
"""So many that a fault is missed with a probability below 1e-9; the campaign has 10,000, and more trials."""


@pytest.mark.parametrize(
    ("fault", "trial"), [(fault, trial) for fault, (_, trials) in FAULTS.items() for trial in trials if trial in RUNS]
)
def test_the_attacker_finds_faults_and_nothing_else(fault: str, trial: str) -> None:
    planted, _ = FAULTS[fault]
    tried = TRIALS[trial]()
    try:
        with planted():
            found = certain_epsilon(tried, RUNS[trial])
    finally:
        forget()
    assert (found > tried.epsilon) == (fault != "none"), found
