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
    assert (outcome.status, outcome.err) == (1, "")
    assert outcome.out.split()[:5] == ["NOT", "SAFE", "nothing", "was", "written;"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rows.dat"]
    outcome = call("block", "rows.dat", "-s", 8, "-k", 3, "--method", "suppressive", "--json")
    assert outcome.status == 1
    document = json.loads(outcome.out)
    assert (document["safe"], document["verdict"], document["read"]["rows"]) == (False, "not-safe", 10)
    assert "fewer than the 8 that an itemset must occur in" in document["reason"]


def test_a_support_above_the_number_of_rows_leaves_nothing_to_publish(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("a b\n" * 4)
    words = ("block", "rows.dat", "-s", 5, "-k", 2, "--method", "additive")
    outcome = call(*words)
    assert (outcome.status, outcome.out.split()[:3]) == (1, ["NOTHING", "TO", "PUBLISH"])
    assert json.loads(call(*words, "--json").out)["verdict"] == "nothing"


def test_the_summary_warns_and_names_the_price(call):
    out = call("block", RUNNING, "-s", 8, "-k", 3, "--method", "additive").out.replace("\n", " ")
    assert out.strip().startswith("SAFE, PROVED  6 closed itemsets")
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
        assert "-o and --witness must be different files" in refused
    assert not (tmp_path / "same.csv").exists()


@pytest.mark.parametrize("method", ["additive", "suppressive"])
@pytest.mark.parametrize("chosen", [[], ["--quasi-identifiers", "age,area"]])
def test_the_witness_of_a_table_is_a_table(call, tmp_path: Path, method: str, chosen: list[str]):
    draw = random.Random(1)
    lines = [f"{draw.choice('1112')},{draw.choice('nnnst')},{draw.choice('xxxyz')}" for _ in range(60)]
    (tmp_path / "rows.csv").write_text("\n".join(["age,area,ill", *lines, ""]), encoding="utf-8")
    asked = ["--format", "table", "-s", 12, "-k", 4, "--method", method, *chosen]
    assert call("block", "rows.csv", *asked, "-o", "safe.json", "--witness", "w.csv").status == 0
    assert (tmp_path / "w.csv").read_text(encoding="utf-8").startswith("age,area,ill\n")
    call("mine", "w.csv", "-s", 12, "-o", "again.json")
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads((tmp_path / "safe.json").read_text())


def test_safe_without_the_border_says_that_it_is_the_papers_answer(call):
    words = ["block", RUNNING, "-s", 8, "-k", 3, "--method", "additive"]
    plain = " ".join(call(*words, "--no-border").out.split())
    assert "The attacker is off (--no-border): this is the answer of the paper alone" in plain
    assert "SAFE 6 closed itemsets from which no group of fewer than 3 rows was found to follow" in plain
    assert "The attacker looked at all 5 items together: complete." in call(*words).out
    document = json.loads(call(*words, "--no-border", "--json").out)
    assert (document["attack"], document["proved"]) == (None, False)


def test_what_is_proved_of_changed_patterns_and_what_is_not(call):
    out = " ".join(call("block", RUNNING, "-s", 8, "-k", 3, "--method", "additive").out.split())
    assert out.startswith("SAFE, PROVED 6 closed itemsets from which no group of fewer than 3 rows can be computed")
    assert "So no group of 1 or 2 rows is certain, of whatever items. This excludes certainty, not likelihood." in out
    assert "only where the same is published of that data set; readers who know the true number of rows are not" in out


def test_columns_of_a_table_are_blocked_and_told(call, tmp_path: Path):
    rows = "A,f\n" * 60 + "A,m\n" * 50 + "B,f\n" * 40 + "B,m\n" * 55 + "B,x\n" * 3
    (tmp_path / "people.csv").write_text(f"race,gender\n{rows}")
    words = ("block", "people.csv", "-s", "20%", "-k", 10, "--method", "additive")
    paper = json.loads(call(*words, "--no-border", "--json").out)
    assert paper["distortion"]["rows"] == 0, "no channel tells that 3 have neither value"
    document = json.loads(call(*words, "--json").out)
    assert (document["distortion"]["rows"], document["attack"]["complete"]) == (10, True)
    out = " ".join(call(*words).out.split())
    assert "at most one value of each of the columns race, gender" in out
    assert "Groups that follow for items that are not published together were blocked as if 10 rows had been" in out


def test_named_sets_are_checked_in_the_rows(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text("tea wine\n" + "tea\n" * 30 + "wine\n" * 30)
    words = ("block", "rows.dat", "-s", 5, "-k", 2, "--method", "suppressive", "--exclusive")
    assert "row 1 holds two of the items named in --exclusive" in call(*words, "tea,wine").refused()
    assert "names the label 'beer'" in call(*words, "beer,wine").refused()
