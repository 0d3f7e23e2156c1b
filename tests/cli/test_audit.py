"""`discreet audit`: the verdict, its evidence, its status, and every door."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

RUNNING = Path(__file__).parent.parent / "data" / "running-example.dat"

SAFE = "a b\n" * 20 + "a\n" * 20 + "b\n" * 20 + "\n" * 20


def test_json_is_as_documented(call):
    outcome = call("audit", RUNNING, "-s", 8, "-k", 3, "--no-border", "--json")
    assert (outcome.status, outcome.err) == (1, "")
    document = outcome.document()
    assert all(each.keys() == {"command", "words"} for each in document.pop("advice"))
    assert document == {
        "safe": False,
        "verdict": "not-safe",
        "k": 3,
        "n": 12,
        "min_support": 8,
        "method": "auto",
        "kind": "all",
        "itemsets": {"closed": 6, "maximal": 3},
        "count": 5,
        "channels": [
            {"base": ["a"], "full": ["a", "b"], "support": 1},
            {"base": ["a"], "full": ["a", "e"], "support": 1},
            {"base": [], "full": ["c", "d", "e"], "support": 1},
            {"base": ["e"], "full": ["c", "d", "e"], "support": 1},
            {"base": ["d", "e"], "full": ["c", "d", "e"], "support": 1},
        ],
        "border": None,
        "attack": None,
        "proved": False,
    }


def test_the_border_is_looked_at_by_default(call):
    document = json.loads(call("audit", RUNNING, "-s", 8, "-k", 3, "--json").out)
    first = {"base": ["a"], "full": ["a", "d"], "low": 2, "high": 2}
    assert {**document["border"][0], "proof": None} == {**first, "proof": None}
    assert [row["full"] for row in document["border"]] == sorted(
        (row["full"] for row in document["border"]), key=lambda full: (len(full), full)
    )
    attack = document["attack"]
    assert (attack["windows"], attack["left_out"], attack["items_per_window"]) == (1, 0, 5)
    assert attack["complete"] is True
    assert attack["programs"] >= len(document["border"])


@pytest.mark.parametrize("method", ["auto", "direct", "closed", "projection"])
def test_method_reports_what_was_asked_and_changes_nothing_else(call, method):
    document = json.loads(call("audit", RUNNING, "-s", 6, "-k", 3, "--method", method, "--all-channels", "--json").out)
    assert document.pop("method") == method
    assert document["count"] == len(document["channels"]) == 58
    other = json.loads(call("audit", RUNNING, "-s", 6, "-k", 3, "--all-channels", "--json").out)
    other.pop("method")
    assert document == other


def test_the_verdict_comes_first_then_sentences_with_their_sums(call):
    outcome = call("audit", RUNNING, "-s", 8, "-k", 3)
    lines = [line.strip() for line in outcome.out.splitlines() if line]
    assert lines[0] == "NOT SAFE  3 of 12 rows are in a group of 1 or 2 that anyone can compute"
    assert "1 row has none of c, d, e" in lines
    assert "12 − 9 − 10 − 11 + 9 + 9 + 10 − 9 = 1" in lines
    assert any(line.startswith("Items that expose most: e (4 channels)") for line in lines)
    assert all(len(line) <= 80 or line.strip().startswith("discreet ") for line in outcome.out.splitlines())


def test_safe_is_status_0_and_says_how_far_it_looked(call, tmp_path: Path):
    (tmp_path / "safe.dat").write_text(SAFE)
    outcome = call("audit", "safe.dat", "-s", 10, "-k", 10)
    assert outcome.status == 0
    assert " ".join(outcome.out.split()).startswith(
        "SAFE, PROVED no group of fewer than 10 of 80 rows can be computed from these patterns"
    )
    assert "The attacker looked at all 2 items together: complete." in outcome.out
    document = json.loads(call("audit", "safe.dat", "-s", 10, "-k", 10, "--json").out)
    assert (document["safe"], document["verdict"], document["proved"], document["advice"]) == (True, "safe", True, [])


def test_what_it_suggests_works_when_pasted_and_is_safe(call, tmp_path: Path):
    (tmp_path / "rows.dat").write_text(SAFE + "a b c\n" * 30 + "c\n" * 3)
    out = call("audit", "rows.dat", "-s", 10, "-k", 10).out
    commands = [line.strip() for line in out.splitlines() if line.startswith("    discreet ")]
    assert len(commands) == 3
    for command in commands:
        assert call(*shlex.split(command)[1:]).status == 0, command


def test_patterns_of_our_own_give_the_same_answer(call):
    call("mine", RUNNING, "-s", 8, "-o", "closed.csv")
    call("mine", RUNNING, "-s", 8, "--target", "all", "-o", "all.parquet")
    call("mine", RUNNING, "-s", 8, "--target", "all", "-o", "all.txt")
    rows = call("audit", RUNNING, "-s", 8, "-k", 3, "--json").document()
    for name, kind, extra in (
        ("closed.csv", "closed", ()),
        ("all.parquet", "all", ()),
        ("all.txt", "all", ("--n", 12)),
    ):
        outcome = call("audit", "--patterns", name, "-k", 3, *extra, "--json")
        document = outcome.document()
        assert outcome.status == 1
        assert document["kind"] == kind
        other = {"kind": "", "advice": [], "attack": {}}  # rows make the attack shorter, and nothing else
        assert {**document, **other} == {**rows, **other}


def test_a_capped_closed_collection_is_incomplete_and_says_so(call):
    call("mine", RUNNING, "-s", 8, "--max-length", 1, "-o", "capped.csv")
    outcome = call("audit", "--patterns", "capped.csv", "-k", 2)
    assert "incomplete" in outcome.out
    document = json.loads(call("audit", "--patterns", "capped.csv", "-k", 2, "--json").out)
    assert document["kind"] == "incomplete"
    assert document["border"] == [], "nothing is known of what is not listed"


def test_nothing_found_in_an_incomplete_collection_is_said_as_such(call, tmp_path: Path):
    (tmp_path / "some.txt").write_text("a b #SUP: 8\na c #SUP: 8\n")
    words = ("audit", "--patterns", "some.txt", "--n", 100, "-k", 3)
    outcome = call(*words)
    assert outcome.status == 1
    assert outcome.out.split("\n")[1].startswith("  NO CHANNEL FOUND  no group of fewer than 3 of 100 rows was found")
    assert call(*words, "--accept-incomplete").status == 0
    document = json.loads(call(*words, "--json").out)
    assert (document["safe"], document["verdict"]) == (False, "incomplete")


def test_rules_alone(call, tmp_path: Path):
    (tmp_path / "rules.txt").write_text("a1 a2 a3 ==> a4 #SUP: 80 #CONF: 0.987\n")
    outcome = call("audit", "--rules", "rules.txt", "-k", 10, "--json")
    assert outcome.status == 1
    (channel,) = json.loads(outcome.out)["channels"]
    assert channel == {
        "base": ["a1", "a2", "a3"], "full": ["a1", "a2", "a3", "a4"],
        "support": 1, "low": 1, "high": 1, "certain": True,
    }  # fmt: skip


def test_quasi_identifiers_by_column_and_from_a_file(call, tmp_path: Path):
    (tmp_path / "people.csv").write_text("age,sex\n" + "30,f\n" * 20 + "30,m\n" * 19 + "40,m\n" * 2)
    unsafe = json.loads(call("audit", "people.csv", "-s", 5, "-k", 5, "--json").out)
    assert unsafe["safe"] is False
    (tmp_path / "names.txt").write_text("sex\n")
    for named in ("sex", "@names.txt", "sex=f,sex=m"):
        outcome = call("audit", "people.csv", "-s", 5, "-k", 5, "--quasi-identifiers", named, "--json")
        assert json.loads(outcome.out)["safe"] is True
    assert (
        "neither an item nor a column"
        in call("audit", "people.csv", "-s", 5, "-k", 5, "--quasi-identifiers", "shoe").refused()
    )


@pytest.mark.parametrize("k", [1, 0, -3])
def test_k_below_2_is_refused(call, k):
    assert "at least 2" in call("audit", RUNNING, "-s", 8, "-k", k).refused()


def test_a_k_beyond_all_rows_is_refused(call):
    assert "-k must be at most 2,147,483,647" in call("audit", RUNNING, "-s", 8, "-k", 10**30).refused()


def test_virtual_rows_lose_no_itemset(call, tmp_path: Path):
    """Raising a support of 1 by more than itself is a change of more than 100 %, but nothing is gone."""
    (tmp_path / "rows.dat").write_text("a b\na c\nb\n\na b c\n")
    advice = call("audit", "rows.dat", "-s", 1, "-k", 2).out
    assert "% at most" in advice.partition("--method additive")[2]
    assert "are lost" not in advice.partition("--method additive")[2].partition("discreet")[0]


def test_the_parts_of_an_answer_are_one_empty_line_apart(call, tmp_path: Path):
    (tmp_path / "none.csv").write_text("# n: 1\n# min_support: 1\n# target: closed\nitems,support\n")
    assert "\n\n\n" not in call("audit", "--patterns", "none.csv", "-k", 2).out


def test_exactly_one_thing_is_audited(call, tmp_path: Path):
    (tmp_path / "some.txt").write_text("a b #SUP: 8\n")
    assert "one thing at a time" in call("audit", RUNNING, "-s", 8, "-k", 3, "--patterns", "some.txt").refused()
    assert "DATA is missing" in call("audit", "-s", 8, "-k", 3).refused()
    assert "--min-support" in call("audit", RUNNING, "-k", 3).refused()
    assert "--n" in call("audit", RUNNING, "-s", 8, "-k", 3, "--n", 12).refused()


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a #SUP: 80\na b #SUP: 20\n", ("--n", 50), "line 1"),
        ("a #SUP: 10\nb #SUP: 9\na b #SUP: 10\n", ("--n", 50), "line 3"),
        ("a #SUP: 10\na #SUP: 10\n", ("--n", 50), "line 2"),
        ("a #SUP: ten\n", ("--n", 50), "line 1"),
        ("a #SUP: 10\n", (), "give --n"),
    ],
)
def test_bad_patterns_are_refused_with_the_line(
    call, tmp_path: Path, text: str, options: tuple[object, ...], said: str
):
    (tmp_path / "bad.txt").write_text(text)
    assert said in call("audit", "--patterns", "bad.txt", "-k", 3, *options).refused()


def test_supports_that_no_data_set_can_have_are_named_as_such(call, tmp_path: Path):
    (tmp_path / "bad.txt").write_text("a #SUP: 60\nb #SUP: 60\na b #SUP: 10\n")  # 60 + 60 - 10 > 100
    assert "no data set can have" in call("audit", "--patterns", "bad.txt", "--n", 100, "-k", 3).refused()


def test_a_confidence_above_1_is_refused_with_the_line(call, tmp_path: Path):
    (tmp_path / "rules.txt").write_text("a ==> b #SUP: 8 #CONF: 0.9\nb ==> a #SUP: 8 #CONF: 1.9\n")
    assert "line 2" in call("audit", "--rules", "rules.txt", "-k", 3).refused()


def test_hostile_labels_are_shown_as_text(call, tmp_path: Path):
    (tmp_path / "rows.csv").write_text('"[red]x[/red]",b\n' * 20 + '"[red]x[/red]",\n' * 2)
    outcome = call("audit", "rows.csv", "--format", "basket", "-s", 5, "-k", 5)
    assert "[red]x[/red]" in outcome.out
    assert "\x1b" not in outcome.out


def test_an_unnamed_collection_that_can_be_closed_is_taken_as_closed(call, tmp_path: Path):
    """A single set with its support: if it is closed, its items never occur apart."""
    (tmp_path / "some.txt").write_text("a b #SUP: 8\n")
    document = json.loads(call("audit", "--patterns", "some.txt", "--n", 10, "-k", 3, "--json").out)
    assert document["kind"] == "closed"
    assert document["channels"] == [{"base": [], "full": ["a", "b"], "support": 2}]


def test_of_an_incomplete_collection_no_lowest_support_is_claimed(call, tmp_path: Path):
    """What is missing was not judged, so neither a support nor that there is none can be named."""
    (tmp_path / "some.txt").write_text("old #SUP: 412\nm #SUP: 310\nd m #SUP: 306\nd old #SUP: 180\n")
    outcome = call("audit", "--patterns", "some.txt", "--n", 2000, "-k", 10)
    assert outcome.status == 1
    assert "There is no support" not in outcome.out
    (tmp_path / "all.txt").write_text("m #SUP: 1995\n")
    assert "There is no support" in call("audit", "--patterns", "all.txt", "--n", 2000, "-k", 10).out


def test_a_damaged_file_of_patterns_is_never_safe(call, tmp_path: Path):
    damaged = tmp_path / "z.csv"
    damaged.write_text('freq,items\n50,[a]\n40,[b]\n30,"[c]\n2,[d]\n')
    sentence = call("audit", "--patterns", str(damaged), "--n", "100", "-k", "5").refused()
    assert sentence.startswith(f"line 4 of {damaged} has a quote that is not closed")


def test_what_whoever_knows_more_can_compute_is_said_beside_quasi_identifiers(call, tmp_path: Path):
    (tmp_path / "rows.txt").write_text("a b\n" * 20 + "a\n" * 2 + "c\n" * 20, encoding="utf-8")
    words = ["audit", "rows.txt", "-s", 10, "-k", 5]
    known = call(*words, "--quasi-identifiers", "a,c")
    assert known.status == 0
    assert "Whoever knows all published items of a person can compute 1 group of fewer than 5 rows" in " ".join(
        known.out.split()
    )
    assert "Only quasi-identifiers" not in call(*words).out
