"""`look`: what a file is, its columns and their roles, how many itemsets to expect, and commands that run."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from discreet.errors import TooManyPatterns
from discreet.patterns.look import MOST_ITEMSETS, look_at
from discreet.transactions.options import ReadOptions

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def stays(tmp_path: Path) -> Path:
    """Write stays of patients: an id, a person, a constant, an empty column, a number, and what matters."""
    lines = ["stay,patient_nbr,age,unit,comment,sex,drug,never"]
    for row in range(400):
        sex, drug = ("m" if row % 3 else "f"), "abc"[row % 3]
        comment = "late" if row % 50 == 0 else ""
        never = "yes" if row % 100 == 0 else "no"
        lines.append(f"{row},{row // 2},{20 + row % 60},ward,{comment},{sex},{drug},{never}")
    path = tmp_path / "stays.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_columns_have_roles(tmp_path: Path) -> None:
    found = look_at(stays(tmp_path), ReadOptions())
    assert {column.name: column.role for column in found.columns} == {
        "stay": "id",
        "patient_nbr": "person",
        "age": "number",
        "unit": "constant",
        "comment": "near-empty",
        "sex": "quasi-identifier",
        "drug": "value",
        "never": "near-constant",
    }
    age = found.columns[2]
    assert (age.type, age.distinct, age.missing, age.edges) == ("number", 60, 0, ("39", "58"))
    assert found.options == ReadOptions(
        person_column="patient_nbr", drop=("stay", "unit", "comment", "never"), bins=["age=39,58"]
    )
    assert found.read.notes == (
        "Note: stay is different in every row, as ids are: leave it out.",
        (
            "Note: patient_nbr is the same in several rows, as one person's: rows are counted, not people, unless you "
            "name the person column."
        ),
        "Note: unit is the same in every row.",
        "Note: comment is empty in nearly every row.",
    )


def test_an_audit_says_that_rows_are_not_people(call, tmp_path: Path) -> None:
    stays(tmp_path)
    said = call("audit", "stays.csv", "-s", "10%", "-k", "2")
    assert "Note: patient_nbr is the same in several rows, as one person's" in said.out
    assert (
        "one person's" not in call("audit", "stays.csv", "-s", "10%", "-k", "2", "--person-column", "patient_nbr").out
    )


def test_json_is_as_documented(call, tmp_path: Path) -> None:
    stays(tmp_path)
    document = json.loads(call("look", "stays.csv", "--json").out)
    assert set(document) == {"read", "columns", "itemsets", "notes", "next"}
    assert document["columns"][0] == {"name": "stay", "type": "number", "distinct": 400, "missing": 0, "role": "id"}
    assert document["read"]["rows"] == 400
    assert document["itemsets"][0]["min_support"] == "50%"


def test_the_next_commands_run_as_they_are_printed(call, tmp_path: Path) -> None:
    stays(tmp_path)
    audit, release = json.loads(call("look", "stays.csv", "--json").out)["next"]
    for command in (audit, release):
        assert call(*shlex.split(command)[1:]).status in (0, 1)
    assert "--person-column patient_nbr" in release
    assert "200 people have in common" in (tmp_path / "public/report.html").read_text()


def test_values_are_shown_only_when_asked_for(call, tmp_path: Path) -> None:
    stays(tmp_path)
    assert "late" not in call("look", "stays.csv").out
    assert "late" in call("look", "stays.csv", "--show").out


def test_baskets_have_no_columns(call, tmp_path: Path) -> None:
    (tmp_path / "shop.dat").write_text("a b\n" * 30 + "c\n" * 10)
    out = call("look", "shop.dat").out
    assert out.startswith("\n  shop.dat can be read: 40 rows\n\n  Read as rows of tokens: 40 rows, 3 items.\n")
    assert "discreet audit shop.dat -s 50% -k 10" in out


def test_counts_are_exact_up_to_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mine(_: object, *, min_support: str, **__: object) -> list[None]:
        if min_support == "10%":
            raise TooManyPatterns("more", found=9, min_support=1)
        return [None] * 3

    monkeypatch.setattr("discreet.patterns.look.mine", mine)
    (tmp_path / "shop.dat").write_text("a b\n" * 90)
    found = look_at(tmp_path / "shop.dat", ReadOptions())
    assert [(count.min_support, count.closed) for count in found.counts] == [("50%", 3), ("20%", 3), ("10%", None)]
    assert (found.min_support, MOST_ITEMSETS) == ("20%", 50_000)


def test_what_looks_like_something_else_is_refused_as_by_every_command(call, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("m,N1,x\nf,N2,y\nm,N1,x\n")
    assert "give --no-header if it is a row" in call("look", "rows.csv").refused()
    assert "DATA is missing" in call("look").refused()


def test_the_hospital_table_is_published_in_three_commands(call, data_folder: Path, tmp_path: Path) -> None:
    """Fifty columns, 23 of them drugs that are nearly always No; 101,766 stays of 71,518 patients."""
    table = str(data_folder / "diabetic_data.csv.gz")
    document = json.loads(call("look", table, "--json").out)
    assert len([column for column in document["columns"] if column["role"] == "near-constant"]) >= 10
    audit, release = document["next"]
    assert call(*shlex.split(audit)[1:]).status == 1
    assert call(*shlex.split(release)[1:], "--unit", "patients").status == 0
    assert "patients have in common" in (tmp_path / "public/report.html").read_text()
