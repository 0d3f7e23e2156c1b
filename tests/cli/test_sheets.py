"""The commands on sheets of Excel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import openpyxl

from discreet.transactions.reading import read

if TYPE_CHECKING:
    from pathlib import Path


def test_commands_take_a_sheet_and_write_csv(call, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.title = "old"
    for sheet in (book.active, book.create_sheet("new")):
        for row in (["age", "town", "ill"], [30, "Ghent", "y"], [41, None, "n"], [30, "Lyon", "y"]):
            sheet.append(row)
    book.save(tmp_path / "a.xlsx")
    assert "--sheet" in call("mine", "a.xlsx", "-s", "2").refused()
    assert "Read as a table: 3 columns, header, 3 rows" in call("mine", "a.xlsx", "--sheet", "2", "-s", "2").out
    (tmp_path / "private.txt").write_text("ill=y\n")
    words = ["--rho", "0.9", "--sensitive", "private.txt", "--sheet", "old"]
    assert ".csv" in call("anonymize", "a.xlsx", *words, "-o", "safe.xlsx").refused()
    call("anonymize", "a.xlsx", *words, "-o", "safe.csv")
    assert len(read(tmp_path / "safe.csv")) == 3
    (tmp_path / "other.txt").write_text("town=Lyon\n")
    released = call(
        "release", "--rows", "a.xlsx", "--promise", "rho=0.9", "--sensitive", "other.txt", "--sheet", "new", "-o", "pub"
    )
    assert released.status == 0
    assert (tmp_path / "pub" / "rows.csv").is_file()


def test_a_workbook_of_patterns_takes_the_sheet_that_it_is_advised(call, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for sheet, few in ((book.active, 3), (book.create_sheet("new"), 60)):
        for row in (["itemset", "count"], ["{a}", 63], ["{b}", few], ["{a,b}", few]):
            sheet.append(row)
    book.save(tmp_path / "found.xlsx")
    words = ["audit", "--patterns", "found.xlsx", "-k", 5, "--n", 200]
    assert "--sheet" in call(*words).refused()
    told = call(*words, "--sheet", "new", "--json").document()
    assert (told["verdict"], told["channels"][0]["support"]) == ("not-safe", 3)
    assert "has no sheet '3'; give --sheet one of 'Sheet', 'new'" in call(*words, "--sheet", 3).refused()
    (tmp_path / "found.csv").write_text("itemset,count\n{a},63\n")
    assert "--sheet is for workbooks" in call("audit", "--patterns", "found.csv", "-k", 5, "--sheet", "1").refused()
