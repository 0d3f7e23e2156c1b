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
