"""`discreet release`, `verify` and `ledger`: statuses, documents, words, and what is written."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import duckdb
import pytest

from discreet import read_patterns

RUNNING = Path(__file__).parent.parent / "data" / "running-example.dat"
FILES = ["certificate.json", "patterns.csv", "patterns.parquet", "report.html"]


pytestmark = pytest.mark.usefixtures("no_charts")


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
    assert out.splitlines()[1].startswith("  SAFE, PROVED  ")
    assert len(out.splitlines()[1]) <= 80
    assert "What is promised: No group of 1 to 2 rows can be computed" in " ".join(out.split())
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


def people(folder: Path, *, others: int = 3) -> Path:
    """Write a table of which a column has a value too rare to be published."""
    path = folder / "people.csv"
    path.write_text("gender,ward\n" + "F,north\n" * 30 + "M,north\n" * 25 + "M,south\n" * 20 + "other,south\n" * others)
    return path


def test_a_tables_columns_are_known_to_readers(call, tmp_path: Path):
    words = ["release", people(tmp_path), "-s", 20, "-k", 5, "-o", "public"]
    outcome = call(*words, "--method", "none", "--json")
    assert (outcome.status, json.loads(outcome.out)["verdict"]) == (1, "not-safe")
    assert call(*words, "--method", "suppressive").status == 0
    promise = json.loads((tmp_path / "public" / "certificate.json").read_text())["promise"]
    assert promise["exclusive"] == {"columns": ["gender", "ward"], "named": []}
    assert call("verify", "public", "--data", tmp_path / "people.csv").status == 0
    assert call("release", "--from", "public", "-s", 30, "-o", "less").status == 0
    promise = json.loads((tmp_path / "less" / "certificate.json").read_text())["promise"]
    assert promise["exclusive"]["columns"] == ["gender", "ward"]


def test_items_that_exclude_each_other_can_be_named(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("f\n" * 30 + "m\n" * 45 + "x\n" * 3)
    words = ["release", "rows.dat", "-s", 20, "-k", 5, "--method", "none", "-o", "public"]
    outcome = call(*words, "--exclusive", "f,m", "--attack-steps", "all")
    assert outcome.status == 1
    commands = [line.strip() for line in outcome.out.splitlines() if line.startswith("    discreet ")]
    assert all(
        "--exclusive f,m --attack-steps all" in each or "--attack-steps all --exclusive f,m" in each
        for each in commands
    )
    for command in commands:
        assert call(*shlex.split(command)[1:]).status == (1 if " audit " in command else 0)
    assert call("verify", "public").status == 0
    assert call("verify", "public", "--attack-steps", "all").status == 0
    refused = call(*words[:-1], "other", "--exclusive", "f,q").refused()
    assert "names the label 'q'" in refused
    assert "--attack-steps must be" in call(*words[:-1], "other", "--attack-steps", "few").refused()
    assert (
        "--exclusive does not go with --from"
        in call("release", "--from", "public", "-s", 30, "-o", "x", "--exclusive", "a,b").refused()
    )


def test_nothing_to_publish_is_said_in_one_line(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a\nb\nc\n" * 20)
    words = ["release", "rows.dat", "-s", 30, "-k", 5, "--method", "none", "-o", "public"]
    outcome = call(*words)
    assert (outcome.status, outcome.err) == (1, "")
    assert outcome.out.startswith("\n  NOTHING TO PUBLISH  no itemset is in enough rows")
    document = json.loads(call(*words, "--json").out)
    assert (document["safe"], document["verdict"]) == (False, "nothing")
    assert names(tmp_path) == ["rows.dat"]


def test_a_proof_is_the_owners_and_can_be_checked(call, tmp_path: Path):
    words = ["release", RUNNING, "-s", 6, "-k", 3, "--method", "suppressive", "-o", "public"]
    assert "put it elsewhere" in call(*words, "--proof", "public/proof.json").refused()
    assert "must be different files" in call(*words, "--proof", "own", "--owner-report", "own").refused()
    (tmp_path / "proof.json").write_text("kept")
    assert "exists already" in call(*words, "--proof", "proof.json").refused()
    assert names(tmp_path) == ["proof.json"]
    outcome = call(*words, "--proof", "proof.json", "--force")
    assert outcome.status == 0
    assert "For you alone: proof.json" in outcome.out
    assert (tmp_path / "proof.json").stat().st_mode & 0o777 == 0o600
    assert names(tmp_path / "public") == FILES
    checked = call("verify", "public", "--proof", "proof.json", "--json")
    assert checked.status == 0
    assert "the one given" in checked.out
    assert "is not a witness" in call("verify", "public", "--proof", RUNNING).refused()
    commands = [line.strip() for line in outcome.out.splitlines() if line.startswith("    discreet ")]
    assert [call(*shlex.split(command)[1:]).status for command in commands] == [0, 0]


def test_what_follows_from_growing_rows_is_told_with_its_proof(call, tmp_path: Path):
    before = "a\n" * 14 + "b\n" * 12 + "c\n" * 7 + "a b\n" * 7 + "a c\n" + "b c\n" * 15
    (tmp_path / "first.dat").write_text(before)
    (tmp_path / "second.dat").write_text(before + "a c\n" * 14 + "a\n" * 14)
    more = ["-k", 5, "--method", "none", "--ledger", "book"]
    assert call("release", "first.dat", "-s", 22, "-o", "first", *more, "--new-ledger").status == 0
    outcome = call("release", "second.dat", "-s", 8, "-o", "second", *more)
    assert outcome.status == 1
    said = " ".join(outcome.out.split())
    assert (
        "1 row of release 1 has a and c: at least sup(a, c) − sup(c) + sup(c) in release 1 = 15 − 37 + 23 = 1" in said
    )
    assert "say so with --rows-left" in said
    document = json.loads(call("release", "second.dat", "-s", 8, "-o", "second", *more, "--json").out)
    assert (document["together"]["kind"], document["together"]["high"]) == ("entailed", 1)
    assert document["together"]["of"] == "of release 1"
    call("release", "second.dat", "-s", 8, "-k", 5, "--method", "none", "-o", "apart")
    assert call("ledger", "check", "book", "apart").status == 1
    assert call("ledger", "check", "book", "apart", "--rows-left").status == 0
    assert call("release", "second.dat", "-s", 8, "-o", "second", *more, "--rows-left").status == 0
    assert call("ledger", "check", "book").status == 0
    assert "--rows-left is about DIR" in call("ledger", "check", "book", "--rows-left").refused()
    assert (
        "--rows-left is about the releases in a ledger"
        in call("release", "second.dat", "-s", 8, "-k", 5, "--method", "none", "-o", "x", "--rows-left").refused()
    )


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
    assert call("release", mushroom, "-s", 7907, "--method", "none", "-o", "exact", *more, "--new-ledger").status == 0
    outcome = call("release", mushroom, "-s", "60%", "--method", "additive", "-o", "raised", *more)
    assert (outcome.status, outcome.err) == (1, "")
    assert "release 1" in outcome.out
    assert names(tmp_path) == ["book", "exact", "exact.receipt.json"]
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


def test_the_ledger_suggests_to_withhold_and_then_does(call, tmp_path: Path):
    rows = "a b\n" * 40 + "a\n" * 30 + "b\n" * 30
    (tmp_path / "january.dat").write_text(rows)
    (tmp_path / "february.dat").write_text(rows + "a b\n" * 3 + "a\n" * 30)
    how = ["-s", "20", "-k", "5", "--method", "none", "--ledger", "book"]
    assert call("release", "january.dat", *how, "--new-ledger", "-o", "january").status == 0
    refused = call("release", "february.dat", *how, "--rows-added", "-o", "february")
    assert refused.status == 1
    assert "--rows-added -o february -s 20 --fit-ledger" in " ".join(refused.out.split())
    done = call("release", "february.dat", *how, "--rows-added", "--fit-ledger", "-o", "february")
    assert done.status == 0, done
    assert "withheld, because of earlier releases" in " ".join(done.out.split())
    assert call("verify", "february").status == 0
    assert call("ledger", "check", "book").status == 0
    assert (
        "does not go with --from" in call("release", "--from", "january", "-s", 30, "--fit-ledger", "-o", "x").refused()
    )


def test_a_new_ledger_is_begun_only_when_asked_for(call, tmp_path: Path):
    words = ["release", RUNNING, "-s", 6, "-k", 3, "--method", "suppressive"]
    told = call(*words, "-o", "public", "--ledger", "book").refused()
    assert "book does not exist; check the name, or begin a ledger with --new-ledger" in told
    assert names(tmp_path) == []
    first = call(*words, "-o", "public", "--ledger", "book", "--new-ledger").out
    assert "book is a new ledger" in first
    told = call(*words, "-o", "again", "--ledger", "book", "--new-ledger").refused()
    assert "book exists already; leave --new-ledger out" in told
    again = call(*words, "-o", "again", "--ledger", "book").out
    assert "a new ledger" not in again
    assert "Tell nobody" in again


def test_what_a_ledger_forgets_is_told_in_words_and_json(call, tmp_path: Path):
    words = ["release", RUNNING, "-k", 3, "--method", "additive", "--ledger", "book"]
    made = json.loads(call(*words, "-s", 8, "-o", "first", "--new-ledger", "--json").out)["receipt"]
    call("ledger", "backup", "book", "-o", "old")
    said = call("release", "--from", "first", "-s", 12, "-o", "second", "--ledger", "book").out
    (head,) = re.findall(r"^ +(2:[0-9a-f]{64})$", said, re.MULTILINE)
    assert call("ledger", "check", "book", "--head", f"1:{made['head']}", "--head", head).status == 0

    def told(*words: object) -> tuple[str, str]:
        outcome = call("ledger", "check", *words)
        assert outcome.status == 1
        assert outcome.out.startswith("\n  DOES NOT HOLD  ")
        document = json.loads(call("ledger", "check", *words, "--json").out)
        assert (document["safe"], document["verdict"]) == (False, "does-not-hold")
        return document["problem"], " ".join(outcome.out.split())

    (tmp_path / "old").replace(tmp_path / "book")
    assert told("book", "--head", head)[0] == "rollback"
    problem, words_of_it = told("book", "second")
    assert problem == "rollback"
    assert "book ends with entry 1, but second.receipt.json shows that it had 2" in words_of_it
    (tmp_path / "second.receipt.json").rename(tmp_path / "elsewhere")
    assert told("book", "second")[0] == "gap"  # its rows have a fingerprint of this ledger
    assert call("ledger", "withdraw", "book", 1, "--reason", "a mistake").status == 0
    assert told("book", "--head", "elsewhere")[0] == "fork"
    assert "neither NUMBER:HEAD" in call("ledger", "check", "book", "--head", "1:xyz").refused()
    assert json.loads(call("ledger", "add", "book", "second", "--json").out)["number"] == 3
    assert call("ledger", "check", "book", "second").status == 0
    assert call("ledger", "supersede", "book", 1, "--by", 3).status == 0
    withdrawn = json.loads(call("ledger", "show", "book", "--json").out)["releases"][0]["withdrawn"]
    assert withdrawn["reason"] == "a mistake"
    outcome = call("verify", "first", "--ledger", "book")
    assert outcome.status == 1
    assert "withdrawn on" in outcome.out
    assert call("verify", "second", "--ledger", "book").status == 0


def test_rows_of_a_database_may_be_compared_with_the_ledgers(call):
    with duckdb.connect("clinic.duckdb") as clinic:
        clinic.execute("CREATE TABLE people AS SELECT 'north' AS ward FROM range(20)")
    read = ["--sql", "SELECT ward FROM people", "--database", "clinic.duckdb"]
    begin = ["--ledger", "book", "--new-ledger"]
    made = call("release", *read, "-s", 6, "-k", 3, "--method", "none", "-o", "public", *begin)
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
        ([RUNNING, "-s", 6, "-k", 3, "--method", "other"], "--method must be additive, suppressive, none or dp"),
        ([RUNNING, "-s", 6, "-k", 3, "--method", "none", "--min-confidence", "80%"], "--min-confidence is for --rules"),
        ([RUNNING, "--from", "other", "-s", 6], "DATA does not go with --from"),
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


def test_force_replaces_a_bundle_and_nothing_else(call, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a b\n" * 20)
    words = ["release", "rows.dat", "-s", "5", "-k", "2", "--method", "none", "-o", "pub", "--force"]
    assert call(*words).status == 0
    assert call(*words).status == 0
    (tmp_path / "pub" / "thesis.txt").write_text("three years")
    sentence = "pub holds more, less or other files than the bundle that its certificate.json names"
    assert sentence in call(*words).refused()
    assert (tmp_path / "pub" / "thesis.txt").read_text() == "three years"
    (tmp_path / "pub" / "thesis.txt").unlink()
    (tmp_path / "pub" / "report.html").write_text("my notes")
    assert sentence in call(*words).refused()
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "certificate.json").write_text("{}")
    assert "photos holds more" in call(*[*words[:-2], "photos", "--force"]).refused()
    inside = tmp_path / "data"
    inside.mkdir()
    (inside / "rows.dat").write_text("a b\n" * 20)
    assert (
        "data is a folder that holds what is read here"
        in call("release", "data/rows.dat", *words[2:-2], "data", "--force").refused()
    )


def test_a_bundle_whose_summary_cannot_be_printed_is_published_and_said_to_be(run, tmp_path: Path) -> None:
    (tmp_path / "rows.dat").write_text("a b\n" * 20)
    with Path("/dev/full").open("w") as full:
        outcome = run("release", "rows.dat", "-s", "5", "-k", "2", "--method", "none", "-o", "pub", stdout=full)
    assert outcome.status == 0
    assert "No space left on device" in outcome.err
    assert outcome.err.endswith("pub is published all the same\n")
    assert (tmp_path / "pub" / "certificate.json").exists()
