"""`discreet release`, `verify` and `ledger`: statuses, documents, words, and what is written."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import duckdb
import pytest

from discreet import read_patterns
from discreet.publishing import bundle as bundles

RUNNING = Path(__file__).parent.parent / "data" / "running-example.dat"
FILES = ["certificate.json", "patterns.csv", "patterns.parquet", "report.html"]


@pytest.fixture(autouse=True)
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "public_report", lambda _: "<!doctype html>")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_bundle_has_four_public_files_and_verifies(call, tmp_path: Path):
    outcome = call("release", RUNNING, "-s", 6, "-k", 3, "--method", "suppressive", "-o", "public", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    document = json.loads(outcome.out)
    assert document["safe"] is True
    assert document["files"] == {name: f"public/{name}" for name in document["files"]}
    assert names(tmp_path / "public") == FILES
    assert "suppressive" not in outcome.out
    verified = call("verify", "public", "--data", RUNNING, "--json")
    assert (verified.status, verified.err) == (0, "")
    assert json.loads(verified.out)["safe"] is True
    assert call("audit", "--patterns", "public/patterns.csv", "-k", 3).status == 0


def test_the_first_line_is_the_verdict_and_the_commands_work_when_pasted(call):
    out = call("release", RUNNING, "-s", 6, "-k", 3, "--method", "suppressive", "-o", "public").out
    assert out.splitlines()[1].startswith("  SAFE  ")
    assert len(out.splitlines()[1]) <= 80
    assert "Tell nobody" in out
    commands = [line.strip() for line in out.splitlines() if line.startswith("    discreet ")]
    assert len(commands) == 2
    for command in commands:
        assert call(*shlex.split(command)[1:]).status == 0


def test_what_is_not_safe_is_refused_with_status_1_and_nothing_is_written(call, tmp_path: Path):
    outcome = call("release", RUNNING, "-s", 8, "-k", 3, "--method", "none", "-o", "public", "--owner-report", "o.html")
    assert (outcome.status, outcome.err) == (1, "")
    assert outcome.out.splitlines()[1].startswith("  NOT SAFE  ")
    commands = [line.strip() for line in outcome.out.splitlines() if line.startswith("    discreet ")]
    assert commands
    assert list(tmp_path.iterdir()) == []
    outcome = call("release", RUNNING, "-s", 8, "-k", 3, "--method", "none", "-o", "public", "--json")
    assert outcome.status == 1
    assert json.loads(outcome.out)["safe"] is False
    for command in commands:
        assert call(*shlex.split(command)[1:]).status == (1 if " audit " in command else 0)


def test_a_selection_needs_no_rows(call, tmp_path: Path):
    call("release", RUNNING, "-s", 6, "-k", 3, "--method", "additive", "-o", "public")
    assert call("release", "--from", "public", "-s", 12, "-o", "less", "--rules").status == 0
    assert names(tmp_path / "less") == sorted([*FILES, "rules.csv", "rules.parquet"])
    assert call("verify", "less", "--data", RUNNING).status == 0
    assert read_patterns(tmp_path / "less" / "patterns.csv").supports.min() >= 12
    assert "ask for that many or more" in call("release", "--from", "public", "-s", 1, "-o", "more").refused()


def test_the_owners_report_is_apart_and_private(call, tmp_path: Path):
    call("release", RUNNING, "-s", 6, "-k", 3, "--method", "suppressive", "-o", "public", "--owner-report", "own.html")
    assert names(tmp_path) == ["own.html", "public"]
    assert (tmp_path / "own.html").stat().st_mode & 0o777 == 0o600
    assert "suppressive" in (tmp_path / "own.html").read_text()


def test_the_ledger_refuses_and_says_what_would_be_safe(call, tmp_path: Path, data_folder: Path):
    mushroom = data_folder / "mushroom.dat.gz"
    more = ["-k", 10, "--ledger", "book"]
    assert call("release", mushroom, "-s", 7907, "--method", "none", "-o", "exact", *more).status == 0
    outcome = call("release", mushroom, "-s", "60%", "--method", "additive", "-o", "raised", *more)
    assert (outcome.status, outcome.err) == (1, "")
    assert "release 1" in outcome.out
    assert names(tmp_path) == ["book", "exact"]
    commands = [line.strip() for line in outcome.out.splitlines() if line.startswith("    discreet ")]
    assert len(commands) == 3
    for command in commands:
        assert call(*shlex.split(command)[1:]).status == 0
    document = json.loads(
        call("release", mushroom, "-s", "60%", "--method", "additive", "-o", "x", *more, "--json").out
    )
    assert document["together"]["releases"][0]["number"] == 1
    listed = json.loads(call("ledger", "show", "book", "--json").out)["releases"]
    assert [entry["number"] for entry in listed] == [1, 2]
    assert len({entry["input"] for entry in listed}) == 1
    shown = call("ledger", "show", "book").out
    assert shown.startswith("\n  2 releases in book")
    assert "…" not in shown  # in 80 columns every figure is there
    assert call("ledger", "check", "book").status == 0
    assert call("ledger", "check", "book", "exact", "--json").status == 0
    call("release", mushroom, "-s", "60%", "--method", "additive", "-o", "alone", "-k", 10)
    outcome = call("ledger", "check", "book", "alone")
    assert outcome.status == 1
    assert outcome.out.splitlines()[1].startswith("  NOT SAFE  ")


def test_a_new_ledger_is_told_so_that_a_mistyped_name_is_seen(call):
    words = ["release", RUNNING, "-s", 6, "-k", 3, "--method", "suppressive"]
    first = call(*words, "-o", "public", "--ledger", "book").out
    assert "book is a new ledger" in first
    again = call(*words, "-o", "again", "--ledger", "book").out
    assert "a new ledger" not in again
    assert "Tell nobody" in again


def test_rows_of_a_database_may_be_compared_with_the_ledgers(call):
    with duckdb.connect("clinic.duckdb") as clinic:
        clinic.execute("CREATE TABLE people AS SELECT 'north' AS ward FROM range(20)")
    read = ["--sql", "SELECT ward FROM people", "--database", "clinic.duckdb"]
    made = call("release", *read, "-s", 6, "-k", 3, "--method", "none", "-o", "public", "--ledger", "book")
    assert made.status == 0, made
    assert call("verify", "public", *read, "--ledger", "book").status == 0


def test_verify_says_no_with_status_1_and_only_what_cannot_be_opened_is_2(call, tmp_path: Path):
    call("release", RUNNING, "-s", 6, "-k", 3, "--method", "suppressive", "-o", "public")
    assert "cannot open missing" in call("verify", "missing").refused()
    assert "does not exist" in call("verify", "public", "--data", "missing.dat").refused()
    (tmp_path / "public" / "report.html").write_text("other")
    outcome = call("verify", "public")
    assert (outcome.status, outcome.err) == (1, "")
    assert "DOES NOT HOLD" in outcome.out.splitlines()[1]
    (tmp_path / "public" / "certificate.json").unlink()
    assert call("verify", "public").status == 1
    (tmp_path / "nothing").mkdir()
    assert call("verify", "nothing").status == 1


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-s", 6, "-k", 3, "--method", "none"], "DATA is missing"),
        ([RUNNING, "-k", 3, "--method", "none"], "--min-support (-s) is missing"),
        ([RUNNING, "-s", 6, "--method", "none"], "-k is missing"),
        ([RUNNING, "-s", 6, "-k", 3], "--method is missing"),
        ([RUNNING, "-s", 6, "-k", 1, "--method", "none"], "k must be a whole number of at least 2"),
        ([RUNNING, "-s", 6, "-k", 3, "--method", "other"], "--method must be additive, suppressive or none"),
        ([RUNNING, "-s", 6, "-k", 3, "--method", "none", "--min-confidence", "80%"], "--min-confidence is for --rules"),
        ([RUNNING, "--from", "public", "-s", 6], "DATA does not go with --from"),
        (["--from", "missing", "-s", 6], "cannot open missing"),
        ([RUNNING, "-s", 6, "-k", 3, "--method", "none", "--promise", "rho=0.5"], "--promise does not go with DATA"),
        (["--rows", RUNNING, "-s", 6], "--min-support does not go with --rows"),
        (["--rows", RUNNING, "--promise", "magic"], "promise must be rho=R, hidden or hidden=PSI"),
        ([RUNNING, "-s", 6, "-k", 3, "--method", "none", "--sign", "missing.pem"], "cannot read missing.pem"),
        ([RUNNING, "-s", 6, "-k", 3, "--method", "none", "--ledger", "public/book"], "put it elsewhere"),
        ([RUNNING, "-s", 6, "-k", 3, "--method", "none", "--owner-report", "public/o.html"], "put it elsewhere"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(call, tmp_path: Path, words: list[object], expected: str):
    assert expected in call("release", *words, "-o", "public").refused()
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_refused_without_force(call, tmp_path: Path):
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "mine.txt").write_text("keep me")
    words = ["release", RUNNING, "-s", 6, "-k", 3, "--method", "suppressive", "-o", "public"]
    assert "not empty" in call(*words).refused()
    assert "holds no bundle" in call(*words, "--force").refused()
    assert names(tmp_path / "public") == ["mine.txt"]
    assert "is a folder" in call("ledger", "check", "public").refused()
