"""Sizes that no data set could have are refused in one sentence that names the parameter."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.transactions.generate import hospital, quest, skewed

QUEST = {"rows": 20, "items": 30, "mean_length": 5, "pattern_length": 3, "patterns": 10}
SKEWED = {"rows": 20, "items": 30, "mean_length": 5, "max_length": 15}

CASES = [
    pytest.param(make, defaults, parameter, value, sentence, id=f"{make.__name__}-{parameter}-{value}")
    for make, defaults, parameter, value, sentence in [
        (quest, QUEST, "rows", 0, "rows must be a whole number of at least 1, got 0"),
        (quest, QUEST, "rows", 2.5, "rows must be a whole number of at least 1, got 2.5"),
        (quest, QUEST, "rows", True, "rows must be a whole number of at least 1, got True"),
        (quest, QUEST, "rows", 10**15, "rows must be fewer, or items: so many need .* GB of memory"),
        (quest, QUEST, "rows", 10**30, "rows must be a whole number from 1 to 9223372036854775807, got 1000"),
        (quest, QUEST, "items", -1, "items must be a whole number of at least 1, got -1"),
        (quest, QUEST, "items", 4, r"mean_length must be a number between 1 and items \(4\), got 5"),
        (quest, QUEST, "patterns", 0, "patterns must be a whole number of at least 1, got 0"),
        (quest, QUEST, "seed", -1, "seed must be a whole number of at least 0, got -1"),
        (quest, QUEST, "mean_length", 0.5, r"mean_length must be a number between 1 and items \(30\), got 0.5"),
        (quest, QUEST, "mean_length", float("nan"), "mean_length must be a number between 1 and items .*, got nan"),
        (quest, QUEST, "pattern_length", 31, "pattern_length must be a number between 1 and items .*, got 31"),
        (quest, QUEST, "correlation", 1.5, "correlation must be a number from 0 to 1, got 1.5"),
        (quest, QUEST, "corruption", "half", "corruption must be a number from 0 to 1, got 'half'"),
        (skewed, SKEWED, "rows", 0, "rows must be a whole number of at least 1, got 0"),
        (
            skewed,
            SKEWED,
            "rows",
            2,
            "mean_length must be at least 8 for 2 rows of which one has 15 items, got 5; raise",
        ),
        (skewed, SKEWED, "items", 10, r"max_length must be a whole number between 1 and items \(10\), got 15"),
        (skewed, SKEWED, "mean_length", 16, r"mean_length must be a number between 1 and max_length \(15\), got 16"),
        (skewed, SKEWED, "max_length", 0, "max_length must be a whole number of at least 1, got 0"),
        (skewed, SKEWED, "clusters", 0, "clusters must be a whole number of at least 1, got 0"),
        (skewed, SKEWED, "cluster_strength", -0.1, "cluster_strength must be a number from 0 to 1, got -0.1"),
        (skewed, SKEWED, "exponent", -1, "exponent must be a number from 0 to 10, got -1"),
        (skewed, SKEWED, "exponent", float("inf"), "exponent must be a number from 0 to 10, got inf"),
        (skewed, SKEWED, "seed", None, "seed must be a whole number of at least 0, got None"),
        (hospital, {}, "rows", 0, "rows must be a whole number of at least 1, got 0"),
        (hospital, {}, "rows", 10**17, "rows must be fewer, or items: so many need .* GB of memory"),
        (hospital, {}, "seed", 1.5, "seed must be a whole number of at least 0, got 1.5"),
    ]
]


@pytest.mark.parametrize(("make", "defaults", "parameter", "value", "sentence"), CASES)
def test_refused(make, defaults, parameter, value, sentence):
    with pytest.raises(ParameterError, match=f"^{sentence}") as caught:
        make(**defaults | {parameter: value})
    assert str(caught.value).startswith(caught.value.parameter)
    assert "\n" not in str(caught.value)


def test_numbers_of_numpy_are_numbers():
    assert quest(**{name: np.int64(value) for name, value in QUEST.items()}) == quest(**QUEST)
    assert skewed(**{name: np.int64(value) for name, value in SKEWED.items()}, clusters=3) == skewed(
        **SKEWED, clusters=3
    )
