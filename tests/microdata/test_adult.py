"""Anonymizing data against anonymizing patterns: section 8.3 of atzori2008, on Adult with k = 50.

The paper prints neither its hierarchies nor how it cut ages. With those of adult_hierarchies (bands of 5, 10 and 20
years, four regions) its two generalizations come out as printed, and so do Tables 4 and 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from discreet.microdata.kanon import kanon
from discreet.patterns.mining import mine
from tests.microdata.adult_hierarchies import ADULT, QUASI_IDENTIFIERS
from tests.microdata.kanon_twin import Twin
from tests.papers.adult import read_adult

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.transactions.transactions import Transactions

SETTINGS = {"k": 50, "quasi_identifiers": QUASI_IDENTIFIERS, "hierarchies": ADULT}
TABLE_4 = {"age": 4, "race": 1, "sex": 0, "native-country": 2, "income": 0}
TABLE_5 = {"age": 4, "race": 1, "sex": 0, "native-country": 1, "income": 1}
HOURS, MALE, PRIVATE, LOW = "hours-per-week=(20,40]", "sex=Male", "workclass=Private", "income=<=50K"
GAIN, LOSS, AMERICA = "capital-gain=0", "capital-loss=0", "native-country=North-America"


@pytest.fixture(scope="module")
def adult(data_folder: Path) -> Transactions:
    return read_adult(data_folder)


@pytest.fixture(scope="module")
def twin(adult: Transactions) -> Twin:
    def cells(row: frozenset[str]) -> list[str]:
        values = dict(label.split("=", 1) for label in row)
        return [values[column] for column in QUASI_IDENTIFIERS]

    return Twin(map(cells, adult), [ADULT[column] for column in QUASI_IDENTIFIERS])


def maximal(rows: Transactions) -> dict[frozenset[str], int]:
    return {frozenset(items): support for items, support in mine(rows, min_support=18100, target="maximal")}


def test_rows_that_are_not_anonymous_before(twin: Twin):
    """The paper has 3,170, with ages that it had cut into intervals before: between 10- and 20-year bands."""
    assert twin.outliers((0, 0, 0, 0, 0), 50) == 8116
    assert [twin.outliers((level, 0, 0, 0, 0), 50) for level in (1, 2, 3)] == [3774, 3253, 2795]


def test_table_4_datafly(adult: Transactions):
    result = kanon(adult, method="datafly", **SETTINGS)
    assert result.generalization == TABLE_4
    assert result.suppressed_rows == 0  # "no tuple was suppressed by DATAFLY"
    stars = {"age=*", "race=*", "native-country=*"}
    assert maximal(result.rows) == {
        frozenset({*stars, HOURS}): 18577,
        frozenset({*stars, MALE, GAIN}): 18403,
        frozenset({*stars, MALE, LOSS}): 19290,
        frozenset({*stars, PRIVATE, GAIN, LOSS}): 19623,
        frozenset({*stars, LOW, GAIN, LOSS}): 21021,
    }


def test_incognito_has_the_generalizations_of_tables_4_and_5(adult: Transactions):
    result = kanon(adult, method="incognito", **SETTINGS)
    assert result.suppressed_rows == 0
    assert TABLE_4 in result.alternatives
    assert TABLE_5 in result.alternatives
    assert len(result.alternatives) == 5


def test_table_5_incognito(adult: Transactions):
    alternatives = kanon(adult, method="incognito", **SETTINGS).alternatives
    result = kanon(adult, method="incognito", take=alternatives.index(TABLE_5) + 1, **SETTINGS)
    stars = {"age=*", "race=*", "income=*"}
    assert maximal(result.rows) == {
        frozenset({*stars, HOURS}): 18577,
        frozenset({*stars, MALE, GAIN}): 18403,
        frozenset({*stars, MALE, AMERICA}): 18652,
        frozenset({*stars, MALE, LOSS}): 19290,
        frozenset({*stars, PRIVATE, GAIN, AMERICA}): 18642,
        frozenset({*stars, PRIVATE, GAIN, LOSS}): 19623,
        frozenset({*stars, PRIVATE, AMERICA, LOSS}): 19322,
        frozenset({*stars, GAIN, AMERICA, LOSS}): 23921,
    }


@pytest.mark.parametrize("limit", [0, 50, 500])
@pytest.mark.parametrize("k", [5, 50])
def test_incognito_is_brute_force_over_the_whole_lattice(adult: Transactions, twin: Twin, k: int, limit: int):
    settings = SETTINGS | {"k": k, "suppress": limit}
    result = kanon(adult, method="incognito", **settings)
    assert [tuple(each.values()) for each in result.alternatives] == twin.minimal(k, limit)
    assert result.suppressed_rows == twin.outliers(tuple(result.generalization.values()), k) <= limit


def test_little_memory_for_groups_changes_nothing(adult: Transactions, monkeypatch: pytest.MonkeyPatch):
    settings = SETTINGS | {"suppress": 500}
    roomy = kanon(adult, method="incognito", **settings)
    monkeypatch.setattr("discreet.microdata.incognito._MOST_GROUPS_KEPT", 100)
    assert kanon(adult, method="incognito", **settings).to_dict() == roomy.to_dict()


@pytest.mark.parametrize(
    ("suppress", "levels", "left_out"), [(0, TABLE_4, 0), (301, TABLE_4 | {"native-country": 1}, 79)]
)
def test_datafly_agrees_with_anjana(adult: Transactions, suppress: int, levels: dict[str, int], left_out: int):
    """What anjana 1.2.3's k_anonymity gave for the same table and hierarchies, at a suppression of 0 % and of 1 %."""
    result = kanon(adult, method="datafly", suppress=suppress, **SETTINGS)
    assert (result.generalization, result.suppressed_rows) == (levels, left_out)
