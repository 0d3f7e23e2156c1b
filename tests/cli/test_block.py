"""`discreet block`: what may be published, what it cost, and what is for the owner alone."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from discreet import read, read_patterns

RUNNING = Path(__file__).parent.parent / "data" / "running-example.dat"


def test_json_is_as_documented(call):
    outcome = call("block", RUNNING, "-s", 8, "-k", 3, "--method", "additive", "--json")
    assert (outcome.status, outcome.err) == (0, "")
    document = json.loads(outcome.out)
    assert document["distortion"] == {"rows": 9, "changed": 0.4167, "average": 0.1857, "worst": 0.75}
    assert (document["n_before"], document["n_after"]) == (12, 21)
    assert (document["channels_before"], document["channels_after"]) == (5, 0)
    assert {"base": ["a"], "full": ["a", "b", "c", "d", "e"]} in document["merged"]
    assert {"items": ["a"], "support": 12, "before": 9} in document["itemsets"]
    assert (document["method"], document["k"], document["min_support"]) == ("additive", 3, 8)


@pytest.mark.parametrize("method", ["additive", "suppressive"])
def test_the_file_is_safe_and_says_nothing_of_before(call, tmp_path: Path, method: str):
    assert call("block", RUNNING, "-s", 8, "-k", 3, "--method", method, "-o", "safe.csv").status == 0
    assert call("audit", "--patterns", "safe.csv", "-k", 3).status == 0
    text = (tmp_path / "safe.csv").read_text()
    assert "before" not in text
    assert method not in text
    assert read_patterns(tmp_path / "safe.csv").n == (21 if method == "additive" else 9)


def test_the_witness_has_exactly_the_published_patterns(call, tmp_path: Path):
    call("block", RUNNING, "-s", 8, "-k", 3, "--method", "suppressive", "-o", "safe.json", "--witness", "rows.dat")
    assert read(tmp_path / "rows.dat").n == 9
    call("mine", "rows.dat", "-s", 8, "-o", "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads((tmp_path / "safe.json").read_text())


def test_what_cannot_be_made_safe_is_status_1_and_writes_nothing(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a b\n" * 6 + "a\n" * 2 + "b\n" * 2)
    outcome = call("block", "rows.dat", "-s", 8, "-k", 3, "--method", "suppressive", "-o", "safe.csv")
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith("not safe: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.dat"]
    outcome = call("block", "rows.dat", "-s", 8, "-k", 3, "--method", "suppressive", "--json")
    assert outcome.status == 1
    document = json.loads(outcome.out)
    assert document == {"safe": False, "reason": outcome.err.removeprefix("not safe: ").rstrip()}


def test_the_summary_warns_and_names_the_price(call):
    out = call("block", RUNNING, "-s", 8, "-k", 3, "--method", "additive").out.replace("\n", " ")
    assert out.strip().startswith("SAFE  6 closed itemsets")
    assert "for you alone" in out
    assert "41.7 %" in out


def test_a_support_below_k_is_raised_and_said(call):
    out = call("block", RUNNING, "-s", 1, "-k", 3, "--method", "suppressive").out.replace("\n  ", " ")
    assert "raised to 3" in out


def test_bad_choices_are_refused(call, tmp_path: Path):
    (tmp_path / "there.csv").write_text("x")
    assert "at least 2" in call("block", RUNNING, "-s", 8, "-k", 1, "--method", "additive").refused()
    assert "--method" in call("block", RUNNING, "-s", 8, "-k", 3, "--method", "magic").refused()
    assert "--method" in call("block", RUNNING, "-s", 8, "-k", 3).refused()
    refused = call("block", RUNNING, "-s", 8, "-k", 3, "--method", "additive", "-o", "there.csv").refused()
    assert "exists already" in refused
    assert (tmp_path / "there.csv").read_text() == "x"


def test_patterns_and_witness_appear_together_or_not_at_all(call, tmp_path: Path):
    (tmp_path / "rows.csv").write_text('"a b",c\n' * 5 + "c\n" * 5, encoding="utf-8")  # a label that fimi cannot carry
    done = call(
        "block", "rows.csv", "-s", 2, "-k", 2, "--method", "suppressive", "-o", "safe.csv", "--witness", "w.dat"
    )
    assert done.status == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.csv"]


def test_the_witness_is_readable_by_its_owner_alone(call, tmp_path: Path):
    call("block", RUNNING, "-s", 8, "-k", 3, "--method", "suppressive", "-o", "safe.json", "--witness", "rows.dat")
    assert (tmp_path / "rows.dat").stat().st_mode & 0o077 == 0
    assert (tmp_path / "safe.json").stat().st_mode & 0o044 != 0


def test_the_witness_never_takes_the_place_of_what_may_be_published(call, tmp_path: Path):
    for other in ("same.csv", str(tmp_path / "same.csv")):
        refused = call(
            "block", RUNNING, "-s", 8, "-k", 3, "--method", "additive", "-o", "same.csv", "--witness", other, "--force"
        ).refused()
        assert "--witness and --output are the same file" in refused
    assert not (tmp_path / "same.csv").exists()


@pytest.mark.parametrize("method", ["additive", "suppressive"])
@pytest.mark.parametrize("chosen", [[], ["--quasi-identifiers", "age,area"]])
def test_the_witness_of_a_table_is_a_table(call, tmp_path: Path, method: str, chosen: list[str]):
    draw = random.Random(1)
    lines = [f"{draw.choice('1112')},{draw.choice('nnns')},{draw.choice('xxxy')}" for _ in range(40)]
    (tmp_path / "rows.csv").write_text("\n".join(["age,area,ill", *lines, ""]), encoding="utf-8")
    asked = ["--format", "table", "-s", 12, "-k", 4, "--method", method, *chosen]
    call("block", "rows.csv", *asked, "-o", "safe.json", "--witness", "w.csv")
    assert (tmp_path / "w.csv").read_text(encoding="utf-8").startswith("age,area,ill\n")
    call("mine", "w.csv", "-s", 12, "-o", "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads((tmp_path / "safe.json").read_text())


def test_safe_without_the_border_says_what_was_not_looked_for(call):
    words = ["block", RUNNING, "-s", 8, "-k", 3, "--method", "additive"]
    assert "were not looked for" in call(*words, "--no-border").out.replace("\n ", "")
    assert "looked for" not in call(*words).out
