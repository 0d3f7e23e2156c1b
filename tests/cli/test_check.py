"""`discreet check`: the verdict, the worst rule in words, and the rows it endangers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TABLE_1 = Path(__file__).parent.parent / "data" / "uncertainty-example.dat"


@pytest.fixture(autouse=True)
def private(tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("alpha\ngamma\n", encoding="utf-8")


def test_json_is_as_documented(call):
    outcome = call("check", TABLE_1, "--rho", "0.7", "--sensitive", "private.txt", "--json")
    assert (outcome.status, outcome.err) == (1, "")
    document = json.loads(outcome.out)
    assert (document["safe"], document["rho"]) == (False, 0.7)
    rule = document["worst_rule"]
    assert rule["confidence"] == 1
    assert rule["consequent"] in {"alpha", "gamma"}
    assert isinstance(rule["antecedent"], list)


def test_a_safe_answer_still_names_the_worst_rule(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a x\na\na\nb\n")
    (tmp_path / "x.txt").write_text("x\n")
    outcome = call("check", "rows.dat", "--rho", "50%", "--sensitive", "x.txt", "--json")
    assert outcome.status == 0
    rule = json.loads(outcome.out)["worst_rule"]
    assert (rule["antecedent"], rule["consequent"], rule["confidence"]) == (["a"], "x", pytest.approx(1 / 3))
    words = call("check", "rows.dat", "--rho", "50%", "--sensitive", "x.txt").out
    assert " ".join(words.split()).startswith(
        "PROTECTED in these rows nobody can conclude a sensitive item with 50 % or more"
    )
    assert "Anyone who has a also has x: 1 of 3 rows (33.3 %)" in words


def test_the_border_counts_as_reached(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a x\na\na\nb\n")
    (tmp_path / "x.txt").write_text("x\n")
    assert call("check", "rows.dat", "--rho", "0.3334", "--sensitive", "x.txt").status == 0
    assert call("check", "rows.dat", "--rho", "0.3333", "--sensitive", "x.txt").status == 1
    assert call("check", "rows.dat", "--rho", "0.25", "--sensitive", "x.txt").status == 1


def test_the_words_name_the_rule_the_rows_and_what_to_do(call):
    outcome = call("check", TABLE_1, "--rho", "0.7", "--sensitive", "private.txt", "--explain")
    text = " ".join(outcome.out.split())
    assert text.startswith("NOT PROTECTED someone who knows part of a row can conclude a sensitive item")
    assert "Anyone who has alpha also has gamma: 2 of 2 rows (100 %)." in text
    assert "It endangers rows 1, 5." in text
    assert "2 sensitive items can be concluded with 70 % or more: alpha, gamma" in text
    assert "Definition 3.1" in text
    assert f"discreet anonymize {TABLE_1} --rho 0.7 --sensitive private.txt -o safe.dat" in text


def test_the_empty_antecedent_is_told_as_anyone(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("x\nx\nx\n\n")
    (tmp_path / "x.txt").write_text("x\n")
    outcome = call("check", "rows.dat", "--rho", "0.75", "--sensitive", "x.txt")
    assert outcome.status == 1
    assert "Anyone has x: 3 of 4 rows (75 %)." in outcome.out


def test_no_sensitive_item_left_is_safe_with_a_warning(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a b\nb\n")
    outcome = call("check", "rows.dat", "--rho", "0.5", "--sensitive", "private.txt", "--ignore-unknown", "--json")
    assert outcome.status == 0
    told = {"safe": True, "verdict": "protected", "rho": 0.5, "worst_rule": None}
    assert outcome.document() == told | {"empty_cells": [], "exact_knowledge": False}
    assert outcome.err.startswith("warning: 2 sensitive labels are in no row of rows.dat, alpha the first of them")
    outcome = call("check", "rows.dat", "--rho", "1", "--sensitive", "private.txt", "--ignore-unknown")
    assert "no row holds a sensitive item" in outcome.out


@pytest.mark.parametrize(
    ("rho", "sentence"), [("0", "rho must be above 0"), ("1.5", "rho must be a share between 0 and 1"), ("half", "rho")]
)
def test_a_rho_that_means_nothing_is_refused(call, rho: str, sentence: str):
    assert sentence in call("check", TABLE_1, "--rho", rho, "--sensitive", "private.txt").refused()


def test_what_is_missing_or_empty_is_refused(call, tmp_path: Path):
    (tmp_path / "empty.txt").write_text("\n")
    assert "--rho" in call("check", TABLE_1, "--sensitive", "private.txt").refused()
    assert "--sensitive" in call("check", TABLE_1, "--rho", "0.5").refused()
    assert "names no item" in call("check", TABLE_1, "--rho", "0.5", "--sensitive", "empty.txt").refused()
    assert "cannot read" in call("check", TABLE_1, "--rho", "0.5", "--sensitive", "none.txt").refused()


def test_a_table_column_can_be_sensitive_as_a_whole(call, tmp_path: Path):
    (tmp_path / "rows.csv").write_text("age,ill\n30,flu\n30,no\n40,no\n")
    (tmp_path / "ill.txt").write_text("ill\n")
    outcome = call("check", "rows.csv", "--rho", "0.9", "--sensitive", "ill.txt", "--json")
    assert json.loads(outcome.out)["worst_rule"]["consequent"] == "ill=no"
    assert outcome.err == ""


def test_an_empty_cell_is_the_value_that_was_dropped(call, tmp_path: Path):
    (tmp_path / "rows.csv").write_text("age,ill\n30,\n30,flu\n40,flu\n40,none\n40,none\n")
    (tmp_path / "private.txt").write_text("ill=HIV\n")
    words = ["check", "rows.csv", "--rho", "0.5", "--sensitive", "private.txt", "--ignore-unknown"]
    outcome = call(*words)
    assert outcome.status == 1
    assert "Anyone who has age=30 also has ill=: 1 of 2 rows (50 %)" in outcome.out
    assert "An empty cell (ill=) counts as a sensitive value" in " ".join(outcome.out.split())
    assert call(*words, "--json").document()["empty_cells"] == ["ill"]
    assert call(*words, "--empty-cells", "missing").status == 0
    (tmp_path / "private.txt").write_text("ill=flu\n")
    assert call(*words, "--json").document()["empty_cells"] == []
    assert call(*words, "--empty-cells", "sensitive", "--json").document()["empty_cells"] == ["ill"]


def test_exact_knowledge_includes_what_a_row_lacks(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a x\na b\na b\n")
    (tmp_path / "private.txt").write_text("x\n")
    words = ["check", "rows.dat", "--rho", "0.5", "--sensitive", "private.txt"]
    plain = call(*words)
    assert plain.status == 0
    assert "see --exact-knowledge" in " ".join(plain.out.split())
    exact = call(*words, "--exact-knowledge", "--json")
    assert exact.status == 1
    found = exact.document()
    assert found["exact_knowledge"] is True
    assert found["worst_rule"] == {"antecedent": ["a"], "consequent": "x", "confidence": 1, "together": 1, "holding": 1}


def test_an_item_may_have_a_limit_of_its_own(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a hiv\na\na\na flu\na flu\nb\nb\nb\nb flu\n")
    assert call("check", "rows.dat", "--rho", "0.5", "--sensitive", "hiv,flu").status == 0
    outcome = call("check", "rows.dat", "--rho", "0.5", "--sensitive", "hiv @ 0.1,flu")
    assert outcome.status == 1
    said = " ".join(outcome.out.split())
    assert "The conclusion that exceeds its own limit most: Anyone who has a also has hiv: 1 of 5 rows (20 %)." in said
    assert "1 sensitive item can be concluded with 50 % or more (hiv 10 %): hiv." in said
    assert "--sensitive 'hiv @ 0.1,flu'" in said
    told = call("check", "rows.dat", "--rho", "0.5", "--sensitive", "hiv @ 0.1,flu", "--json").document()
    assert (told["worst_rule"]["consequent"], told["worst_rule"]["confidence"]) == ("flu", 0.4)
    assert (told["critical_rule"]["consequent"], told["limits"]) == ("hiv", {"hiv": 0.1})
    safe = call("check", "rows.dat", "--rho", "0.5", "--sensitive", "hiv @ 0.3,flu")
    assert safe.status == 0
    assert "with 50 % or more (hiv 30 %)" in " ".join(safe.out.split())
    assert (
        "the number after @ in entry 1" in call("check", "rows.dat", "--rho", "0.5", "--sensitive", "hiv @ x").refused()
    )


def test_a_mapping_applies_with_the_limits_it_was_made_for(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a hiv\na\na\na\na\na\nb\nb\nb\nb flu\n")
    (tmp_path / "private.txt").write_text("hiv @ 0.2\nflu\n")
    made = call(
        "anonymize", "rows.dat", "--rho", "0.5", "--sensitive", "private.txt", "--mapping", "map", "-o", "out.dat"
    )
    assert made.status == 0
    (tmp_path / "next.dat").write_text("a hiv\na\na\nb\nb flu\nb\n")
    applied = call("anonymize", "next.dat", "--apply", "map", "-o", "later.dat", "--json")
    assert applied.status == 1
    assert applied.document()["limits"] == {"hiv": 0.2}


def test_patterns_refuse_a_limit_of_an_items_own(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a hiv\na\na\na flu\n")
    for command in (["audit"], ["block", "--method", "additive"], ["compare"]):
        words = [*command, "rows.dat", "-s", "2", "-k", "2", "--sensitive", "hiv @ 0.1", "--rho", "0.5"]
        assert "which only rows can have" in call(*words).refused()
