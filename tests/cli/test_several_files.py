"""The commands on several files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def years(tmp_path: Path) -> Path:
    (tmp_path / "years").mkdir()
    (tmp_path / "years" / "a.csv").write_text("sex,ill\nm,y\nf,n\nm,y\n")
    (tmp_path / "years" / "b.csv").write_text("sex,ill\nf,y\nm,n\n")
    return tmp_path


@pytest.mark.parametrize("data", [["years"], ["years/*.csv"], ["years/a.csv", "years/b.csv"]])
def test_commands_read_several_files_as_one(call, years: Path, data: list[str]) -> None:
    mined = json.loads(call("mine", *data, "-s", "1", "--json").out)
    assert (mined["n"], mined["read"]["name"]) == (5, ", ".join(data))
    asked = call("audit", *data, "-s", "1", "-k", "2", "--json")
    assert asked.status == 1
    steps = json.loads(asked.out)["advice"]
    assert steps[0]["command"][2 : 2 + len(data)] == data
    (years / "private.txt").write_text("ill=y\n")
    call("anonymize", *data, "--rho", "0.9", "--sensitive", "private.txt", "-o", "safe.csv")
    assert (years / "safe.csv").is_file()
    (years / "restrict.txt").write_text("sex=m,ill=y\n")
    assert call("hide", *data, "--method", "naive", "--restrict", "restrict.txt", "-o", "hidden.csv").status == 0
    assert (years / "hidden.csv").read_text().splitlines()[0] == "sex,ill"
    assert (
        "--index"
        in call(
            "hide", *data, "--method", "naive", "--restrict", "restrict.txt", "-o", "h.csv", "--index", "i"
        ).refused()
    )


def test_the_file_that_differs_is_named(call, years: Path) -> None:
    (years / "years" / "c.csv").write_text("sex,age\nm,30\n")
    assert "c.csv has other columns than" in call("mine", "years", "-s", "1").refused()
    assert "no file matches" in call("mine", "years/*.dat", "-s", "1").refused()
    assert "standard input" in call("mine", "years/a.csv", "-", "-s", "1").refused()


def test_spark_takes_one_file_or_folder(call, years: Path) -> None:
    assert (years / "years").is_dir()
    refused = call("mine", "years/a.csv", "years/b.csv", "-s", "1", "--engine", "spark").refused()
    assert "Spark reads one file" in refused
