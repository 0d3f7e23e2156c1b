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
    outcome = call("audit", wards.name, "-s", 10, "-k", 2, "--sensitive", "ill", "--rho", "0.5", "--no-border")
    said = words_of(outcome.out)
    assert outcome.status == 1
    assert "conclusions about sensitive items of 50 % or more" in said.split("Read as")[0]
    assert "100 % all 20 rows with ward=A have ill=flu" in said
    assert "100 % all 20 rows with ward=A have ill=flu" in said
    assert "--sensitive ill --rho 0.5" in said.split("What you can do")[1]
    assert "discreet release" not in said  # which always lets the attacker look


def test_what_is_advised_withholds_and_publishes(call, wards: Path) -> None:
    asked = ["--sensitive", "ill=flu", "--quasi-identifiers", "ward,sex", "--rho", "0.6"]
    steps = call("audit", wards.name, "-s", 10, "-k", 2, *asked, "--json").document()["advice"]
    commands = [step["command"] for step in steps]
    assert [command[1] for command in commands] == ["block", "release"]
    told = words_of(call("audit", wards.name, "-s", 10, "-k", 2, *asked).out)
    done = call(*commands[0][1:], "--json").document()
    assert done["withheld"]
    assert f"withholds {len(done['withheld'])} itemsets, so that no conclusion is left" in told
    assert call(*commands[1][1:]).status == 0
    assert call("verify", "public", "--data", wards.name).status == 0
    call("mine", wards.name, "-s", 10, "-o", "patterns.csv")
    from_file = call("audit", "--patterns", "patterns.csv", "-k", 2, *asked, "--json").document()
    assert [step["command"][1] for step in from_file["advice"]] == ["audit"], "of a file, nothing can be published"


def test_conclusions_alone_are_not_safe_and_without_them_both_are_said(call, wards: Path) -> None:
    words = ["audit", wards.name, "-s", 20, "-k", 2, "--sensitive", "ill"]
    outcome = call(*words, "--rho", "90%")
    assert outcome.status == 1
    assert words_of(outcome.out).startswith("NOT SAFE")
    assert "about sensitive items of 90 % or more" in words_of(outcome.out)
    document = call(*words, "--rho", "0.9", "--json").document()
    assert (document["verdict"], document["rho"], document["sensitive"]) == ("not-safe", "9/10", 2)
    found = {
        (one["item"], *one["present"], one["rows"], one["having"], one["share"]) for one in document["conclusions"]
    }
    assert ("ill=flu", "sex=f", "ward=A", 20, 20, "1") in found


def test_patterns_and_rules_tell_the_same(call, wards: Path) -> None:
    asked = ["-k", 2, "--sensitive", "ill", "--rho", "0.5", "--json", "--no-border"]
    from_rows = call("audit", wards.name, "-s", 10, *asked).document()
    call("mine", wards.name, "-s", 10, "-o", "patterns.csv")
    from_patterns = call("audit", "--patterns", "patterns.csv", *asked).document()
    assert from_patterns["conclusions"] == from_rows["conclusions"]
    assert from_rows["sensitive"] == 2  # a column stands for its values
    found = discreet.mine(discreet.read(wards), min_support=10, target="closed")
    discreet.write_rules(discreet.rules(found, min_confidence="50%"), "rules.csv")
    assert call("audit", "--rules", "rules.csv", *asked).document()["conclusions"]


def test_what_follows_by_bounds_is_told_apart(call, tmp_path: Path) -> None:
    """Of 100 with a, 45 have s; 60 have b as well, of whom fewer than 10 have s: 36 of the other 40 do at least."""
    rows = ["a,b"] * 55 + ["a,b,s"] * 5 + ["a,s"] * 40 + ["c"] * 100
    (tmp_path / "rows.csv").write_text("".join(f"{row}\n" for row in rows))
    words = ["audit", "rows.csv", "--format", "basket", "-s", 10, "-k", 2, "--sensitive", "s", "--rho", "0.5"]
    outcome = call(*words)
    assert outcome.status == 1
    assert "follow by bounds: 90 % of the 40 rows with a and without b, at least 36 have s" in words_of(outcome.out)
    document = call(*words, "--json").document()
    assert document["conclusions"] == []
    assert document["bounded_conclusions"][0] == {
        "present": ["a"],
        "absent": ["b"],
        "item": "s",
        "rows": 40,
        "having": [36, 40],
        "share": "9/10",
    }


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
