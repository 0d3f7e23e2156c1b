"""What noise is added to: Spark counts the same as memory does, and a release needs nothing else of the rows."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import discreet
from discreet.cli.main import main
from discreet.differential_privacy.counting import LocalCounts
from discreet.differential_privacy.private_itemsets import DpRequest, measure
from discreet.spark.reading import hand_over
from tests.attacks.vectors import without_noise

if TYPE_CHECKING:
    import pytest
    from pyspark.sql import SparkSession

LABELS = ["tea", "milk", "7", "70", "größe", "a,b", "gin", "rum", "ale", "rye"]


def _rows() -> discreet.Transactions:
    draw = random.Random(3)
    rows = [draw.sample(LABELS, draw.choice([0, 1, 2, 3, 3, 4, 9])) for _ in range(120)]
    return discreet.Transactions.from_rows([*rows, [], LABELS])


def test_every_count_is_the_one_of_memory(spark: SparkSession) -> None:
    rows = _rows()
    with hand_over(spark, rows) as there:
        here, counted = LocalCounts.of(rows), there.row_counts()
        assert counted.n == here.n
        for most in (1, 2, 5, 20):
            assert counted.truncated(most) == here.truncated(most)
        chosen = ["rye", "tea", "nowhere", "7", "größe", "milk"]
        inside, theirs = here.within(chosen), counted.within(chosen)
        np.testing.assert_array_equal(theirs.items(), inside.items())
        np.testing.assert_array_equal(theirs.pairs(), inside.pairs())
        for k in (1, 4, 9, 30, 200):
            assert theirs.kth(k) == inside.kth(k), k
        bases = [(0, 1), (5,), (1, 3, 4, 5)]
        np.testing.assert_array_equal(theirs.bins(bases), inside.bins(bases))
        assert theirs.bins([]).tolist() == []


def test_without_noise_both_engines_release_the_same(spark: SparkSession) -> None:
    rows = _rows()
    request = DpRequest.parse(epsilon=1, top=12, universe=LABELS)
    with without_noise(), hand_over(spark, rows) as there:
        one, other = (measure(counts, request).to_dict() for counts in (LocalCounts.of(rows), there.row_counts()))
    assert one == other


def test_a_release_whose_rows_are_in_spark(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("drinks.dat").write_text("tea milk\n" * 600 + "tea\n" * 400, encoding="utf-8")
    Path("items.txt").write_text("tea\nmilk\ngin\n", encoding="utf-8")
    given = ["release", "drinks.dat", "-s", "20%", "--method", "dp", "--epsilon", "20", "--universe", "items.txt"]
    assert main([*given, "--engine", "spark", "-o", "public"]) == 2
    assert "--format fimi" in " ".join(capfd.readouterr().err.split())
    assert main([*given, "--format", "fimi", "--engine", "spark", "-o", "public"]) == 0
    assert discreet.verify("public").holds
    exact = ["release", "drinks.dat", "-s", "20%", "-k", "5", "--method", "none", "--engine", "spark", "-o", "exact"]
    assert main(exact) == 2
    assert "--engine does not go with --method none" in capfd.readouterr().err
