"""`discreet audit --sensitive LIST --rho R`: what patterns tell about sensitive items, in words and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import discreet

if TYPE_CHECKING:
    from pathlib import Path

ROWS = ["A,f,flu"] * 20 + ["B,f,cold"] * 30 + ["B,m,flu"] * 11
ROWS += ["B,m,cold", *["C,f,cold"] * 25, *["C,m,flu"] * 10]


@pytest.fixture
def wards(tmp_path: Path) -> Path:
    """Return rows in which everybody of ward A is ill, and 11 of the 12 men of ward B."""
    path = tmp_path / "wards.csv"
    path.write_text("ward,sex,ill\n" + "".join(f"{row}\n" for row in ROWS))
    return path


def words_of(text: str) -> str:
    return " ".join(text.split())


def test_the_surest_conclusions_are_told_in_words(call, wards: Path) -> None:
    outcome = call("audit", wards.name, "-s", 10, "-k", 2, "--sensitive", "ill=flu", "--rho", "0.5")
    said = words_of(outcome.out)
    assert outcome.status == 1
    assert "conclusions about sensitive items of 50 % or more" in said.split("Read as")[0]
    assert "100 % all 20 rows with ward=A have ill=flu" in said
    assert "95.5 % of the 22 rows with sex=m, 21 have ill=flu" in said
    assert "discreet block" not in said  # blocking looks at the sizes of groups alone


def test_conclusions_alone_are_not_safe_and_without_them_both_are_said(call, wards: Path) -> None:
    words = ["audit", wards.name, "-s", 20, "-k", 2, "--sensitive", "ill=flu"]
    outcome = call(*words, "--rho", "90%")
    assert outcome.status == 1
    assert words_of(outcome.out).startswith("NOT SAFE")
    assert "about sensitive items of 90 % or more" in words_of(outcome.out)
    document = call(*words, "--rho", "0.9", "--json").document()
    assert (document["verdict"], document["rho"], document["sensitive"]) == ("not-safe", "9/10", 1)
    first = document["conclusions"][0]
    assert (first["item"], first["rows"], first["having"], first["share"]) == ("ill=flu", 20, 20, "1")


def test_patterns_and_rules_tell_the_same(call, wards: Path) -> None:
    asked = ["-k", 2, "--sensitive", "ill", "--rho", "0.5", "--json"]
    from_rows = call("audit", wards.name, "-s", 10, *asked).document()
    call("mine", wards.name, "-s", 10, "-o", "patterns.csv")
    from_patterns = call("audit", "--patterns", "patterns.csv", *asked).document()
    assert from_patterns["conclusions"] == from_rows["conclusions"]
    assert from_rows["sensitive"] == 2  # a column stands for its values
    found = discreet.mine(discreet.read(wards), min_support=10, target="closed")
    discreet.write_rules(discreet.rules(found, min_confidence="50%"), "rules.csv")
    assert call("audit", "--rules", "rules.csv", *asked).document()["conclusions"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--sensitive", "ill"], "--sensitive needs --rho"),
        (["--rho", "0.5"], "--rho needs --sensitive"),
        (["--sensitive", "nobody", "--rho", "0.5"], "entry 1 of --sensitive names the label 'nobody'"),
        (["--sensitive", "ill", "--rho", "0"], "--rho must be above 0"),
        (["--sensitive", "ill,sex", "--rho", "0.5", "--quasi-identifiers", "sex"], "name it in one of the two"),
        (["--sensitive", "ill", "--rho", "0.01234567891"], "--rho must have at most 9 decimals"),
    ],
)
def test_half_a_question_is_refused(call, wards: Path, words: list[str], sentence: str) -> None:
    assert sentence in call("audit", wards.name, "-s", 10, "-k", 2, *words).refused()


def test_labels_from_a_file_and_unknown_ones_that_are_accepted(call, wards: Path) -> None:
    (wards.parent / "list.txt").write_text("ill=flu\nill=plague\n")
    words = ["audit", wards.name, "-s", 10, "-k", 2, "--sensitive", "@list.txt", "--rho", "0.5"]
    assert "ill=plague" in call(*words).refused()
    assert call(*words, "--ignore-unknown", "--json").document()["sensitive"] == 1
