"""Adult as section 8.3 of atzori2008 prepares it: 30,162 rows without missing values, 13 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.transactions.reading import read

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.transactions.transactions import Transactions

COLUMNS = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
    "capital-gain,capital-loss,hours-per-week,native-country,income"
)


def read_adult(data_folder: Path) -> Transactions:
    """Read the table."""
    return read(
        data_folder / "adult.data.csv.gz",
        format="table",
        header=False,
        columns=COLUMNS,
        drop="fnlwgt,education-num",
        bins="hours-per-week=20,40",
        map=["capital-gain:0=0,*=+", "capital-loss:0=0,*=+"],
        missing="drop-row",
    )
