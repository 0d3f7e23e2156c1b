"""Columns that say whose a row is: which are found, which ordinary ones are not, and that they are refused."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from discreet import anonymize, kanon, read, release_rows
from discreet.cli.main import main
from discreet.errors import ParameterError
from discreet.transactions.column_profile import identifiers

if TYPE_CHECKING:
    from pathlib import Path

    from discreet import Transactions

ROWS = 200
DRAW = random.Random(1)
FIRST, LAST = ("Ann", "Bob", "Cid", "Dora", "Eve"), ("Hall", "Ives", "Jones", "King")
FOUND = {
    "name": [f"{DRAW.choice(FIRST)} {DRAW.choice(LAST)}-{number % 180}" for number in range(ROWS)],
    "who": [f"{first}{number}" for number, first in enumerate(FIRST * 40)],
    "contact": [f"{number}@example.org" for number in range(ROWS)],
    "reach": [f"0151 {DRAW.randint(10**6, 10**7)}" for _ in range(ROWS)],
    "policy": [str(DRAW.randint(10**9, 10**10 - 1)) for _ in range(ROWS)],
    "row": [str(number + 1) for number in range(ROWS)],
    "patient_nbr": [str(number * 2 // 3 * 97) for number in range(ROWS)],
    "code": [f"{number * 37:05}" for number in range(ROWS)],
}
ORDINARY = {
    "weight": [f"{DRAW.gauss(75, 12):.3f}" for _ in range(ROWS)],
    "income": [str(int(DRAW.lognormvariate(10, 1))) for _ in range(ROWS)],
    "age": [str(DRAW.randint(18, 90)) for _ in range(ROWS)],
    "born": [f"{DRAW.randint(1920, 2005)}-{DRAW.randint(1, 12):02}-{DRAW.randint(1, 28):02}" for _ in range(ROWS)],
    "town": [DRAW.choice(("Ulm", "Bonn", "Kiel")) for _ in range(ROWS)],
    "number of children": [str(DRAW.randint(0, 5)) for _ in range(ROWS)],
    "visit_id": [str(DRAW.randint(1, 90)) for _ in range(ROWS)],
}


def table(path: Path, *columns: str, rows: int = ROWS) -> Transactions:
    every = FOUND | ORDINARY
    lines = zip(*(every[column][:rows] for column in columns), strict=True)
    path.write_text("\n".join([",".join(columns), *map(",".join, lines)]) + "\n", encoding="utf-8")
    return read(path, format="table", header=True)


@pytest.mark.parametrize("column", FOUND)
def test_what_says_whose_a_row_is_is_found(tmp_path: Path, column: str):
    assert identifiers(table(tmp_path / "rows.csv", "town", column)) == (column,)
    assert identifiers(table(tmp_path / "rows.csv", "town", column, rows=15)) == (), "too few rows to know"


@pytest.mark.parametrize("column", ORDINARY)
def test_measures_dates_and_ordinary_values_are_not(tmp_path: Path, column: str):
    assert identifiers(table(tmp_path / "rows.csv", "age", *({column} - {"age"}))) == ()


def test_public_tables_are_met_rightly(data_folder: Path):
    for name in ("adult.data.csv.gz", "agaricus-lepiota.data.csv.gz"):
        assert identifiers(read(data_folder / name, format="table", header=False)) == (), name
    assert identifiers(read(data_folder / "diabetic_data.csv.gz")) == ("encounter_id", "patient_nbr")


def test_they_are_refused_wherever_rows_are_published(tmp_path: Path):
    rows = table(tmp_path / "rows.csv", "town", "age", "name")
    about = {"rho": "0.9", "sensitive": ["town=Ulm"], "method": "simple"}
    bundle = {"name": "rows.csv", "promise": "rho=0.9", "sensitive": ["town=Ulm"], "output": tmp_path / "pub"}
    bundle |= {"original": rows}
    for publish in (
        lambda **more: anonymize(rows, **about, **more),
        lambda **more: kanon(rows, k=2, quasi_identifiers="age", **more),
        lambda **more: release_rows(anonymize(rows, **about, allow_identifiers="name").rows, **bundle, **more),
    ):
        with pytest.raises(ParameterError, match="the column 'name' is different in nearly every row") as refusal:
            publish()
        assert refusal.value.parameter == "allow_identifiers"
        with pytest.raises(ParameterError, match="'nmae', which is not a column"):
            publish(allow_identifiers="nmae")
        publish(allow_identifiers=["name"])
    kanon(rows, k=2, quasi_identifiers="age,name")  # generalized away


def test_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    table(tmp_path / "rows.csv", "town", "age", "contact", "policy")
    words = ["kanon", "rows.csv", "-k", "2", "--quasi-identifiers", "age", "-o", "out.csv"]
    assert main(words) == 2
    told = capfd.readouterr().err
    assert "the column 'contact' is different in nearly every row" in told
    assert (
        "leave it out (--identifying contact,policy), or give --allow-identifiers contact,policy to publish it" in told
    )
    assert "@example.org" not in told
    assert not (tmp_path / "out.csv").exists()
    assert main([*words, "--identifying", "contact,policy"]) == 0
    assert main([*words, "--force", "--allow-identifiers", "contact,policy"]) == 0
