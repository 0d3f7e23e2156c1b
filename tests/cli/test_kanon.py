"""`discreet kanon`: the documented JSON, the table, the summary, and what is refused."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path

import duckdb
import pytest
from rich.cells import cell_len

TABLE = """name,age,area,illness
Ann,34,N1,flu
Ben,37,N1,flu
Cid,34,N2,cold
Dot,37,N2,flu
Eve,61,N2,cold
"""


@pytest.fixture(autouse=True)
def files(surroundings: None) -> None:  # noqa: ARG001 - the folder it makes is where they go
    Path("people.csv").write_text(TABLE)
    Path("levels").mkdir()
    Path("levels/age.csv").write_text("34;30-39;*\n37;30-39;*\n61;60-69;*\n")
    Path("levels/area.csv").write_text("N1;*\nN2;*\n")


COLUMNS = ["--quasi-identifiers", "age,area", "--hierarchies", "levels"]


def test_the_document_and_the_table_of_datafly(call) -> None:
    outcome = call("kanon", "people.csv", "-k", 2, *COLUMNS, "--id-column", "name", "--json", "-o", "out.csv")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.count("\n") == 1
    assert outcome.document() == {
        "verdict": "k-anonymous",
        "method": "datafly",
        "k": 2,
        "generalization": {"age": 1, "area": 0},
        "suppressed_rows": 1,
        "alternatives": [],
    }
    assert Path("out.csv").read_text() == (
        "age,area,illness\n30-39,N1,flu\n30-39,N1,flu\n30-39,N2,cold\n30-39,N2,flu\n"
    )


def test_the_document_of_incognito(call) -> None:
    words = ["kanon", "people.csv", "-k", 2, *COLUMNS, "--method", "incognito", "--json"]
    document = json.loads(call(*words, "-o", "none.csv").out)
    assert document["suppressed_rows"] == 0
    assert document["alternatives"] == [document["generalization"]] == [{"age": 2, "area": 0}]
    document = json.loads(call(*words, "--suppress", 1, "--take", 2, "-o", "one.csv").out)
    assert document["suppressed_rows"] == 1
    assert document["alternatives"] == [{"age": 0, "area": 1}, {"age": 1, "area": 0}]
    assert document["generalization"] == {"age": 1, "area": 0}


def test_the_summary_says_what_was_done(call) -> None:
    words = ["kanon", "people.csv", "-k", 2, *COLUMNS, "--suppress", 1, "--method", "incognito", "-o", "out.csv"]
    outcome = call(*words)
    assert (outcome.status, outcome.err) == (0, "")
    text = " ".join(outcome.out.split())
    assert text.startswith("2-ANONYMOUS every combination of age and area is shared by at least 2 of 4 rows")
    assert "0 2 3 2 age" in text
    assert "1 1 2 1 area" in text
    assert "1 row (20 %) in smaller groups is left out." in text
    assert "0-1, 1-0. Number 1 was used; --take N uses another." in text
    assert "Written to out.csv." in text
    assert all(cell_len(line) <= 80 for line in outcome.out.splitlines() if "  discreet" not in line)


def test_the_next_steps_can_be_pasted(call) -> None:
    out = call("kanon", "people.csv", "--drop", "name", "-k", 2, *COLUMNS, "-o", "out.csv").out
    commands = [line.strip() for line in out.splitlines() if line.startswith("    discreet")]
    assert [shlex.split(command)[1] for command in commands] == ["mine", "audit"]
    for command in commands:
        outcome = call(*shlex.split(command)[1:])
        assert outcome.status in (0, 1), outcome.err


def test_standard_input_has_no_next_steps(run) -> None:
    with Path("people.csv").open() as table:
        outcome = run("kanon", "-", "-k", 2, *COLUMNS, "-o", "out.csv", stdin=table)
    assert (outcome.status, outcome.err) == (0, "")
    assert "What you can do" not in outcome.out
    assert Path("out.csv").read_text().startswith("name,age,area,illness\nAnn,30-39,N1,flu\n")


def test_the_table_is_written_in_the_format_it_came_in(call) -> None:
    Path("people.txt").write_text("34;N1\n37;N1\n")
    reading = ["--delimiter", ";", "--no-header", "--columns", "age,area"]
    assert call("kanon", "people.txt", *reading, "-k", 2, *COLUMNS, "-o", "out.csv.gz").status == 0
    assert gzip.decompress(Path("out.csv.gz").read_bytes()) == b"30-39;N1\n30-39;N1\n"
    duckdb.sql("COPY (FROM 'people.csv') TO 'people.parquet'")
    assert call("kanon", "people.parquet", "-k", 2, *COLUMNS, "-o", "out.parquet").status == 0
    assert duckdb.sql("SELECT DISTINCT age FROM 'out.parquet'").fetchall() == [("30-39",)]


def test_a_table_of_nothing_but_0_and_1_is_a_table_all_the_same(call) -> None:
    Path("bits.csv").write_text("a,b\n0,1\n1,1\n")
    assert call("kanon", "bits.csv", "-k", 2, "--quasi-identifiers", "a", "-o", "out.csv").status == 0
    assert Path("out.csv").read_text() == "a,b\n*,1\n*,1\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-k", 1, *COLUMNS], "must be a whole number of at least 2, got 1"),
        (["-k", 6, *COLUMNS], "but there are 5 rows"),
        (["-k", "two", *COLUMNS], "-k must be a whole number, got 'two'"),
        (["-k", 2], "--quasi-identifiers is missing: give LIST"),
        (
            ["-k", 2, "--quasi-identifiers", "age,shoe"],
            "entry 2 of --quasi-identifiers names the label 'shoe', which is not a column of the table",
        ),
        (["-k", 2, "--quasi-identifiers", "illness", "--hierarchies", "levels"], "levels/illness.csv does not exist"),
        (["-k", 2, "--quasi-identifiers", "age", "--hierarchies", "nowhere"], "--hierarchies must be a folder"),
        (["-k", 2, *COLUMNS, "--suppress", "-1"], "--suppress must be a whole number of at least 0, got '-1'"),
        (["-k", 2, *COLUMNS, "--take", "2"], "--take is for incognito"),
        (["-k", 2, *COLUMNS, "--method", "mondrian"], "--method must be datafly or incognito, got 'mondrian'"),
        (["-k", 2, *COLUMNS, "--format", "basket"], "--format must be table, got 'basket'"),
        (["-k", 2, *COLUMNS, "--map", "age:34=99"], "row 1 of those read has a value in column 'age'"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_refused_and_nothing_written(call, words: list[object], sentence: str) -> None:
    before = sorted(Path().rglob("*"))
    assert sentence in call("kanon", "people.csv", *words, "-o", "out.csv").refused()
    assert sorted(Path().rglob("*")) == before


def test_an_output_that_exists_is_left_alone_without_force(call) -> None:
    Path("out.csv").write_text("mine")
    words = ["kanon", "people.csv", "-k", 2, *COLUMNS, "-o", "out.csv"]
    assert "exists already" in call(*words).refused()
    assert Path("out.csv").read_text() == "mine"
    assert call(*words, "--force").status == 0
    assert Path("out.csv").read_text().startswith("name,age")


def test_an_output_is_needed(call) -> None:
    assert "-o/--output is missing: give OUT" in call("kanon", "people.csv", "-k", 2, *COLUMNS).refused()


def test_same_input_same_bytes(call) -> None:
    for name in ("one.csv.gz", "two.csv.gz"):
        assert call("kanon", "people.csv", "-k", 2, *COLUMNS, "-o", name).status == 0
    assert Path("one.csv.gz").read_bytes() == Path("two.csv.gz").read_bytes()
