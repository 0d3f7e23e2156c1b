"""Hierarchies as ARX writes them, and what is refused: with the line or the row, never with a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from discreet.errors import DataError, InputError, ParameterError
from discreet.microdata.column_hierarchy import read_hierarchies
from discreet.microdata.kanon import kanon
from discreet.transactions.transactions import Transactions

if TYPE_CHECKING:
    from pathlib import Path

AGES = "34;30-34;30-39;*\n37;35-39;30-39;*\n41;40-44;40-49;*\n"


def write(folder: Path, text: str, column: str = "age") -> Path:
    (folder / f"{column}.csv").write_text(text, encoding="utf-8")
    return folder


def ages(*values: str) -> Transactions:
    return Transactions.from_rows([[f"age={value}"] for value in values])


def test_a_file_gives_a_value_its_levels(tmp_path: Path):
    found = read_hierarchies(write(tmp_path, AGES), ["age"])["age"]
    assert found.height == 3
    assert found.line("37") == ("37", "35-39", "30-39", "*")
    assert found.line("99") is None


def test_quotes_blanks_blank_lines_and_a_mark_at_the_beginning_are_understood(tmp_path: Path):
    found = read_hierarchies(write(tmp_path, '\ufeff"a;b" ; "say ""x""" ;*\r\n\r\n c;d;*\r\n'), ["age"])["age"]
    assert found.line("a;b") == ("a;b", 'say "x"', "*")
    assert found.line("c") == ("c", "d", "*")


def test_the_same_line_twice_says_nothing_new(tmp_path: Path):
    assert read_hierarchies(write(tmp_path, AGES + AGES), ["age"])["age"].height == 3


def test_a_hierarchy_can_come_from_python_with_numbers_in_it():
    found = read_hierarchies({"age": [(34, "30-39", "*")], "sex": []}, ["age"])["age"]
    assert found.line("34") == ("34", "30-39", "*")


def test_without_hierarchies_a_value_becomes_anything():
    found = read_hierarchies(None, ["age"])["age"]
    assert found.line("34") == ("34", "*")
    assert found.height == 1


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("34;30-39;*\n37;*\n", 2, "has 2 cells where 3 were expected"),
        ("34;30-39;*\n\n37;30-39;any;*\n", 3, "has 4 cells where 3 were expected"),
        ("34\n37\n", 1, "has no level above its value"),
        ("34,30-39,*\n", 1, "has no level above its value"),
        ("34;30-39;*\n37;;*\n", 2, "has an empty cell at level 1"),
        ("34;30-39;*\n34;30-34;*\n", 2, "at level 0 that becomes another one at level 1"),
        ("34;30-39;x;*\n37;30-39;y;*\n", 2, "at level 1 that becomes another one at level 2"),
        ("34;30-39;*\n?;unknown;*\nNA;missing;*\n", 3, "at level 0 that becomes another one at level 1"),
        ('34;30-39;*\n37;"30;*\n', 2, "quote"),
        ("", None, "holds no lines"),
        ("\n\n", None, "holds no lines"),
    ],
)
def test_a_file_that_is_no_hierarchy_is_refused_with_its_line(tmp_path: Path, text: str, line: int | None, words: str):
    with pytest.raises(DataError, match=words) as refused:
        read_hierarchies(write(tmp_path, text), ["age"])
    assert refused.value.line == line
    assert "age.csv" in str(refused.value)
    assert "34" not in str(refused.value).replace(str(tmp_path), "")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path):
    (tmp_path / "age.csv").write_bytes(b"34;30-39;*\n37;\xff;*\n")
    with pytest.raises(DataError, match=r"line 2 of .*age\.csv has bytes that are not UTF-8"):
        read_hierarchies(tmp_path, ["age"])


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(ParameterError, match=r"sex\.csv does not exist.*'sex'") as refused:
        read_hierarchies(write(tmp_path, AGES), ["age", "sex"])
    assert refused.value.parameter == "hierarchies"
    with pytest.raises(ParameterError, match="no entry for the quasi-identifier 'sex'"):
        read_hierarchies({"age": [["34", "*"]]}, ["age", "sex"])


@pytest.mark.parametrize("folder", ["nowhere", "age.csv", "a\0b"])
def test_what_is_no_folder_is_refused(tmp_path: Path, folder: str):
    with pytest.raises(ParameterError, match=r"must be a folder with a file such as age\.csv"):
        read_hierarchies(write(tmp_path, AGES) / folder, ["age"])


def test_a_value_without_a_line_is_refused_with_its_row(tmp_path: Path):
    with pytest.raises(DataError, match=r"row 2 of those read has a value in column 'age'") as refused:
        kanon(ages("34", "77", "34", "78"), k=2, quasi_identifiers=["age"], hierarchies=write(tmp_path, AGES))
    assert "age.csv has no line (2 values of the column have none)" in str(refused.value)
    assert "77" not in str(refused.value).replace(str(tmp_path), "")


def test_a_missing_cell_needs_a_line_too(tmp_path: Path):
    rows = Transactions.from_rows([["age=34"], ["age=37"], []])
    with pytest.raises(DataError, match=r"row 3 of those read has no value in column 'age'.*missing='drop-row'"):
        kanon(rows, k=2, quasi_identifiers=["age"], hierarchies=write(tmp_path, AGES))


def test_values_that_do_not_occur_cost_nothing(tmp_path: Path):
    text = "".join(f"{age};{age // 10};*\n" for age in range(1000))
    result = kanon(ages("7", "7", "8"), k=2, quasi_identifiers=["age"], hierarchies=write(tmp_path, text), suppress=0)
    assert result.generalization == {"age": 1}
    assert list(result.rows.vocabulary) == ["age=0"]


def test_every_refusal_is_one_of_ours(tmp_path: Path):
    (tmp_path / "age.csv").mkdir()
    with pytest.raises(InputError):
        read_hierarchies(tmp_path, ["age"])
