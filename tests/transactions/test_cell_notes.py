"""Cells that may mean something else than they are taken for: the answer says so, and how to say what is meant."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import pytest

import discreet
from discreet.errors import DataError
from discreet.transactions.cell_notes import PERHAPS_MISSING
from discreet.transactions.read_record import record_of

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.transactions.transactions import Transactions


def read(tmp_path: Path, text: str, name: str = "rows.csv", **options: object) -> Transactions:
    path = tmp_path / name
    path.write_text(text)
    return discreet.read(path, **options)


def notes(tmp_path: Path, text: str, name: str = "rows.csv", **options: object) -> str:
    return "\n".join(record_of(read(tmp_path, text, name, **options)).notes)


@pytest.mark.parametrize("word", PERHAPS_MISSING)
def test_a_word_for_nothing_is_named_and_the_way_on_makes_it_missing(tmp_path: Path, word: str) -> None:
    text = f"drug,ward\nx,A\n{word},A\n{word},B\n"
    said = notes(tmp_path, text)
    assert said.startswith(
        f"Note: {word} in drug (2 rows) counts as a value; if nothing is known there, say so: --map "
    )
    [option] = shlex.split(said.split("--map ", 1)[1].removesuffix("."))
    rows = read(tmp_path, text, map=option)
    assert [sorted(row) for row in rows] == [["drug=x", "ward=A"], ["ward=A"], ["ward=B"]]
    assert not record_of(rows).notes


def test_many_words_for_nothing_are_one_note(tmp_path: Path) -> None:
    said = notes(tmp_path, "a,b,c\nx,-,.\nn/a,y,null\nN/A,z,w\n")
    assert said == (
        "Note: N/A in a (1 row), n/a in a (1 row), - in b (1 row) and 2 more count as values; if nothing is known "
        "there, say so: --map a:N/A=,n/a= --map b:-=."
    )


def test_columns_that_are_left_out_have_no_notes(tmp_path: Path) -> None:
    assert not notes(tmp_path, "a,b\nx,-\ny,z\n", drop="b")


@pytest.mark.parametrize(
    ("name", "text"), [("rows.dat", "nan milk\nnan\nmilk tea\n"), ("rows.csv", "nan,a\na\na,b,nan\n")]
)
def test_a_word_for_nothing_among_items(tmp_path: Path, name: str, text: str) -> None:
    said = notes(tmp_path, text, name)
    assert said == "Note: nan (2 rows) counts as an item; if nothing is meant by it, leave it out of the rows."


def test_labels_that_are_numbers_have_no_notes(tmp_path: Path) -> None:
    assert not notes(tmp_path, "1 2\n10 9\n", "rows.dat")


@pytest.mark.parametrize(
    ("cells", "between"),
    [
        (["I10;E11", "I10", "E11; J44", "I10;J44"], "; between their parts"),
        (["a|b", "b|c", "c|a"], "| between their parts"),
        (["['a', 'b']", "['b']", "[]"], "in brackets"),
        (['"[""a"", ""b""]"', '"[""b"", ""a""]"', '"[""c"", ""b""]"'], "in brackets"),
    ],
)
def test_lists_in_cells_are_named(tmp_path: Path, cells: list[str], between: str) -> None:
    quoted = [cell if cell.startswith('"') else f'"{cell}"' for cell in cells]
    said = notes(tmp_path, "sex,codes\n" + "".join(f"m,{cell}\nf,{cell}\n" for cell in quoted))
    assert f"Note: cells of codes look like lists ({between}), and each counts as one item" in said


@pytest.mark.parametrize(
    "cells",
    [["[20,40)", "[40,60)", "(60,inf)"], ["a;b", "c", "d", "e"], ["a;b", "c;d", "e;f"], ["26,1", "26,2", "27,1"]],
)
def test_what_is_no_list_is_not_called_one(tmp_path: Path, cells: list[str]) -> None:
    assert "lists" not in notes(tmp_path, "sex,codes\n" + "".join(f'm,"{cell}"\nf,"{cell}"\n' for cell in cells))


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "rows.csv",
            "a,b\n1,x\n2,y\n,\n,\n",
            "the last 2 lines are empty, and count as rows; delete them if they are only",
        ),
        (
            "rows.dat",
            "a b\n\nb\n\n",
            "the last line is empty, and counts as a row; delete it if it is only what a spreadsheet",
        ),
        ("rows.csv", "a,b\nb,a,c\n,\n", "the last line is empty"),
        ("rows.dat", "a b\n\nb\n", ""),
        ("rows.csv", "a,b\n1,x\n,\n2,y\n", ""),
    ],
)
def test_empty_lines_at_the_end_are_counted_and_said(tmp_path: Path, name: str, text: str, said: str) -> None:
    found = notes(tmp_path, text, name)
    assert said in found
    assert bool(said) == ("last" in found)


@pytest.mark.parametrize("last", ["Total,,20", "Source: the ward,,", "f,Summe,7"])
def test_a_last_row_that_is_a_total_is_named(tmp_path: Path, last: str) -> None:
    lines = "".join(f"{'mf'[at % 2]},A,{at % 3}\n" for at in range(12))
    said = notes(tmp_path, f"sex,ward,n\n{lines}{last}\n")
    assert "Note: the last row looks like a total, or a source, below a table, and counts as a row" in said
    assert "total" not in notes(tmp_path, f"sex,ward,n\n{lines}")


def test_places_in_a_list_are_named(tmp_path: Path) -> None:
    lines = "milk,tea,\ntea,milk,jam\njam,milk,tea\nmilk,,\njam,tea,milk\n"
    said = notes(tmp_path, f"Item 1,Item 2,Item 3\n{lines}")
    assert "Note: Item 1, Item 2, Item 3 hold the same values, and each counts as another item in each of them" in said
    assert "same values" not in notes(tmp_path, "lab1,lab2\n1,2\n2,1\n1,3\n2,2\n3,1\n")
    assert "same values" not in notes(tmp_path, "a1,b1\nx,y\ny,x\n")


def test_a_number_of_rows_behind_each_line_is_named(tmp_path: Path) -> None:
    assert "Note: count may be the number of rows that each" in notes(
        tmp_path, "sex,ward,count\nm,A,30\nf,A,20\nm,B,4\n"
    )
    assert "may be the number" not in notes(tmp_path, "sex,ward,count\nm,A,30\nm,A,20\nm,B,4\n")
    assert "may be the number" not in notes(tmp_path, "sex,ward,n\nm,A,x\nf,A,y\n")


def test_lines_that_are_parts_of_a_receipt_are_named(tmp_path: Path) -> None:
    lines = "".join(f"{536365 + at // 3},{at % 7},{at % 5},{at % 4}\n" for at in range(90))
    said = notes(tmp_path, f"InvoiceNo,StockCode,Quantity,Price\n{lines}")
    assert "Note: InvoiceNo is the same in several rows, as where each line is one part of something: lines are" in said
    assert not notes(
        tmp_path, "order_type,a,b,c\n" + "".join(f"{at % 12},{at % 7},{at % 5},{at % 4}\n" for at in range(90))
    )


# Numbers


GERMAN = "ward;weight\nA;26,5\nB;61,25\nA;70\nB;−3,5\n"


def test_decimal_commas_are_cut_as_what_they_are(tmp_path: Path) -> None:
    rows = read(tmp_path, GERMAN, bins={"weight": [0, 60]})
    assert [next(item for item in row if "weight" in item) for row in rows] == [
        "weight=(0,60]",
        "weight=>60",
        "weight=>60",
        "weight=<=0",
    ]


@pytest.mark.parametrize(
    ("cells", "doubt"),
    [
        (["1,250", "3,100"], "the commas could be decimal commas or separate thousands"),
        (["26.365", "66.298"], "the points could be decimal points or separate thousands"),
        (["1.5", "2,5"], "some numbers have commas and some have points"),
    ],
)
def test_numbers_that_could_be_others_are_refused(tmp_path: Path, cells: list[str], doubt: str) -> None:
    text = "ward;income\n" + "".join(f"A;{cell}\n" for cell in cells)
    with pytest.raises(
        DataError, match=re.escape(f"column 'income' of {tmp_path}/rows.csv has bins, but {doubt}; write")
    ):
        read(tmp_path, text, bins={"income": [30000, 60000]})


@pytest.mark.parametrize("cells", [["1,250", "3,1"], ["7.401", "7.298"], ["0.125", "0.250"]])
def test_numbers_of_three_decimals_are_read_where_they_show_it(tmp_path: Path, cells: list[str]) -> None:
    text = "ward;ph\n" + "".join(f"A;{cell}\n" for cell in cells)
    assert len(read(tmp_path, text, bins={"ph": ["0.2", "7.3"]})) == len(cells)


def test_a_look_cuts_numbers_with_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("ward;weight\n" + "".join(f"{'AB'[at % 2]};{40 + at % 10},{at % 7}\n" for at in range(200)))
    found = discreet.look(path)
    assert [(column.name, column.type, column.role) for column in found.columns][1] == ("weight", "number", "number")
    assert discreet.read(path, **found.options.keywords()).n == 200


# One column


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "sex:ward\nf:A\nm:B\nf:B\n",
            "has as many :; give delimiter=':' if that separates cells, or format='table' if",
        ),
        ("sex ward\nf A\nm B\nf B\n", "has as many blanks; give delimiter=' ' if"),
        ('items\n"milk,tea"\n"tea"\n"jam,milk"\n', "cells look like lists with , between their parts; take the quotes"),
    ],
)
def test_a_column_of_several_things_is_asked(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=re.escape(said)):
        read(tmp_path, text)
    assert len(read(tmp_path, text, format="table")) == 3


@pytest.mark.parametrize(
    "text", ["ward\nA\nB\n", "diagnosis\nheart failure\nflu\nasthma\n", "day\n2024-01-01\n2024-01-02\n"]
)
def test_a_column_of_values_is_read(tmp_path: Path, text: str) -> None:
    assert len(read(tmp_path, text)) == text.count("\n") - 1
