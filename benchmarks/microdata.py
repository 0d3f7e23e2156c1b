"""Making tables k-anonymous: Datafly, and Incognito against trying every generalization."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.cases import Case, data_folder
from discreet.microdata.column_hierarchy import read_hierarchies
from discreet.microdata.incognito import minimal_generalizations
from discreet.microdata.kanon import kanon
from discreet.microdata.quasi_table import QuasiTable, quasi_table, roll_up
from discreet.transactions.reading import read
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable

    Lines = list[list[str]]
    Problem = tuple[Transactions, dict[str, Lines]]
    Jobs = tuple[Callable[[], object], Callable[[], object] | None]

__all__ = ["cases"]

K = 50
ADULT = {"c1": 4, "c9": 1, "c10": 1, "c14": 2, "c15": 1}
"""Age, race, sex, native country and income, with how many levels each can climb."""

CENSUS = {"c1": 4, "c5": 2, "c8": 2, "c11": 1, "c13": 1, "c33": 2, "c34": 2, "c35": 2}
"""Age, education, marital status, race, sex, and the countries of birth of father, mother and person."""


def cases(*, small: bool) -> list[Case]:
    """Return every case; small ones need no public data."""
    adult = partial(_small if small else _load, "adult.data.csv.gz", ADULT)
    census = partial(_small if small else _load, "census-income.test.csv.gz", CENSUS)
    both = (("adult, 5", adult), ("census-income, 8", census))
    whole = [Case(f"datafly, {name} columns, k = {K}", partial(_datafly, load)) for name, load in both]
    search = [
        Case(
            f"incognito's search, {name} columns, k = {K}",
            partial(_incognito, load),
            peer="every generalization in turn",
            repeats=2,
        )
        for name, load in both
    ]
    return whole + search


def _load(name: str, heights: dict[str, int]) -> Problem:
    rows = read(data_folder() / name, format="table", header=False)
    return rows, {column: _hierarchy(rows, column, height) for column, height in heights.items()}


def _small(name: str, heights: dict[str, int]) -> Problem:  # noqa: ARG001 - one stand-in for all
    draw = np.random.default_rng(1)
    columns = {column: np.minimum(draw.geometric(0.3, 300), 12) for column in list(heights)[:5]}
    rows = Transactions.from_rows(
        [f"{column}={value}" for column, value in zip(columns, values, strict=True)]
        for values in zip(*columns.values(), strict=True)
    )
    return rows, {column: _hierarchy(rows, column, heights[column]) for column in columns}


def _hierarchy(rows: Transactions, column: str, height: int) -> Lines:
    """Join neighbours in order, ever more of them, and everything in the end."""
    values = [label.partition("=")[2] for label in rows.vocabulary if label.startswith(f"{column}=")]
    bands = range(1, height)
    lines = [[value, *(f"{band}:{place // 5**band}" for band in bands), "*"] for place, value in enumerate(values)]
    return [*lines, ["?", *("?" for _ in bands), "*"]]


def _datafly(load: Callable[[], Problem]) -> Jobs:
    rows, hierarchies = load()
    return partial(kanon, rows, k=K, quasi_identifiers=list(hierarchies), hierarchies=hierarchies), None


def _incognito(load: Callable[[], Problem]) -> Jobs:
    rows, hierarchies = load()
    table = quasi_table(rows, list(hierarchies), read_hierarchies(hierarchies, list(hierarchies)))
    return partial(minimal_generalizations, table, k=K, limit=0), partial(_every_one, table)


def _every_one(table: QuasiTable) -> int:
    """Group by every generalization, from the distinct rows, and count those that make the table anonymous."""
    groups = table.groups()
    lattice = product(*(range(height + 1) for height in table.heights))
    bottom = [0] * len(table.heights)
    return sum(roll_up(groups, table.ladders, bottom, levels).rows_below(K) == 0 for levels in lattice)
