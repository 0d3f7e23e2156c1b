"""Both engines give the same JSON, byte for byte."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import discreet

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.spark.rows import SparkRows

RUNNING = Path(__file__).parent.parent / "data" / "running-example.dat"
WORDS = ("abcdefgh", ["1", "2", "10", "03", "3"], ["1", "b", "20", "ä", "ö ü"])


def random_rows(seed: int) -> tuple[list[list[str]], int, int]:
    """Return rows with empty ones, repeated items and, often, an item in every row; and a support and a k."""
    draw = random.Random(seed)
    labels = draw.choice(WORDS)
    everywhere = ["7"] if seed % 3 == 0 else []
    rows = [[*draw.choices(labels, k=draw.randrange(9)), *everywhere] for _ in range(draw.randrange(1, 40))]
    return rows, draw.randrange(1, 8), draw.randrange(2, 6)


def told(job: Callable[..., Any], rows: object, **options: object) -> str:
    """Return what a job answers, as JSON, or why it cannot."""
    try:
        return json.dumps(job(rows, **options).to_dict())
    except discreet.NotSafe as error:
        return str(error)


@pytest.mark.parametrize("seed", range(100))
def test_on_random_rows(there: Callable[..., SparkRows], seed: int) -> None:
    rows, sigma, k = random_rows(seed)
    here, spark_rows = discreet.Transactions.from_rows(rows), there(rows)

    def same(job: Callable[..., Any], **options: object) -> None:
        assert told(job, spark_rows, **options) == told(job, here, **options)

    for target in ("all", "closed", "maximal"):
        same(discreet.mine, min_support=sigma, target=target)
    same(discreet.audit, k=k, min_support=sigma, border=seed % 2 == 0, all_channels=seed % 5 == 0)
    method = ("additive", "suppressive")[seed % 2]
    same(discreet.block, k=k, min_support=sigma, method=method, target=("closed", "all")[seed // 2 % 2])


PUBLIC = [
    ("mushroom.dat.gz", "40%", 10),
    ("retail.dat.gz", "2%", 25),
    ("groceries.csv.gz", "2%", 10),
    ("kosarak_first36682.dat.gz", "3%", 10),
]


@pytest.mark.parametrize(("name", "sigma", "k"), PUBLIC, ids=[name.partition(".")[0] for name, _, _ in PUBLIC])
def test_on_public_data(both_engines: Callable[..., None], data_folder: Path, name: str, sigma: str, k: int) -> None:
    data = data_folder / name
    for target in ("all", "closed", "maximal"):
        both_engines("mine", data, "-s", sigma, "--target", target, "--json")
    both_engines("audit", data, "-s", sigma, "-k", k, "--json")
    for method in ("additive", "suppressive"):
        both_engines("block", data, "-s", sigma, "-k", k, "--method", method, "--json")


def test_in_words(both_engines: Callable[..., None]) -> None:
    both_engines("mine", RUNNING, "-s", 8, "--max-length", 2)
    both_engines("audit", RUNNING, "-s", 8, "-k", 3)
    both_engines("block", RUNNING, "-s", 8, "-k", 3, "--method", "additive", "--target", "all")


def test_quasi_identifiers_and_methods(both_engines: Callable[..., None]) -> None:
    for method in ("auto", "direct", "closed", "projection"):
        both_engines("audit", RUNNING, "-s", 4, "-k", 3, "--method", method, "--quasi-identifiers", "a,c,e", "--json")
    both_engines("audit", RUNNING, "-s", 4, "-k", 3, "--quasi-identifiers", "a,nobody")
